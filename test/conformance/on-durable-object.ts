/** The suites against a control plane in a Durable Object, on workerd. */
import { apiOf } from '../support/api.ts'
import { without } from '../support/runtimes.ts'
import { eventually, sleep } from '../support/wait.ts'
import { customResources } from './custom-resources.ts'
import { startEdge } from './edge.ts'
import { httpConformance } from './http.ts'
import { watchConformance } from './watch.ts'

/** What workerd, or this way of running it, does not support. */
const gaps = { 'refuses bodies of more than 3 MiB': 'workerd closes the connection before the client has read the response' }
/** Milliseconds; long enough for a list and the watch that follows it on a busy machine. */
const compactionInterval = 2_000
const skip = without('workerd')

export const httpOnDurableObject = () =>
  httpConformance(
    'HTTP in-process on DurableObject',
    ({ watchCache = true, compactionInterval = 300_000 } = {}) => startEdge({ watchCache, compactionInterval }),
    { skip, gaps },
  )

export const customResourcesOnDurableObject = () =>
  customResources('custom resources in-process on DurableObject', () => startEdge(), { skip })

export const watchOnDurableObject = () =>
  watchConformance(
    'watch in-process on DurableObject',
    async ({ watchCache }) => {
      const { fetch, close } = await startEdge({ watchCache, compactionInterval })
      const api = apiOf(fetch)
      return {
        ownTime: false,
        fetch,
        close,
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
