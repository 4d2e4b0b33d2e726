import { respondEntry } from '../answers/rendering/respond.ts'
import { type ApiError, invalid, unreasoned } from '../answers/status.ts'
import { applyJsonPatch, tokensOf } from '../apply/json-patch.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { updateObject } from '../objects/registry/update.ts'
import type { View } from '../objects/registry/view.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import { type PatchFormat, patchFormat, patchFormatsOf } from '../request/media-type.ts'
import { type FieldValidation, readPatchOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { ConversionError } from '../schema/decode-error.ts'
import { quote } from '../schema/go/quote.ts'
import { shortJson } from '../schema/go/shorten.ts'
import { goText } from '../schema/go/text.ts'
import { isObject } from '../schema/json/is-object.ts'
import { clone, cloneMembers, get, set } from '../schema/json/members.ts'
import type { Json, JsonObject, Message } from '../schema/model.ts'
import { type ApplyFormat, apply } from './apply.ts'
import { applyFieldValidation, objectOf, parsePatch, type Refusal, receive } from './body.ts'
import { completed } from './completion.ts'
import { checkName, nameUndeterminable, requireName, validatePatchedIdentity } from './name.ts'
import { type Recorder, recorder, shown } from './ownership.ts'
import { conversionFault, withGoIntegers } from './patch/conversion.ts'
import { applyMergePatch } from './patch/merge-patch.ts'
import { applyStrategicMerge } from './patch/strategic-merge.ts'
import type { Services, Target, Verb } from './services.ts'
import { submitWrite, writeRequest } from './submission.ts'
import { dropManagedFields, ifTooLarge } from './too-large.ts'
import { mergedTypeCheck, patchedTypeCheck } from './type-meta.ts'

/** Applies a patch to a copy of the document, which shares with it what the patch does not reach. Parts of the patch are copied. */
type Patcher = (schema: Message, document: JsonObject, patch: Json) => Json

const patchers: { readonly [format in Exclude<PatchFormat, ApplyFormat>]: Patcher } = {
  'json-patch': (_schema, document, patch) => applyJsonPatch(document, patch),
  'merge-patch': (_schema, document, patch) => applyMergePatch(document, patch),
  'strategic-merge-patch': applyStrategicMerge,
}

/** Up to this many bytes, an object and its patch are within all bounds: known parts are not counted. */
const fewBytes = 64 * 1024

/** Maximum characters of a patched object in an error. */
const maxShown = 10 * 1024

/** 422 when the result is not an object of the kind. */
function unfit(object: string, why: string): ApiError {
  const message = `Invalid value: ${quote(object)}: ${why}`
  return invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }])
}

/** The error for a result that is not an object of the kind shows the result; of a strategic merge patch it shows the patch. */
function refusalOf(isStrategic: boolean, patch: Json, patched: Json): Refusal {
  if (isStrategic)
    return (_kind, why, error) =>
      error instanceof ConversionError ? unreasoned(why) : unfit(goText(patch), error ? conversionFault(error) : why)
  return (_kind, why) => unfit(shortJson(sorted(patched, Array.isArray(patch) ? containersOf(patch) : patch), maxShown), why)
}

/** The objects that the operations of a JSON patch go through, as an object of the same structure. */
function containersOf(operations: readonly Json[]): JsonObject {
  const root: JsonObject = {}
  for (const operation of operations) {
    const { path, from } = operation as JsonObject
    for (const pointer of [path, from]) {
      let container = root
      for (const name of typeof pointer === 'string' ? tokensOf(pointer).slice(1, -1) : []) {
        const inner = (get(container, name) ?? {}) as JsonObject
        set(container, name, inner)
        container = inner
      }
    }
  }
  return root
}

/** A patched object as the reference's patch library writes it: members by name in the objects that the patch has looked into, or brought along. */
function sorted(value: Json, patch: Json): Json {
  if (Array.isArray(value)) return Array.isArray(patch) ? value.map((item) => sorted(item, item)) : value
  if (!isObject(value) || !isObject(patch)) return value
  const inner = (name: string, member: Json) => (Object.hasOwn(patch, name) ? sorted(member, patch[name] as Json) : member)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, inner(name, member)]))
}

/**
 * Throws 400 when a patch takes the version away: the reference then decodes the result as its internal type, where no field has this name.
 */
