import type { TestContext } from 'node:test'
import type { EmbeddedOptions } from '../../../runtimes/web/index.ts'
import { type Api, configMap, type TestObject } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'
import { type WatchReader, watchAt } from '../../support/watch-reader.ts'

export const configMaps = '/api/v1/namespaces/default/configmaps'
export const secrets = '/api/v1/namespaces/default/secrets'

const defaultAccount = '/api/v1/namespaces/default/serviceaccounts/default'

export interface TestServer extends Api {
  /** The object once `wanted` holds; fails after a timeout. */
  reached(path: string, wanted: (object: TestObject) => boolean): Promise<TestObject>
  /** Runs `act` and waits for the deletion of the object at the path, after resourceVersion `since` (absent: from now on). */
  gone(path: string, act: () => Promise<unknown>, since?: string): Promise<void>
  /** Deletes an object and ignores the response. */
  remove(path: string, propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'): Promise<void>
}

const collectionOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** An in-process server with the given controllers (absent: all), closed at the end of the test. */
export async function start(t: TestContext, options: Partial<EmbeddedOptions> = {}): Promise<TestServer> {
  const { api } = await startInProcess(options, t)
  // Admission waits only a second for the account of a pod, which is not enough on a busy machine.
  if (options.controllers === undefined || options.controllers.includes('serviceaccount'))
    await eventually('the default service account', async () => (await api.get(defaultAccount)).status === 200)

  async function watching<T>(path: string, resourceVersion: string | undefined, use: (watch: WatchReader) => Promise<T>): Promise<T> {
    const query = { fieldSelector: `metadata.name=${nameOf(path)}`, ...(resourceVersion && { resourceVersion }) }
    const watch = await watchAt(api.fetch, collectionOf(path), query)
    try {
      return await use(watch)
    } finally {
      await watch.close()
    }
  }

  return {
    ...api,
    reached: (path, wanted) =>
      watching(path, undefined, async (watch) => {
        for (;;) {
          const { type, object } = await watch.object()
          if (type !== 'DELETED' && wanted(object)) return object
        }
      }),
    async gone(path, act, since) {
      const from = since ?? (await api.list(collectionOf(path))).metadata.resourceVersion
      await watching(path, from, async (watch) => {
        await act()
        await watch.until(({ type }) => type === 'DELETED')
      })
    },
    async remove(path, propagationPolicy) {
      await api.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', ...(propagationPolicy && { propagationPolicy }) })
    },
  }
}

export const ownedBy = (owner: TestObject, more: object = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
})

export const owned = (name: string, owners: readonly object[], metadata: object = {}) =>
  configMap(name, {}, { ownerReferences: owners, ...metadata })

export const ownersOf = (object: TestObject) =>
  ((object.metadata as { ownerReferences?: readonly { name: string }[] }).ownerReferences ?? []).map(({ name }) => name)
