/** Connects requests to field ownership: manager, version and subresource of a write. */
import { objectAtom } from '../apply/atom.ts'
import { blankOf } from '../apply/blank.ts'
import { noFields } from '../apply/field-set.ts'
import { decodeManagers } from '../apply/managers.ts'
import { applyManaged, checkApply, updateManaged, type Writing } from '../apply/ownership.ts'
import { parentEntries, type ReplicasPath, scaleEntries } from '../apply/scale.ts'
import type { Versions } from '../apply/scope.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import type { Slices } from '../common/slices.ts'
import type { Clock } from '../ports.ts'
import { managerOf } from '../request/options.ts'
import { fromStorageVersion, throughStorageVersion } from '../resources/converter.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import { canonicalise } from '../schema/decode.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { keepCleared } from './body.ts'
import { type ConvertNow, noConversion, withConversions } from './conversions.ts'
import type { Target, WriteServices } from './services.ts'

/**
 * Sets the managed fields of an object before admission; `existing` is the stored object. Returns whether the object is stamped: an entry got the
 * time of this write, as `AdmissionAttributes.isStamped` wants it.
 */
export type Recorder = (object: ApiObject, existing: ApiObject | undefined) => MaybePromise<boolean>

/** The definition of the target's objects in another version; managed fields may name versions that are not served any more. */
export function definitionIn(
  { table }: WriteServices,
  { resource: { definition } }: Target,
  apiVersion: string,
): ResourceDefinition | undefined {
  return apiVersionOf(definition) === apiVersion ? definition : table.definitionIn(definition, apiVersion)
}

/** Writes through the core group know no other group's types and vice versa: they drop what is owned in those, such as fields of events. */
const isCore = (apiVersion: string) => !apiVersion.includes('/')

function versionsOf(writes: WriteServices, target: Target, convert: ConvertNow): Versions {
  const { body, read } = target.view
  const own = apiVersionOf(body)
  return {
    atom(apiVersion) {
      if (apiVersion === own) return objectAtom(body.schema)
      const isKnown = !read && isCore(apiVersion) === isCore(own)
      const definition = isKnown ? definitionIn(writes, target, apiVersion) : undefined
      return definition && objectAtom(definition.schema)
    },
    convert(object, from, to) {
      const [source, result] = [definitionIn(writes, target, from), definitionIn(writes, target, to)]
      if (source === undefined || result === undefined) throw new Error(`no conversion from ${from} to ${to}`)
      const given = canonicalise(source.schema, object, { root: true }) as ApiObject
      return canonicalise(result.schema, convert(given, to) as Json, { root: true })
    },
  }
}

/** Says whether the time of a write was asked for. Custom resources hold it as text, which has no fractions of a second. */
class Stamp {
  #isUsed = false
  readonly #clock: Clock

  constructor({ clock }: WriteServices) {
    this.#clock = clock
  }

  readonly now = (): number => {
    this.#isUsed = true
    return this.#clock.now()
  }

  isOn({ origin: { definedBy } }: ResourceDefinition): boolean {
    return this.#isUsed && definedBy === undefined
  }
}

function writingOf(writes: WriteServices, target: Target, manager: string, { now }: Stamp, convert: ConvertNow): Writing {
  const { view } = target
  return {
    platform: writes.platform,
    kind: view.body.kind,
    apiVersion: apiVersionOf(view.body),
    subresource: view.name,
    manager,
    now,
    reset: view.reset ?? noFields,
    blank: blankOf(view.body.schema),
    versions: versionsOf(writes, target, convert),
  }
}

const replicasIn =
  (writes: WriteServices, target: Target): ReplicasPath =>
  (apiVersion) =>
    definitionIn(writes, target, apiVersion)?.scale?.specReplicas

function withEntries<T extends ApiObject>(object: T, entries: Json[] | undefined): T {
  if (entries === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = entries
  return object
}

/** The stored object as the target's view presents it, with the managed fields of that view. */
export function shown(writes: WriteServices, target: Target, existing: ApiObject, read = target.view.read): ApiObject {
  if (!read) return fromStorageVersion(target.resource.definition, existing)
  return withEntries(read(existing), scaleEntries(existing.metadata.managedFields, replicasIn(writes, target)))
}

/** Managed fields of the stored object after a write through the view. */
function ofParent(writes: WriteServices, target: Target, existing: ApiObject | undefined, entries: Json[] | undefined): Json[] | undefined {
  if (!target.view.read || existing === undefined) return entries
  return parentEntries(existing.metadata.managedFields, entries, apiVersionOf(target.resource.definition), replicasIn(writes, target))
}

/** Returns the recorder for a create, update or patch of this target. */
export function recorder(writes: WriteServices, target: Target, fieldManager: string): Recorder {
  const manager = managerOf(fieldManager, target.exchange.request.headers.get('user-agent') ?? '')
  const { definition } = target.resource
  return (object, existing) => {
    const live = existing && shown(writes, target, existing)
    const written = target.view.read ? object : keepCleared(throughStorageVersion(definition, object), object as Json as JsonObject)
    const stamp = new Stamp(writes)
    const record = (convert: ConvertNow) =>
      updateManaged(writingOf(writes, target, manager, stamp, convert), live as JsonObject | undefined, written as JsonObject)
    const finish = (entries: Json[] | undefined) => {
      withEntries(object, ofParent(writes, target, existing, entries))
      return stamp.isOn(definition)
    }
    return then(withConversions(definition.versioning?.converter, target.exchange, record), finish)
  }
}

/**
 * Result of an apply, as parsed value with managed fields, and whether it is stamped; pauses between its halves. Throws 400, 409, 500.
 */
export async function afterApply(
  writes: WriteServices,
  target: Target,
  existing: ApiObject | undefined,
  applied: JsonObject,
  { fieldManager, force }: { readonly fieldManager: string; readonly force: boolean },
  slices: Pick<Slices, 'pause'>,
): Promise<{ readonly merged: JsonObject; readonly isStamped: boolean }> {
  const live = existing && shown(writes, target, existing)
  const { definition } = target.resource
  const stamp = new Stamp(writes)
  const writing = (convert: ConvertNow) => writingOf(writes, target, fieldManager, stamp, convert)
  const checked = checkApply(writing(noConversion), live as JsonObject | undefined, applied)
  await slices.pause()
  const merge = (convert: ConvertNow) => applyManaged(writing(convert), checked, force)
  const object = await withConversions(definition.versioning?.converter, target.exchange, merge)
  const isStamped = stamp.isOn(definition)
  const metadata = object['metadata'] as ApiObject['metadata']
  const entries = ofParent(writes, target, existing, metadata.managedFields)
  if (entries === metadata.managedFields) return { merged: object, isStamped }
  const { managedFields: _, ...rest } = metadata
  return { merged: { ...object, metadata: { ...rest, ...(entries && { managedFields: entries }) } as JsonObject }, isStamped }
}

/** Restores managed fields that admission has made invalid, and warns. */
export function keepReadable({ exchange }: Target, { metadata }: ApiObject, before: Json[] | undefined): void {
  if (metadata.managedFields === before) return
  try {
    decodeManagers(metadata.managedFields)
  } catch (error) {
    if (before === undefined) delete metadata.managedFields
    else metadata.managedFields = before
    exchange.warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${(error as Error).message}`,
    )
  }
}
