import { apiOf } from '../support/api.ts'
import { without } from '../support/runtimes.ts'
import { eventually, sleep } from '../support/wait.ts'
import { startEdge } from './edge.ts'
import { watchConformance } from './watch.ts'

/** Milliseconds; long enough for a list and the watch that follows it on a busy machine. */
const compactionInterval = 2_000

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
  without('workerd'),
)
