import { startDaemon } from '../support/daemon.ts'
import { customResources } from './custom-resources.ts'
import type { DaemonRuntime } from './daemons.ts'
import { suiteControllers } from './http-suite.ts'

/** The custom resource suite over TLS, against a daemon on this runtime. */
export function customResourcesOnDaemon({ name, command, skip }: DaemonRuntime): void {
  customResources(
    `custom resources on ${name}`,
    async ({ watchCache = true } = {}) => {
      const { fetch, stop } = await startDaemon({
        command: command(),
        flags: [`--controllers=${suiteControllers}`, `--watch-cache=${watchCache}`],
      })
      return { fetch, close: () => stop() }
    },
    { skip },
  )
}
