/** The stored objects of one resource, as verbs and the registry use them. The watch cache decorates it. */

import { tooLargeResourceVersion } from '../../answers/status.ts'
import type { Slices } from '../../common/slices.ts'
import type { Clock, Context, Guard, KeyValue, KeyValueStore, ListOptions, ListResult } from '../../ports.ts'
import { StoreError } from '../../ports.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { inPart, inSpan, slowOperation } from '../../tracing/span.ts'
import type { Codec, CodecOptions, Printed } from './codec.ts'
import { createCodec } from './codec.ts'
import type { Keys, ObjectName } from './keys.ts'
import { createKeys, keyAfter } from './keys.ts'
import { type StoreMetrics, unobserved } from './metrics.ts'
import { createRawCodec } from './raw-codec.ts'
import { RecentWrites } from './recent-writes.ts'
import { StoredObject } from './stored-object.ts'
import { createEntryReader, type EntryReader, type Skip } from './unreadable.ts'
import { WriteQueue } from './write-queue.ts'

export interface EntryList {
  readonly entries: readonly StoredObject[]
  readonly revision: number
  /** `from` of the next page, when the list was cut by a limit. */
  readonly next?: string
  /** Number of remaining entries, if known. */
  readonly remaining?: number
}

export interface EntryQuery {
  readonly namespace: string
  /** The only name that may match, from a field selector on metadata.name. */
  readonly name?: string
  readonly matches?: (entry: StoredObject) => boolean
  /** Yields the thread while filtering or converting many objects. Default: no yielding. */
  readonly slices?: Slices
  readonly limit?: number
  /** What `next` of the page before says; absent: all. It is a name, in lists of all namespaces `NAMESPACE/NAME`, or what is directly behind one. */
  readonly from?: string
  /** Absent: newest. */
  readonly at?: Freshness
  /** What the list is made for; absent: the server itself. */
  readonly context?: Context
  /** The entry of a value, if there is one already. */
  readonly known?: (key: string, revision: number) => StoredObject | undefined
  /** Called with each unreadable value, which the list then leaves out; absent: it is an error. */
  readonly unreadable?: Skip
}

/** How recent a list must be (API conventions, 'resourceVersion' and 'resourceVersionMatch'). `any` may lag behind acknowledged writes. */
export type Freshness = 'newest' | 'any' | { readonly atLeast: number } | { readonly exact: number }

/** Result of a compare-and-swap: the new entry, or the current one (absent: none). */
export type Swap = { readonly ok: true; readonly entry: StoredObject } | { readonly ok: false; readonly current?: StoredObject }

export interface WriteGuard {
  /** Called directly before a write is sent to the store; throws when the request has ended, for example at its deadline. Absent: no end. */
  proceed?(): void
  /** What the write is made for; absent: the server itself. */
  readonly caller?: Context | undefined
}

export interface ObjectStore {
  readonly definition: ResourceDefinition
  /** For what is below this store: the watch cache, and feeds of whole stores. */
  readonly keys: Keys
  /** Decodes stored values to entries. */
  readonly reader: EntryReader
  /** The store that has the objects: guards are keys of the same store. */
  readonly holder: KeyValueStore
  /** Runs `work` when the writers of the object before it are done (`WriteQueue.take`). */
  inTurn<T>(of: ObjectName, caller: Context | undefined, work: (waited: boolean) => Promise<T>): Promise<T>
  /** The form in which objects are stored (`Codec.canonical`). */
  canonical(object: ApiObject, known?: ApiObject): ApiObject
  /** A canonical object as it is written. */
  print(canonical: ApiObject): Printed
  /** What a read would show of a value at this revision; without one: of an object that is not stored, whose resourceVersion may be any text. */
  shown(of: ObjectName, value: Printed, revision?: number | string): StoredObject
  /** The current object. */
  get(of: ObjectName, context?: Context): Promise<StoredObject | undefined>
  /** Rejects with 504 when the store has not reached `query.at`, and with a StoreError `compacted` when that revision is gone. */
  list(query: EntryQuery): Promise<EntryList>
  /** The revision of a stored value, and whether it is readable. */
  inspect(of: ObjectName): Promise<{ readonly revision: number; readonly readable: boolean } | undefined>
  /** How errors name the object: a dry run does not reach the store, which puts the prefix of all keys in front. */
  keyInErrors(of: ObjectName, isDryRun: boolean): string
  /** Number of objects in the store. */
  count(): Promise<number>
  /** Stores an object if the entry's revision is still `expected` (0: no entry). */
  put(of: ObjectName, value: Printed, expected: number, lease?: bigint, consent?: WriteGuard, guards?: readonly Guard[]): Promise<Swap>
  /** Lets a write of another object succeed only if this one still has the revision. */
  guard(of: ObjectName, revision: number): Guard
  /** What a read would show of a value if it were stored, for dry runs; differs from it where stored objects are converted. */
  preview(value: Printed, context: Context | undefined): Promise<Printed>
  delete(
    of: ObjectName,
    expected: number,
    context?: Context,
  ): Promise<{ readonly ok: true; readonly revision: number } | { readonly ok: false; readonly current?: StoredObject }>
}

