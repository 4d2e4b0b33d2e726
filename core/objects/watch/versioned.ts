/**
 * The objects of a resource in one of its versions, over a store that holds them in any version. The only place that converts between stored
 * and requested versions, possibly asynchronously: verbs and registry see only their own version.
 */

import { unreasoned } from '../../answers/status.ts'
import { filterInSlices } from '../../common/slices.ts'
import type { Context } from '../../ports.ts'
import { type ApiObject, apiVersionOf, type Converter, type ResourceDefinition } from '../../resources/definition.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { HookContext, Message } from '../../schema/model.ts'
import { createCodec, type Printed } from '../storage/codec.ts'
import { type Swap, shownEntry } from '../storage/object-store.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { Change } from './change.ts'
import { createEntryVersions } from './entry-versions.ts'
import type { FeedList, FeedQuery, Subscriber, WatchableStore } from './feed.ts'
import { inOrder } from './in-order.ts'

export interface VersionedOptions {
  /** The objects in their stored versions. */
  readonly base: WatchableStore
  /** The version that this store presents. */
  readonly definition: ResourceDefinition
  /** The version in which objects are written. */
  readonly stored: ResourceDefinition
  readonly converter: Converter
  /** Schemas of all versions, by `apiVersion`. */
  readonly schemaOf: (apiVersion: string) => Message | undefined
  readonly context: () => HookContext
}

/** Maximum cached selectors per list state. */
const rememberedSelectors = 4

export function createVersionedStore({ base, definition, stored, converter, schemaOf, context }: VersionedOptions): WatchableStore {
  const codec = createCodec(definition, { nameOf: base.keys.parse })
  const versions = createEntryVersions({ definition, storageVersion: apiVersionOf(stored), converter, schemaOf, codec, context })
  const storedCodec = definition === stored ? codec : createCodec(stored)
  const changes = new WeakMap<Change, Change>()
  /** Converted lists, by the base's cached list and selector. */
  const lists = new WeakMap<NonNullable<FeedList['kept']>, Map<string, Pick<FeedList, 'entries' | 'kept'>>>()

  async function printStored(value: Printed, caller: Context | undefined): Promise<Printed> {
    if (definition === stored) return value
    const [converted] = await converter.convert([value.object], apiVersionOf(stored), caller)
    try {
      return storedCodec.print(storedCodec.canonical(converted as ApiObject))
    } catch (error) {
      // Versions may require an embedded object at different places.
      throw error instanceof DecodeError ? unreasoned(error.message) : error
    }
  }

  /** The entries of a list that match the query. */
  async function chosen(found: FeedList, { matches, selector, slices, context: caller }: FeedQuery) {
    const known = found.kept && (lists.get(found.kept) ?? new Map())
    const isNamed = matches === undefined || selector !== undefined
    const before = isNamed ? known?.get(selector ?? '') : undefined
    if (before) return before
    const all = await (slices ? versions.convertInSlices(found.entries, slices, caller) : versions.convert(found.entries, caller))
    const entries = matches && slices ? await filterInSlices(all, slices, matches) : matches ? all.filter(matches) : all
    if (found.kept === undefined || known === undefined || !isNamed) return { entries }
    const made = { entries, kept: new Map() }
    if (known.size >= rememberedSelectors) known.clear()
    lists.set(found.kept, known.set(selector ?? '', made))
    return made
  }

  /** A selector applies to objects of this version, so all of the base's objects are converted. */
  async function list(query: FeedQuery): Promise<FeedList> {
    const { matches, selector: _selector, indexed: _indexed, limit = 0, ...whole } = query
    const found = await base.list(matches ? whole : query)
    const { entries, kept } = await chosen(found, query)
    if (matches && limit > 0 && entries.length > limit) {
      const page = entries.slice(0, limit)
      const { key } = page.at(-1) as StoredObject
      return { entries: page, revision: found.revision, next: base.keys.next(key, query.namespace) }
    }
    const { kept: _kept, ...rest } = found
    return { ...rest, entries, ...(kept && { kept }) }
  }

  /** The change in this version, shared by all watchers. */
  function changeOf(change: Change): Change {
    const before = changes.get(change)
    if (before) return before
    const previous = change.previous && versions.known(change.previous)
    const entry = change.deleted && previous ? previous.at(change.revision) : versions.known(change.entry)
    const made = new Change(entry as StoredObject, previous, change.deleted)
    changes.set(change, made)
    return made
  }

  /** Delivers changes after conversion, in order. */
  function converting(subscriber: Subscriber): Subscriber {
    const run = inOrder((error) => subscriber.end(error))
    return {
      changes(given, joined) {
        const needed = given.flatMap((change) =>
          changes.has(change) ? [] : [...(change.deleted ? [] : [change.entry]), ...(change.previous ? [change.previous] : [])],
        )
        let full = undefined as void | Promise<void>
        const told = run(
          // Other watches use the results too.
          () => versions.convert(needed, undefined),
          () => {
            full = subscriber.changes(given.map(changeOf), joined)
          },
        )
        return told ? told.then(() => full) : full
      },
      progress: (revision) =>
        run(
          () => undefined,
          () => subscriber.progress(revision),
        ),
      end: (error) =>
        run(
          () => undefined,
          () => subscriber.end(error),
        ),
    }
  }

  return {
    ...base,
    definition,
    canonical: codec.canonical,
    print: codec.print,
    shown: ({ namespace, name }, value, revision) => shownEntry(codec, base.keys.of(namespace, name), value, revision),
    list,
    known(of) {
      const entry = base.known(of)
      return entry && versions.known(entry)
    },
    get: (of, caller) => base.get(of, caller).then((entry) => entry && versions.one(entry, caller)),
    live(of, caller) {
      const found = base.live(of, caller)
      if (found instanceof Promise) return found.then((entry) => entry && versions.anew(entry, caller))
      return found && versions.anew(found, caller)
    },
    async preview(value, caller) {
      return definition === stored ? value : versions.preview((await printStored(value, caller)).object, caller)
    },
    async put(of, value, expected, lease, consent, guards): Promise<Swap> {
      const caller = consent?.caller
      const swap = await base.put(of, await printStored(value, caller), expected, lease, consent, guards)
      if (swap.ok) {
        if (definition === stored) versions.note(swap.entry)
        return { ok: true, entry: await versions.one(swap.entry, caller) }
      }
      return { ok: false, ...(swap.current && { current: await versions.one(swap.current, caller) }) }
    },
    async delete(of, expected, caller) {
      const result = await base.delete(of, expected, caller)
      if (result.ok) return result
      return { ok: false, ...(result.current && { current: await versions.one(result.current, caller) }) }
    },
    // The base's objects are of another version, whose fields and labels may differ.
    subscribe: (after, { required: _required, ...scope }, subscriber) => base.subscribe(after, scope, converting(subscriber)),
  }
}