function checkVersion(target: Target, patched: Json, validation: FieldValidation, refusal: Refusal): void {
  const { origin, kind } = target.view.body
  if (origin?.typeMeta === 'explicit' || !isObject(patched) || (patched['apiVersion'] ?? '') !== '') return
  if ((patched['kind'] ?? '') !== '' && patched['kind'] !== kind) return
  const fields = Object.keys(patched).filter((name) => name !== 'kind' && name !== 'apiVersion')
  const faults = fields.sort().map((name) => `unknown field ${JSON.stringify(name)}`)
  applyFieldValidation(target, validation, faults, refusal)
  throw nameUndeterminable(target)
}

/**
 * Copies members of the stored object that a patch does not reach: defaults and admission may change them. They do not change those that the view keeps, and
 * replace managed fields.
 */
const copiedFor = (view: View) => (name: string, value: Json) => {
  if (view.keeps?.(name)) return value
  return name === 'metadata' ? cloneMembers(value as JsonObject, 'managedFields') : clone(value)
}

/** PATCH of one object or subresource: after a write conflict the patch is applied again to the current object. */
export const patch =
  ({ bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const { exchange, resource, view, namespace, name } = target
    const formats = patchFormatsOf(resource.definition.origin.strategicMerge, bodies.cbor)
    const format = patchFormat(exchange.request.headers.get('content-type'), formats)
    requireName(target)
    if (format === 'apply-patch' || format === 'apply-patch-cbor') return apply({ bodies, writes, answers }, target, format)
    const patcher = patchers[format]
    const isStrategic = format === 'strategic-merge-patch'
    const options = readPatchOptions(exchange.query, writes.platform, false)
    const submission = submitWrite(writes, target, 'UPDATE', options)
    const received = receive(bodies, target)
    const bytes = received instanceof Promise ? await received : received
    exchange.observer?.patched(bytes)
    submission.slices.reads(bytes.length)
    const { value: given, faults } = parsePatch(bytes, format, view.body.schema)
    const value = isStrategic ? withGoIntegers(given, view.body.schema) : given
    checkName(target)
    const paused = submission.slices.pause()
    if (paused) await paused

    function change(existing: ApiObject, entry: StoredObject, record: Recorder): MaybePromise<ApiObject> {
      exchange.span?.event('About to apply patch')
      const document = shown(writes, target, existing, view.base)
      const patched = patcher(view.body.schema, document as JsonObject, value)
      const isStored = document === existing && view.body.schema === resource.store.definition.schema
      const known = isStored && entry.size + bytes.length < fewBytes && entry.isDecodedCanonical ? document : undefined
      return then(submission.slices.pause(), () => convert(existing, patched, known, record))
    }

    /** The patched object as one of the kind. `known`: the document, if it is known to be canonical. */
    function convert(existing: ApiObject, patched: Json, known: ApiObject | undefined, record: Recorder): MaybePromise<ApiObject> {
      const refusal = refusalOf(isStrategic, value, patched)
      if (!isStrategic) checkVersion(target, patched, options.fieldValidation, refusal)
      const unchanged = known as JsonObject | undefined
      const body = { value: patched, faults, sorted: true, omitsKeys: isStrategic, known: unchanged, copied: copiedFor(view) } as const
      const check = isStrategic ? mergedTypeCheck : patchedTypeCheck(refusal)
      const result = objectOf(body, view.body, bytes, writes.platform, refusal, check)
      const found = isStrategic ? [...faults, ...result.faults.slice(faults.length).sort()] : result.faults
      applyFieldValidation(target, options.fieldValidation, found, refusal)
      validatePatchedIdentity(target, result.object)
      exchange.span?.event('About to check admission control')
      return then(submission.slices.pause(), () => completed(writes, target, result.object, submission, existing, record, known))
    }

    const write = (record: Recorder) => {
      const changes = { view, change: (existing: ApiObject, entry: StoredObject) => change(existing, entry, record) }
      return updateObject(resource, namespace, name, changes, writeRequest(writes, target, submission))
    }
    const record = recorder(writes, target, options.fieldManager)
    const entry = await ifTooLarge(
      () => write(record),
      () => write(dropManagedFields),
    )
    exchange.span?.event('Object stored in database')
    const rested = submission.slices.pause()
    if (rested) await rested
    return respondEntry(answers, target, entry)
  }
