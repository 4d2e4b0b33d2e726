import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { storeConformance } from '../../../runtimes/testing/store/index.ts'

storeConformance(
  'memory store',
  async () => {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
  300,
)
