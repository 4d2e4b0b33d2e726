import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { customResources } from './custom-resources.ts'
import { suiteControllers } from './http-suite.ts'

customResources('custom resources in-process on Node', async ({ watchCache = true, compactionInterval = 0 } = {}) => {
  const server = await createApiServer({ store: memoryStore(), watchCache, compactionInterval, controllers: suiteControllers })
  // The server's timers are unref'd and there is no socket, so something else must keep the process alive.
  const alive = setInterval(() => {}, 60_000)
  return {
    fetch: (path, init) => server.fetch(new Request(`http://server${path}`, init)),
    async close() {
      clearInterval(alive)
      await server.close()
    },
  }
})
