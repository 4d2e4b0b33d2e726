/** A small client for objects of one kind. */
import { type OptionType, oneOf, type RowsOf, record, text } from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import type { Send } from '../call.ts'
import { ApiFailure } from './failure.ts'
import { objectIn } from './json-copy.ts'
import { itemsOf } from './list-items.ts'
import { applyObject } from './manifests.ts'
import type { TestObject } from './server.ts'
import { type WatchEvent, watchCollection } from './watch.ts'

/** Query parameters of the API: `labelSelector`, `fieldSelector`, `propagationPolicy`, `dryRun` and so on. */
export type Query = { readonly [name: string]: string }

/** An object to write; `apiVersion` and `kind` may be omitted. */
export type Draft<T extends object> = Partial<T>

/** A configuration to apply: any part of an object. */
export type Applied<T> = T extends readonly (infer I)[] ? Applied<I>[] : T extends object ? { [K in keyof T]?: Applied<T[K]> } : T

/** Milliseconds to wait for an object: less than test runners give a test, or they would end it without the reason. */
const defaultTimeout = 4_000

/** Maximum characters of an object in an error message. */
const maxShown = 4_000

/** An object for an error message, without managed fields, which are long. */
function shown(object: object | undefined): string {
  if (object === undefined) return 'it does not exist'
  const text = JSON.stringify(object, (name, value: unknown) => (name === 'managedFields' ? undefined : value))
  return `last seen as ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`
}

export interface PatchOptions {
  /** Default: `json` for a list of operations, otherwise `merge`. Custom resources have no strategic patches. */
  readonly type?: keyof typeof patchTypes
  /** Such as `status` or `scale`. */
  readonly subresource?: string
  /** Further parameters, such as `{ fieldValidation: 'Strict' }`. */
  readonly query?: Query
}

/** Media types of patches. */
const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const

const patchRows = {
  type: oneOf(Object.keys(patchTypes)) as OptionType<keyof typeof patchTypes>,
  subresource: text,
  query: record(text),
} satisfies RowsOf<PatchOptions>

/**
 * All methods reject with an ApiFailure when the server responds with an error. Writes are validated strictly: an unknown field is an error,
 * except with `{ fieldValidation: 'Warn' }` or `'Ignore'` as query.
 */
export interface ObjectClient<T extends object, Written extends object = Draft<T>> {
  /** The object of this name; an error with status 404 when there is none. */
  get(name: string, query?: Query): Promise<T>
  /** All objects, of one namespace or of all; the query selects, such as `{ labelSelector: 'app=shop' }`. */
  list(query?: Query): Promise<T[]>
  /** Creates an object, and returns it as it was stored. */
  create(object: Written, query?: Query): Promise<T>
  /** PUT; fails with a conflict when `resourceVersion` is set and outdated. */
  update(object: Written, query?: Query): Promise<T>
  /** Server-side apply with force: takes over fields of other managers. */
  apply(object: Applied<Written>, fieldManager?: string): Promise<T>
  /**
   * A JSON merge patch (RFC 7396), a JSON patch (RFC 6902) when `change` is a list of operations, or with `type: 'strategic'` a strategic merge
   * patch. A text instead of options is a subresource.
   */
  patch(name: string, change: object, options?: PatchOptions | string): Promise<T>
  /** Deletes an object; one with finalizers stays until they are removed. */
  delete(name: string, query?: Query): Promise<void>
  /** Watches from now, or from `resourceVersion` in the query. Leaving the `for await` loop, or aborting `signal`, ends the watch. */
  watch(query?: Query, signal?: AbortSignal): AsyncGenerator<WatchEvent<T>, void, undefined>
  /**
   * Waits with a watch until `wanted` returns true for the object. Rejects after `timeout` milliseconds (default 4,000, less than the 5 s of test runners) with the object as
   * last seen, and when the watch ends, as when the server is closed or restored.
   */
  until(name: string, wanted: (object: T) => boolean, timeout?: number): Promise<T>
  /** Waits until the object is deleted; rejects as `until` does. */
  gone(name: string, timeout?: number): Promise<void>
}

/** How a client calls its server. */
export interface Caller {
  readonly send: Send
  /** Path of a kind's collection. Rejects when the kind is not served. */
  collectionPath(apiVersion: string, kind: string, namespace?: string): Promise<string>
}

const noOptions: PatchOptions = {}