export interface ObjectStoreOptions extends CodecOptions {
  /** See createEntryReader. */
  readonly namesUnreadable?: boolean
  /** Entries keep the version in which they are stored. */
  readonly anyVersion?: boolean
  /** For the time limit of writers that wait for their turn. */
  readonly clock?: Clock
  /** The store behind `store`, which guards are compared in; default: `store`. */
  readonly holder?: KeyValueStore
  readonly observer?: StoreMetrics
}

const pageSize = 500
/** Values from this size on are kept as stored, even if the store hands out copies of a larger buffer. */
const sharedSize = 16_384
/** What a read would show of a printed object (`ObjectStore.shown`). */
export const shownEntry = (codec: Codec, key: string, value: Printed, revision?: number | string): StoredObject =>
  new StoredObject(key, typeof revision === 'number' ? revision : 0, codec.show(value, revision), codec)

/** An object that is in no store. */
export function unstoredEntry(definition: ResourceDefinition, key: string, object: ApiObject): StoredObject {
  const codec = createCodec(definition)
  return shownEntry(codec, key, codec.print(codec.canonical(object)))
}

/** Reads and writes the store directly. */
export function createObjectStore(
  store: KeyValueStore,
  definition: ResourceDefinition,
  prefix: string,
  options: ObjectStoreOptions = {},
): ObjectStore {
  const { observer = unobserved() } = options
  const keys = createKeys(prefix, definition.storageKey, definition.namespaced)
  const coding = { ...options, nameOf: keys.parse }
  const plain = options.anyVersion ? createRawCodec(coding) : createCodec(definition, coding)
  const recent = new RecentWrites(plain)
  const codec: Codec = {
    ...plain,
    serve: (stored, revision, key = '') => recent.serve(key, stored, revision),
    ...(!options.anyVersion && { written: (key, bytes) => recent.written(key, bytes) }),
  }
  const keyOf = ({ namespace, name }: ObjectName) => keys.of(namespace, name)
  const holder = options.holder ?? store
  const queue = new WriteQueue(options.clock)
  const groupResource = { group: definition.group, resource: definition.names.plural }
  const isShared = (value: Uint8Array) =>
    (store.holdsValues === true || (value.length >= sharedSize && value.length === value.buffer.byteLength)) && codec.isServed(value)
  const reader = createEntryReader(
    ({ key, value, modRevision, isStale }) => {
      const isStored = isShared(value)
      const isCanonical = !options.anyVersion && recent.has(key, value)
      const bytes = isStored ? value : codec.serve(value, modRevision, key)
      return new StoredObject(key, modRevision, bytes, codec, { isStored, isCanonical, isStale })
    },
    groupResource,
    options.namesUnreadable ?? false,
    () => observer.undecodable(),
  )
  const entry = (kv: KeyValue) => reader.one(kv)

  async function list(query: EntryQuery): Promise<EntryList> {
    const { context } = query
    const about = { key: keys.pathOf(keys.prefix(query.namespace)), limit: query.limit ?? 0 }
    const span = context?.span?.start('List(recursive=true) etcd3', about)
    return context && span ? inSpan(context, span, (part) => pages({ ...query, context: part })) : pages(query)
  }

  async function pages(query: EntryQuery): Promise<EntryList> {
    const limit = query.limit ?? 0
    // As in the reference server, the remaining count is left out when a selector is used.
    const countable = query.matches === undefined && query.name === undefined
    const range = query.name === undefined || query.namespace === '' ? keys.prefix(query.namespace) : keys.of(query.namespace, query.name)
    const entries: StoredObject[] = []
    let [fetched, evaluated] = [0, 0]
    const listed = (list: EntryList): EntryList => {
      reading.finish()
      observer.listed(fetched, evaluated, entries.length)
      return list
    }
    const reading = reader.list(query.unreadable)
    let revision = await startRevision(query.at ?? 'newest', query.context)
    let from = keys.start(query)
    for (;;) {
      const options = {
        prefix: range,
        ...(from !== undefined && { from }),
        ...(limit > 0 && { limit: query.matches ? pageSize : limit - entries.length }),
        ...(revision !== undefined && { revision }),
      }
      const page = await read(options, query.context)
      revision = page.revision
      fetched += page.items.length
      for (const [index, kv] of page.items.entries()) {
        if (query.name !== undefined && keys.parse(kv.key).name !== query.name) continue
        const candidate = query.known?.(kv.key, kv.modRevision) ?? reading.read(kv)
        if (candidate === undefined) continue
        evaluated++
        if (query.slices?.over) await query.slices.next()
        if (query.matches && !query.matches(candidate)) continue
        entries.push(candidate)
        const more = page.more || index < page.items.length - 1
        if (limit > 0 && entries.length === limit && more) {
          return listed({ entries, revision, next: keys.next(kv.key, query.namespace), ...(countable && { remaining: page.remaining }) })
        }
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return listed({ entries, revision })
      from = keyAfter(last.key)
    }
  }

  async function read(options: ListOptions, context: Context | undefined): Promise<ListResult> {
    try {
      return await store.list(options, context)
    } catch (error) {
      const ahead = error instanceof StoreError && error.code === 'future-revision'
      throw ahead ? tooLargeResourceVersion(options.revision ?? 0, error.revision ?? (await store.currentRevision(context))) : error
    }
  }

  async function startRevision(at: Freshness, context: Context | undefined): Promise<number | undefined> {
    if (typeof at === 'string') return undefined
    if ('exact' in at) return at.exact
    const current = await store.currentRevision(context)
    if (current < at.atLeast) throw tooLargeResourceVersion(at.atLeast, current)
    return undefined
  }

  return {
    definition,
    keys,
    reader,
    canonical: codec.canonical,
    print: codec.print,
    shown: (of, value, revision) => shownEntry(codec, keyOf(of), value, revision),
    holder,
    inTurn: (of, caller, work) => queue.take(keyOf(of), caller, work),
    guard: (of, revision) => ({ key: keyOf(of), revision }),
    keyInErrors: (of, isDryRun) => (isDryRun ? keys.pathOf(keyOf(of)) : keyOf(of)),
    list,
    async inspect(of) {
      const { kv } = await store.get(keyOf(of))
      return kv && { revision: kv.modRevision, readable: reader.isReadable(kv) }
    },
    count: async () => store.count(keys.prefix('')),
    async get(of, context) {
      const { kv } = await store.get(keyOf(of), undefined, context)
      return kv && entry(kv)
    },
    put(of, value, expected, lease, consent, guards) {
      const key = keyOf(of)
      consent?.proceed?.()
      const caller = consent?.caller
      const span = caller?.span?.start(expected === 0 ? 'Create etcd3' : 'GuaranteedUpdate etcd3', {
        key: keys.pathOf(key),
        type: definition.kind,
        ...groupResource,
      })
      span?.event('About to Encode')
      const stored = codec.store(value)
      span?.event('Encode succeeded', { len: stored.length })
      recent.note(key, stored, value)
      const context = span && caller ? inPart(caller, span) : caller
      const written = store.put(key, stored, expected, lease, guards, context).then((result) => {
        span?.event(result.ok ? 'Txn call succeeded' : 'Txn call completed')
        if (result.ok) {
          const isStored = isShared(stored)
          const bytes = isStored ? stored : codec.serve(stored, result.revision, key)
          return { ok: true as const, entry: new StoredObject(key, result.revision, bytes, codec, { isStored }) }
        }
        return { ok: false as const, ...(result.current && { current: entry(result.current) }) }
      })
      return span ? written.finally(() => span.end(slowOperation)) : written
    },
    preview: async (value) => value,
    async delete(of, expected, context) {
      const result = await store.delete(keyOf(of), expected, context)
      if (result.ok) return result
      return { ok: false, ...(result.current && { current: entry(result.current) }) }
    },
  }
}
