import type { MaybePromise } from '../../common/maybe-promise.ts'
import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { Context } from '../../ports.ts'
import { type ApiObject, apiVersionOf, type Converter, type ResourceDefinition } from '../../resources/definition.ts'
import { sameBytes } from '../../schema/bytes.ts'
import { DecodeError, withoutMalformed } from '../../schema/decode.ts'
import { applyDefaults } from '../../schema/defaults.ts'
import type { HookContext, Json, Message } from '../../schema/model.ts'
import type { Codec, Printed } from '../storage/codec.ts'
import type { StoredObject } from '../storage/stored-object.ts'

/** Converts entries from their stored versions to one version of the resource, each once. */
export interface EntryVersions {
  /** In the given order; a plain value unless a conversion is asynchronous. `caller`: as in `Converter.convert`. */
  convert(entries: readonly StoredObject[], caller: Context | undefined): MaybePromise<readonly StoredObject[]>
  /** As `convert`, yielding between slices. */
  convertInSlices(entries: readonly StoredObject[], slices: Slices, caller: Context | undefined): Promise<readonly StoredObject[]>
  /** As `convert`, for one entry. */
  one(entry: StoredObject, caller: Context | undefined): MaybePromise<StoredObject>
  /** As `one`, but asks a conversion webhook again: the same webhook may convert in another way by now. */
  anew(entry: StoredObject, caller: Context | undefined): MaybePromise<StoredObject>
  /** What reads of this version show of an object of the storage version, which is not stored. */
  preview(stored: ApiObject, caller: Context | undefined): Promise<Printed>
  /** The converted entry, if cached. */
  known(entry: StoredObject): StoredObject | undefined
  /** Marks the entry's bytes as complete in this version, because this server has just written them. */
  note(entry: StoredObject): void
}

export interface EntryVersionsOptions {
  /** The target version. */
  readonly definition: ResourceDefinition
  /** `apiVersion` of new writes. */
  readonly storageVersion: string
  readonly converter: Converter
  /** The schema of an `apiVersion`; undefined: the version does not exist any more. */
  readonly schemaOf: (apiVersion: string) => Message | undefined
  readonly codec: Codec
  readonly context: () => HookContext
}

/** State of a conversion: the results, and entries that need conversion with their index and object. */
interface Conversion {
  readonly result: StoredObject[]
  readonly others: (readonly [entry: StoredObject, index: number])[]
  readonly objects: ApiObject[]
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise

export function createEntryVersions(options: EntryVersionsOptions): EntryVersions {
  const { definition, storageVersion, converter, schemaOf, codec, context } = options
  const apiVersion = apiVersionOf(definition)
  /** Keyed by bytes, because the watch delivers the written bytes again in another entry. */
  const complete = new WeakSet<Uint8Array>()
  /** Results of the converter. */
  const converted = new WeakSet<StoredObject>()

  const known = (entry: StoredObject) =>
    entry.version(codec) ?? (complete.has(entry.json) ? entry.setVersion(codec, entry.json, false) : undefined)

  /** Applies defaults that were added after the object was stored. Changes the object. */
  function withDefaults(object: ApiObject, schema: Message): ApiObject {
    applyDefaults(schema, object as Json, context())
    object.metadata.generation ||= 1
    return object
  }

  /** Drops fields that this version does not have, and invalid metadata. */
  function canonical(given: ApiObject): ApiObject {
    // Objects that outlived a definition of the same resource may have its kind.
    const object: ApiObject = given.kind === definition.kind ? given : { ...given, kind: definition.kind }
    try {
      return codec.canonical(object)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return codec.canonical(withoutMalformed(definition.schema, object as Json) as ApiObject)
    }
  }

  function completed(entry: StoredObject, object: ApiObject, storedIn: string): StoredObject {
    const bytes = codec.show(codec.print(canonical(object)), entry.revision)
    if (sameBytes(bytes, entry.json)) return entry.setVersion(codec, entry.json, apiVersion !== storageVersion)
    return entry.setVersion(codec, bytes, apiVersion === storageVersion || storedIn !== storageVersion)
  }

  /** A stored object of another version as it is given to the converter: defaults come from the version in which it is stored. */
  function toConvert(object: ApiObject): ApiObject {
    const schema = schemaOf(object.apiVersion)
    return schema ? withDefaults(object, schema) : object
  }

  /** The entry of a conversion's result, cached. */
  function settled(entry: StoredObject, object: ApiObject, storedIn: string): StoredObject {
    const result = completed(entry, structuredClone(object), storedIn)
    converted.add(result)
    return result
  }

  function begin({ result, others, objects }: Conversion, entry: StoredObject, index: number): void {
    const found = known(entry)
    if (found !== undefined) {
      result[index] = found
      return
    }
    const object = entry.copy()
    if (object.apiVersion === apiVersion) {
      result[index] = completed(entry, withDefaults(object, definition.schema), apiVersion)
      return
    }
    others.push([entry, index])
    objects.push(toConvert(object))
  }

  function finish({ result, others, objects }: Conversion, object: ApiObject, at: number): void {
    const [entry, index] = others[at] as Conversion['others'][number]
    result[index] = known(entry) ?? settled(entry, object, objects[at]?.apiVersion ?? '')
  }

  function convert(entries: readonly StoredObject[], caller: Context | undefined): MaybePromise<readonly StoredObject[]> {
    const conversion: Conversion = { result: new Array(entries.length), others: [], objects: [] }
    for (const [index, entry] of entries.entries()) begin(conversion, entry, index)
    if (conversion.objects.length === 0) return conversion.result
    const finishAll = (results: readonly ApiObject[]) => {
      for (const [at, object] of results.entries()) finish(conversion, object, at)
      return conversion.result
    }
    const results = converter.convert(conversion.objects, apiVersion, caller)
    return isPromise(results) ? results.then(finishAll) : finishAll(results)
  }

  async function convertInSlices(
    entries: readonly StoredObject[],
    slices: Slices,
    caller: Context | undefined,
  ): Promise<readonly StoredObject[]> {
    const conversion: Conversion = { result: new Array(entries.length), others: [], objects: [] }
    await eachInSlices(entries, slices, (entry, index) => begin(conversion, entry, index))
    if (conversion.objects.length === 0) return conversion.result
    const results = await converter.convert(conversion.objects, apiVersion, caller)
    await eachInSlices(results, slices, (object, at) => finish(conversion, object, at))
    return conversion.result
  }

  function one(entry: StoredObject, caller: Context | undefined): MaybePromise<StoredObject> {
    const found = known(entry)
    if (found !== undefined) return found
    const results = convert([entry], caller)
    return isPromise(results) ? results.then(([only]) => only as StoredObject) : (results[0] as StoredObject)
  }

  /** The cached result stays until it is replaced: others may be about to use it. */
  async function convertedAnew(entry: StoredObject, caller: Context | undefined): Promise<StoredObject> {
    const object = toConvert(entry.copy())
    const [result] = await converter.convert([object], apiVersion, caller)
    return settled(entry, result as ApiObject, object.apiVersion)
  }

  return {
    convert,
    convertInSlices,
    known,
    one,
    anew(entry, caller) {
      const found = converter.now === undefined ? known(entry) : undefined
      return found !== undefined && converted.has(found) ? convertedAnew(entry, caller) : one(entry, caller)
    },
    async preview(stored, caller) {
      const object = toConvert(structuredClone(stored))
      const [result] = await converter.convert([object], apiVersion, caller)
      return codec.print(canonical(structuredClone(result) as ApiObject))
    },
    note: ({ json }) => void complete.add(json),
  }
}
