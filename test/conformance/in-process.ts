/** The suites against a server in this process. */
import { memoryStore } from '../../runtimes/web/index.ts'
import { ManualClock } from '../support/clock.ts'
import { startInProcess } from '../support/in-process.ts'
import { customResources } from './custom-resources.ts'
import { httpConformance } from './http.ts'
import { type Open, suiteControllers } from './http-suite.ts'
import { watchConformance } from './watch.ts'

const open: Open = ({ watchCache = true, compactionInterval = 0 } = {}) =>
  startInProcess({ watchCache, compactionInterval, controllers: suiteControllers })

export const httpInProcess = () => httpConformance('HTTP in-process on Node', open)

export const customResourcesInProcess = () => customResources('custom resources in-process on Node', open)

export const watchInProcess = () =>
  watchConformance('watch in-process on Node', async ({ watchCache }) => {
    const clock = new ManualClock()
    const store = memoryStore()
    const { fetch, close } = await startInProcess({ store, clock, watchCache, compactionInterval: 0, controllers: suiteControllers })
    return {
      ownTime: true,
      fetch,
      close,
      pass: async (milliseconds) => clock.advance(milliseconds),
      compact: async () => store.compact(await store.currentRevision()),
    }
  })
