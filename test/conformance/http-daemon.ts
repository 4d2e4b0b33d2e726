import { startDaemon } from '../support/daemon.ts'
import type { DaemonRuntime } from './daemons.ts'
import { httpConformance } from './http.ts'
import { suiteControllers } from './http-suite.ts'

/** The HTTP suite over TLS, against a daemon on this runtime. */
export function httpOnDaemon({ name, command, skip }: DaemonRuntime): void {
  httpConformance(
    `HTTP on ${name}`,
    async ({ watchCache = true, compactionInterval = 0 } = {}) => {
      const flags = [
        `--controllers=${suiteControllers}`,
        `--watch-cache=${watchCache}`,
        `--kvstore-compaction-interval=${compactionInterval}ms`,
      ]
      const { fetch, stop } = await startDaemon({ command: command(), flags })
      return { fetch, close: () => stop() }
    },
    { skip },
  )
}
