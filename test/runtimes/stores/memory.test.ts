import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { storeConformance } from '../../support/store-conformance.ts'

storeConformance(
  'memory store',
  async () => {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
  300,
)
