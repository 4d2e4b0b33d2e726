import { startDaemon } from '../support/daemon.ts'
import { httpConformance } from './http.ts'
import { suiteControllers } from './http-suite.ts'

httpConformance('Node daemon', async ({ watchCache = true, compactionInterval = 0 } = {}) => {
  const flags = [
    `--controllers=${suiteControllers}`,
    `--watch-cache=${watchCache}`,
    `--kvstore-compaction-interval=${compactionInterval}ms`,
  ]
  const { fetch, stop } = await startDaemon({ flags })
  return { fetch, close: () => stop() }
})
