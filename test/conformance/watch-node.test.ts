import { apiOf } from '../support/api.ts'
import { startDaemon } from '../support/daemon.ts'
import { sleep } from '../support/wait.ts'
import { suiteControllers } from './http-suite.ts'
import { watchConformance } from './watch.ts'

const compactionInterval = 300

watchConformance('Node daemon', async ({ watchCache }) => {
  const flags = [
    `--controllers=${suiteControllers}`,
    `--watch-cache=${watchCache}`,
    `--kvstore-compaction-interval=${compactionInterval}ms`,
  ]
  const { fetch, stop } = await startDaemon({ flags })
  const api = apiOf(fetch)
  return {
    ownTime: false,
    fetch,
    close: () => stop(),
    pass: sleep,
    compact: () => sleep(3 * compactionInterval),
    async watchers() {
      const { body } = await api.get<string>('/metrics')
      const lines = body.matchAll(/^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)$/gm)
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
    },
  }
})
