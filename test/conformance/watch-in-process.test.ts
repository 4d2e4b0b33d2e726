import type { KeyValueStore } from '../../core/ports.ts'
import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { ManualClock } from '../support/clock.ts'
import { suiteControllers } from './http-suite.ts'
import { watchConformance } from './watch.ts'

watchConformance('watch in-process on Node', async ({ watchCache }) => {
  const clock = new ManualClock()
  const store: KeyValueStore = memoryStore()
  const server = await createApiServer({ store, clock, watchCache, compactionInterval: 0, controllers: suiteControllers })
  const alive = setInterval(() => {}, 60_000)
  return {
    ownTime: true,
    fetch: (path, init) => server.fetch(new Request(`http://server${path}`, init)),
    async close() {
      clearInterval(alive)
      await server.close()
    },
    pass: async (milliseconds) => clock.advance(milliseconds),
    compact: async () => store.compact(await store.currentRevision()),
  }
})