function withQuery(path: string, query: Query | undefined): string {
  const search = query === undefined ? '' : new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

/** The target of a write. Fields that the schema does not have are refused, unless a query says otherwise: a typo in a test must not go unnoticed. */
const strictly = (path: string, query: Query | undefined) =>
  query === undefined ? `${path}?fieldValidation=Strict` : withQuery(path, { fieldValidation: 'Strict', ...query })

/** The client of a kind. `namespace` is ignored for cluster-scoped kinds. */
export function objectClient<T extends object>(
  caller: Caller,
  apiVersion: string,
  kind: string,
  namespace?: string,
): ObjectClient<T, object> {
  const { send } = caller
  const path = async (...parts: readonly string[]) => {
    const collection = await caller.collectionPath(apiVersion, kind, namespace)
    return parts.length === 0 ? collection : `${collection}/${parts.join('/')}`
  }
  const complete = (object: object) => ({ apiVersion, kind, ...object }) as unknown as TestObject
  const nameOf = (object: object) => complete(object).metadata?.name ?? ''

  /** The response to a request, without an error. */
  async function answer(method: string, target: string, body?: object, type = 'application/json'): Promise<Response> {
    const response = await send(body ? { method, target, headers: ['content-type', type], body: JSON.stringify(body) } : { method, target })
    if (!response.ok) throw await ApiFailure.of(response)
    return response
  }

  const call = async (...asked: Parameters<typeof answer>): Promise<unknown> => {
    const response = await answer(...asked)
    return objectIn(response) ?? JSON.parse(await response.text())
  }

  /** Watches one object; `reached` is called with its current state first, undefined while it does not exist. */
  async function follow(name: string, reached: (object: T | undefined) => boolean, timeout: number): Promise<T | undefined> {
    const late = new AbortController()
    // Unlike AbortSignal.timeout, this timer keeps the process alive, which may have no other pending work.
    const timer = setTimeout(() => late.abort(), timeout)
    try {
      return await followUntil(name, reached, timeout, late.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  async function followUntil(name: string, reached: (object: T | undefined) => boolean, timeout: number, signal: AbortSignal) {
    const fieldSelector = `metadata.name=${name}`
    const { items, metadata } = (await call('GET', withQuery(await path(), { fieldSelector }))) as {
      items: T[]
      metadata: { resourceVersion: string }
    }
    let last = items[0]
    if (reached(last)) return last
    for await (const { type, object } of client.watch({ fieldSelector, resourceVersion: metadata.resourceVersion }, signal)) {
      if (type === 'BOOKMARK') continue
      last = type === 'DELETED' ? undefined : object
      if (reached(last)) return last
    }
    const why = signal.aborted ? `condition not met within ${timeout} ms` : 'the watch ended before the condition was met'
    throw new Error(`${kind} ${name}: ${why}; ${shown(last)}`)
  }

  const client: ObjectClient<T, object> = {
    get: async (name, query) => (await call('GET', withQuery(await path(name), query))) as T,
    list: async (query) => (await itemsOf(await answer('GET', withQuery(await path(), query)))) as T[],
    create: async (object, query) => (await call('POST', strictly(await path(), query), complete(object))) as T,
    update: async (object, query) => (await call('PUT', strictly(await path(nameOf(object)), query), complete(object))) as T,
    apply: async (object, fieldManager = 'test') =>
      (await applyObject(send, await path(nameOf(object)), complete(object), fieldManager)) as T,
    async patch(name, change, given = noOptions) {
      const options = typeof given === 'string' ? { subresource: given } : given
      if (options !== noOptions) validateOptions('patch', patchRows, options)
      const { type = Array.isArray(change) ? 'json' : 'merge', subresource, query } = options
      const target = await path(name, ...(subresource ? [subresource] : []))
      return (await call('PATCH', strictly(target, query), change, patchTypes[type])) as T
    },
    delete: async (name, query) => void (await call('DELETE', withQuery(await path(name), query))),
    async *watch(query, signal) {
      yield* watchCollection<T>(send, await path(), query, signal)
    },
    until: async (name, wanted, timeout = defaultTimeout) =>
      (await follow(name, (object) => object !== undefined && wanted(object), timeout)) as T,
    gone: async (name, timeout = defaultTimeout) => void (await follow(name, (object) => object === undefined, timeout)),
  }
  return client
}
