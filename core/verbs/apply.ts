import { ApiError, badRequest, conflict, invalid } from '../answers/status.ts'
import { unconvertible, unversionable } from '../apply/ownership.ts'
import { append } from '../common/lists.ts'
import { updateObject } from '../objects/registry/update.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import { parseJson } from '../request/json.ts'
import { readPatchOptions } from '../request/options.ts'
import { parseYaml } from '../request/yaml.ts'
import { type ApiObject, apiVersionOf } from '../resources/definition.ts'
import { checkParts } from '../schema/decode-budget.ts'
import { ConversionError, DecodeError, ExceededBounds } from '../schema/decode-error.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import { openBrace } from '../schema/json/bytes.ts'
import { isObject } from '../schema/json/is-object.ts'
import { clone } from '../schema/json/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { validateNulls } from '../schema/openapi/open-nulls.ts'
import { jsonType } from '../schema/scalars.ts'
import { objectOf, type Refusal, receive } from './body.ts'
import { cborConfiguration } from './cbor-body.ts'
import { completed } from './completion.ts'
import { updateOrCreate, type Wanted } from './creation.ts'
import { checkName, validatePatchedIdentity } from './name.ts'
import { afterApply } from './ownership.ts'
import { conversionFault, withGoIntegers } from './patch/conversion.ts'
import type { Services, Target } from './services.ts'
import { submitWrite, writeRequest } from './submission.ts'

/** Apply bodies are declared as YAML, but are usually JSON, which is faster to parse. */
function parse(bytes: Uint8Array): { value: Json; duplicates: readonly string[] } {
  if (bytes[0] === openBrace) {
    try {
      const parsed = parseJson(bytes, { duplicates: true, isYaml: true })
      if (parsed.duplicates.length === 0) return parsed
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  try {
    return parseYaml(bytes, { duplicates: true })
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === 'BadRequest')
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

function boundParts(value: JsonObject): void {
  try {
    checkParts(value)
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(`error decoding YAML: ${error.message}`) : error
  }
}

export type ApplyFormat = 'apply-patch' | 'apply-patch-cbor'

const parsers: { readonly [format in ApplyFormat]: typeof parse } = {
  'apply-patch': parse,
  'apply-patch-cbor': (bytes) => ({ value: cborConfiguration(bytes), duplicates: [] }),
}

/** The applied object. Throws 400. */
function configuration(value: Json): JsonObject {
  if (isObject(value)) {
    boundParts(value)
    return value
  }
  if (value === null) throw badRequest('invalid object type: /, Kind=')
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
  )
}

/** PATCH with an applied configuration (API conventions, 'Server-side apply'); creates a missing object. */
export async function apply(
  { bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>,
  target: Target,
  format: ApplyFormat,
): Promise<Response> {
  const { exchange, resource, view, namespace, name } = target
  const options = readPatchOptions(exchange.query, writes.platform, true)
  const { fieldValidation } = options
  const bytes = await receive(bodies, target)
  exchange.observer?.patched(bytes)
  const submission = submitWrite(writes, target, 'UPDATE', options)
  submission.slices.reads(bytes.length)
  const { value, duplicates } = parsers[format](bytes)
  checkName(target)
  const applied = configuration(value)
  await submission.slices.pause()
  let warned = false

  function checkDuplicates(): void {
    if (duplicates.length === 0 || fieldValidation === 'Ignore' || warned) return
    if (fieldValidation === 'Strict') {
      const lines = duplicates.join('\n  ')
      throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${lines}`)
    }
    append(exchange.warnings, duplicates)
    warned = true
  }

  /** The result as an object of the kind. As in the reference, whole numbers wrap around, and what does not fit is an error of the server. */
  function converted(merged: JsonObject): ApiObject {
    const convert = (value: Json, refusal: Refusal) => objectOf({ value, faults: [] }, view.body, bytes, writes.platform, refusal).object
    const type = { apiVersion: apiVersionOf(view.body), kind: view.body.kind }
    let fits = true
    try {
      return convert(merged, (_kind, why) => {
        fits = false
        return badRequest(why)
      })
    } catch (error) {
      if (fits) throw error
      const numbers = withGoIntegers(clone(merged), view.body.schema)
      return convert(numbers, (_kind, why, fault) => {
        if (fault instanceof ExceededBounds) return badRequest(why)
        if (fault instanceof ConversionError) return unversionable(type, applied, why)
        return unconvertible(type, applied, fault ? conversionFault(fault) : why)
      })
    }
  }

  /** The object, with what `completed` needs. */
  async function result(existing: ApiObject | undefined): Promise<Wanted> {
    exchange.span?.event('About to apply patch')
    const { merged, isStamped } = await afterApply(writes, target, existing, applied, options, submission.slices)
    checkDuplicates()
    await submission.slices.pause()
    const errors = new FieldErrors()
    validateNulls(view.body.schema, merged, FieldPath.root, errors)
    if (errors.count > 0) throw invalid(view.body, name, errors.list)
    const object = converted(merged)
    validatePatchedIdentity(target, object)
    await submission.slices.pause()
    return { object, record: () => isStamped }
  }

  const change = (existing: ApiObject) =>
    result(existing).then(({ object, record }) => completed(writes, target, object, submission, existing, record))

  async function created(): Promise<Wanted> {
    const wanted = await result(undefined)
    const { uid } = wanted.object.metadata
    if (uid)
      throw conflict(
        resource.groupResource,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      )
    return wanted
  }

  async function update(): Promise<StoredObject> {
    const entry = await updateObject(resource, namespace, name, { view, change }, writeRequest(writes, target, submission))
    exchange.span?.event('Object stored in database')
    return entry
  }

  return updateOrCreate({ writes, answers }, target, options, update, created)
}
