/** The store suite inside a Durable Object: `GET /` lists its tests, and `POST /?test=NUMBER` runs one. */
import { type DurableObjectStorage, durableObjectDatabase } from '../../../runtimes/stores/sql/durable-object.ts'
import { sqlStore } from '../../../runtimes/stores/sql.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { declared } from './node-test-shim.ts'

interface Namespace {
  idFromName(name: string): object
  get(id: object): { fetch(request: Request): Promise<Response> }
}

export class Suite {
  readonly #storage: DurableObjectStorage

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage
    declared.length = 0
    storeConformance('store on DurableObject', () => this.#open(), 15)
  }

  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    if (request.method === 'GET') return Response.json(declared.map(({ title }) => title))
    try {
      await declared[Number(searchParams.get('test'))]?.run()
      return new Response('')
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }

  async #open() {
    for (const table of ['changes', 'leases', 'state']) this.#storage.sql.exec(`DROP TABLE IF EXISTS apiserver_${table}`)
    const store = sqlStore({ database: durableObjectDatabase(this.#storage) })
    return { store, close: () => store.close() }
  }
}

export default {
  fetch: (request: Request, { SUITE }: { readonly SUITE: Namespace }): Promise<Response> =>
    SUITE.get(SUITE.idFromName(new URL(request.url).search)).fetch(request),
}
