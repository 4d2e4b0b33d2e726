import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { customResources } from './custom-resources.ts'
import { suiteControllers } from './http-suite.ts'

customResources('custom resources in-process on Node', async ({ watchCache = true, compactionInterval = 0 } = {}) => {
  const server = await createApiServer({ store: memoryStore(), watchCache, compactionInterval, controllers: suiteControllers })
  // The server's own timers keep no process alive, and there is no socket that does.
  const alive = setInterval(() => {}, 60_000)
  return {
    fetch: (path, init) => server.fetch(new Request(`http://server${path}`, init)),
    async close() {
      clearInterval(alive)
      await server.close()
    },
  }
})
