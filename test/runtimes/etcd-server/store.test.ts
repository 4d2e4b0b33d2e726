/** The store suite through our etcd client, on our server of etcd's API. */
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { hostClock, warnings } from '../stores/helpers.ts'

for (const durable of [false, true]) {
  const open = async () => {
    const etcd = await startOwnEtcd({ durable })
    const store = await openEtcdStore({ servers: [etcd.url], clock: hostClock, logger: warnings() })
    return {
      store,
      async close() {
        await store.close()
        await etcd.stop()
      },
    }
  }
  storeConformance(`etcd store on the embedded store, ${durable ? 'on disk' : 'in memory'}`, open, 10)
}
