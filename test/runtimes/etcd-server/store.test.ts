/** The store suite on our server of etcd's API: through our etcd client, and through another one. */
import type { KeyValueStore } from '../../../core/ports.ts'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { hostClock, warnings } from '../stores/helpers.ts'
import { etcd3Store } from './etcd3-store.ts'

const clients: { readonly [name: string]: (url: string) => Promise<KeyValueStore> } = {
  'etcd store': (url) => openEtcdStore({ servers: [url], clock: hostClock, logger: warnings() }),
  'store on etcd3': async (url) => etcd3Store(url),
}

for (const [name, connect] of Object.entries(clients))
  for (const durable of [false, true]) {
    const open = async () => {
      const etcd = await startOwnEtcd({ durable })
      const store = await connect(etcd.url)
      return {
        store,
        async close() {
          await store.close()
          await etcd.stop()
        },
      }
    }
    storeConformance(`${name} on the embedded store, ${durable ? 'on disk' : 'in memory'}`, open, 10)
  }
