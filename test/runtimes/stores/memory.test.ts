import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { storeConformance } from '../../conformance/store.ts'

storeConformance(
  'memory store',
  async () => {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
  300,
)
