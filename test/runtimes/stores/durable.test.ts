import { storeConformance } from '../../support/store-conformance.ts'
import { openAt, temporaryDirectory } from './helpers.ts'

storeConformance('durable store', open, 15)

async function open() {
  const { directory, remove } = await temporaryDirectory()
  const store = await openAt(directory)
  return {
    store,
    async close() {
      await store.close()
      await remove()
    },
  }
}
