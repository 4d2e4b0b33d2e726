import { apiOf } from '../support/api.ts'
import { startDaemon } from '../support/daemon.ts'
import { eventually, sleep } from '../support/wait.ts'
import type { DaemonRuntime } from './daemons.ts'
import { suiteControllers } from './http-suite.ts'
import { watchConformance } from './watch.ts'

/** Milliseconds; long enough for a list and the watch that follows it on a busy machine. */
const compactionInterval = 2_000

/** The watch suite over TLS, against a daemon on this runtime. */
export function watchOnDaemon({ name, command, skip }: DaemonRuntime): void {
  watchConformance(
    `watch on ${name}`,
    async ({ watchCache }) => {
      const flags = [
        `--controllers=${suiteControllers}`,
        `--watch-cache=${watchCache}`,
        `--kvstore-compaction-interval=${compactionInterval}ms`,
      ]
      const { fetch, stop } = await startDaemon({ command: command(), flags })
      const api = apiOf(fetch)
      return {
        ownTime: false,
        fetch,
        close: () => stop(),
        pass: sleep,
        async compact() {
          const now = Number((await api.list('/api/v1/namespaces')).metadata.resourceVersion)
          // The watch cache serves its current revision even if the store has compacted it.
          const past = `/api/v1/namespaces?resourceVersion=${now - 1}&resourceVersionMatch=Exact`
          await eventually('the history is compacted', async () => (await api.get(past)).status === 410, 30_000)
        },
      }
    },
    skip,
  )
}
