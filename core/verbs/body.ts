import { type Format, jsonText } from '../answers/encode.ts'
import { ApiError, badRequest } from '../answers/status.ts'
import { append } from '../common/lists.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import type { Slices } from '../common/slices.ts'
import type { Platform } from '../platform.ts'
import { receiveBody } from '../request/body.ts'
import { type DeleteOptions, deleteOptionsOf, readDeleteOptions } from '../request/delete-options.ts'
import { mergedDuplicates, NumberRangeRefusal, parseJson, strictFaults, unrecognizedObject } from '../request/json.ts'
import { bodyShape } from '../request/json-faults.ts'
import { bodyFormat } from '../request/media-type.ts'
import type { FieldValidation } from '../request/options.ts'
import { parseYaml } from '../request/yaml.ts'
import type { ApiObject } from '../resources/definition.ts'
import { DeleteOptions as DeleteOptionsSchema } from '../resources/meta/options.ts'
import { decodeCbor } from '../schema/cbor/decode.ts'
import { readCborTypeMeta } from '../schema/cbor/type-meta.ts'
import { hookContext } from '../schema/cluster.ts'
import { canonicalise, DecodeError, decode } from '../schema/decode.ts'
import { checkParts, requestBounds } from '../schema/decode-budget.ts'
import { applyDefaults, hasDefaults } from '../schema/defaults.ts'
import { settle, settleOperations, settlePatch } from '../schema/go/spelled-number.ts'
import { isObject } from '../schema/json/is-object.ts'
import { clone } from '../schema/json/members.ts'
import type { Json, JsonObject, Message } from '../schema/model.ts'
import { decodeEnvelope, decodeProtobuf } from '../schema/protobuf/protobuf.ts'
import { cborFault, cborFaults, cborValue, readingCbor } from './cbor-body.ts'
import { firstFault } from './first-fault.ts'
import { operationFaults } from './patch/operation-faults.ts'
import type { BodyServices, Target } from './services.ts'
import { type BodyKind, checkOptionsType, checkType, type TypeCheck } from './type-meta.ts'

/** Builds the error for a malformed body of the right kind; `error` is what `why` describes, if it is not about unknown fields. */
export type Refusal = (kind: BodyKind, why: string, error?: DecodeError) => ApiError

/** A decoded body, and its strict decoding errors. */
export interface Body {
  readonly value: Json
  readonly faults: readonly string[]
  /** The value has no other owner: canonical parts need not be copied. */
  readonly isOwn?: true
  /** Unknown fields are sorted, not in the order of the text: in the reference, patches and YAML pass through maps, which Go writes sorted. */
  readonly sorted?: true
  /** Paths of unknown fields have no keys of maps: the reference converts the results of strategic merge patches without noting them. */
  readonly omitsKeys?: boolean
  /** `faults` has the unknown fields too. */
  readonly isStrict?: boolean
  /** A canonical object of the kind, with which the value shares parts; absent: it is not known to be canonical. */
  readonly known?: JsonObject | undefined
  /** Copies such a part. */
  readonly copied?: (name: string, value: Json) => Json
}

/** An empty list of managed fields (which resets ownership) differs from an absent one. */
export function keepCleared(object: ApiObject, { metadata }: JsonObject): ApiObject {
  const given = metadata !== undefined && isObject(metadata) ? metadata['managedFields'] : undefined
  if (Array.isArray(given) && given.length === 0) object.metadata.managedFields = []
  return object
}

/** Converts a parsed value to a canonical object of the kind. */
export function objectOf(
  { value, faults, isOwn, sorted, omitsKeys, isStrict = false, known, copied }: Body,
  kind: BodyKind,
  bytes: Uint8Array,
  platform: Platform,
  refusal: Refusal = cannotHandle,
  check: TypeCheck = checkType,
): { object: ApiObject; faults: readonly string[] } {
  const typed = check({ value, sorted, bytes }, kind, platform)
  const options = { root: true, bounds: requestBounds, sorted, omitsKeys, shares: isOwn, known, copied }
  try {
    const decoded = decode(kind.schema, typed, options)
    const object = keepCleared(decoded.value as unknown as ApiObject, typed)
    kind.strategy?.convertGiven?.(object, platform)
    if (isStrict || decoded.unknown.length === 0) return { object, faults }
    return { object, faults: [...faults, ...decoded.unknown.map((path) => `unknown field ${JSON.stringify(path)}`)] }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const first = firstFault(
      typed,
      sorted === true,
      error,
      (part) => void decode(kind.schema, part, { ...options, shares: false, known: undefined }),
    )
    throw refusal(kind, first.message, first)
  }
}

/** Error for a malformed body of the right kind. */
function cannotHandle(kind: BodyKind, why: string): ApiError {
  return badRequest(`${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`)
}

const isYamlFault = (fault: string) => fault.startsWith('line ')

/** Joins errors about the YAML itself into one error of the parser. */
function together(faults: readonly string[]): readonly string[] {
  const lines = faults.filter(isYamlFault)
  if (lines.length === 0) return faults
  return [['yaml: unmarshal errors:', ...lines].join('\n  '), ...faults.filter((fault) => !isYamlFault(fault))]
}

/** Fails (Strict), warns (Warn) or ignores unknown and duplicate fields, as `fieldValidation` says. */
export function applyFieldValidation(
  { exchange, view }: Target,
  validation: FieldValidation,
  faults: readonly string[],
  refusal: Refusal = cannotHandle,
): void {
  if (faults.length === 0 || validation === 'Ignore') return
  if (validation === 'Strict') throw refusal(view.body, `strict decoding error: ${together(faults).join(', ')}`)
  append(exchange.warnings, faults)
}

const noProtobuf =
  'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message'

/** The envelope of a protobuf body. Throws 400. */
function envelopeOf(bytes: Uint8Array, kind: BodyKind): ReturnType<typeof decodeEnvelope> {
  try {
    return decodeEnvelope(bytes)
  } catch (error) {
    if (error instanceof DecodeError) throw unrecognizedObject(kind.kind, error.message, bytes)
    throw error
  }
}

/** What reads the objects of an encoding. */
type ObjectReader = (bodies: BodyServices, target: Target, bytes: Uint8Array, validation: FieldValidation) => MaybePromise<ApiObject>

function fromProtobuf({ platform }: BodyServices, { view: { body: kind } }: Target, bytes: Uint8Array): ApiObject {
  const { raw, ...envelope } = envelopeOf(bytes, kind)
  const value = checkType({ value: { kind: envelope.kind, apiVersion: envelope.apiVersion }, bytes }, kind, platform)
  try {
    if (kind.schema.open) throw new DecodeError(noProtobuf)
    const object = { ...value, ...decodeProtobuf(kind.schema, raw, { bounds: requestBounds }) } as unknown as ApiObject
    kind.strategy?.convertGiven?.(object, platform)
    return object
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(kind, error.message)
    throw error
  }
}

/** Handles numbers such as `1.0` where the schema has integers; custom resources accept them. */
function settling(schema: Message | undefined, by: ((value: Json, schema: Message) => Json) | undefined) {
  return schema === undefined || schema.open || by === undefined ? undefined : (value: Json) => by(value, schema)
}

/** Parses a body and finds duplicate fields. Throws 400, with the syntax error. */
function parseText(bytes: Uint8Array, format: 'json' | 'yaml', schema?: Message): Body {
  if (format === 'yaml') {
    const { value, duplicates } = parseYaml(bytes, { duplicates: true })
    return { value, faults: duplicates, isOwn: true, sorted: true }
  }
  try {
    const options = { duplicates: true, schema, settle: settling(schema, settle) }
    const { value, duplicates } = parseJson(bytes, options)
    if (duplicates.length === 0 || schema === undefined || schema.open) return { value, faults: duplicates, isOwn: true }
    // Go finds faults of built-in kinds in one pass, and none inside of unknown fields.
    const faults = strictFaults(bytes, bodyShape(schema))
    const merged = parseJson(mergedDuplicates(bytes, schema), { ...options, duplicates: false })
    return { value: merged.value, faults, isOwn: true, isStrict: true }
  } catch (error) {
    if (error instanceof NumberRangeRefusal) throw error
    throw isBadRequest(error) ? badRequest(`couldn't get version/kind; json parse error: ${error.message}`) : error
  }
}

const isBadRequest = (error: unknown): error is ApiError => error instanceof ApiError && error.status.reason === 'BadRequest'

/** As `parseText`; the error says that no object of the kind was found. */
function parseBody(bytes: Uint8Array, format: 'json' | 'yaml', kind: BodyKind): Body {
  try {
    return parseText(bytes, format, kind.schema)
  } catch (error) {
    if (error instanceof NumberRangeRefusal) throw cannotHandle(kind, error.message)
    throw isBadRequest(error) ? unrecognizedObject(kind.kind, error.message, bytes) : error
  }
}

const patchSettling = {
  'json-patch': settleOperations,
  'merge-patch': settlePatch,
  // The reference converts the patched object field by field, which accepts any whole number.
  'strategic-merge-patch': undefined,
}

/** Parses a patch for an object of the schema and finds duplicate fields. Throws 400. */
export function parsePatch(bytes: Uint8Array, format: keyof typeof patchSettling, schema: Message): Body {
  const by = patchSettling[format]
  try {
    const { value, duplicates } = parseJson(bytes, { duplicates: true, settle: settling(schema, by) })
    checkParts(value)
    return { value, faults: format === 'json-patch' ? operationFaults(bytes, value, duplicates) : duplicates }
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding patch: ${error.message}`)
    if (!isBadRequest(error) || format === 'strategic-merge-patch') throw error
    throw badRequest(`error decoding patch: ${error.message}`)
  }
}

/** The object of a body as the reference records it: with its defaults, before anything else is done with it. */
function defaultedJson(bodies: BodyServices, { resource: { definition }, view }: Target, object: ApiObject): string {
  const { schema } = view.body
  const own = schema === definition.schema ? definition.strategy.defaults : undefined
  // Without defaults the decoded object is what the reference records, but for a list that is cleared.
  if (own === undefined && !schema.open && !hasDefaults(schema) && object.metadata.managedFields?.length !== 0) return jsonText(object)
  const copy = clone(object as JsonObject)
  const context = hookContext(bodies)
  applyDefaults(schema, copy, context)
  own?.(copy as never, context)
  const value = canonicalise(schema, copy, { root: true, shares: true }) as unknown as ApiObject
  return jsonText(value)
}

const countedAs: { readonly [verb: string]: string } = { deletecollection: 'delete_collection' }

/** As `receiveBody`, and records the size. */
export const receive = ({ metrics }: BodyServices, { exchange, resource }: Target): MaybePromise<Uint8Array> =>
  then(receiveBody(exchange), (bytes) => {
    const { verb } = exchange.info
    exchange.span?.event('limitedReadBody succeeded', { len: bytes.length })
    metrics.bodySizes.observe([resource.groupResource.resource, countedAs[verb] ?? verb, resource.groupResource.group], bytes.length)
    return bytes
  })

/** Reads the body as an object of the target's kind. It is parsed in one time slice, and converted in another. Throws 400, 413, 415. */
export const readObject = (bodies: BodyServices, target: Target, validation: FieldValidation): MaybePromise<ApiObject> =>
  then(readRepeatable(bodies, target, validation), ({ object }) => object)

/** The object of a body. */
export interface RepeatableBody {
  readonly object: ApiObject
  /** Decodes it once more, for a write that has changed `object` and starts again. */
  again(): MaybePromise<ApiObject>
}

/** As `readObject`. */
export function readRepeatable(bodies: BodyServices, target: Target, validation: FieldValidation): MaybePromise<RepeatableBody> {
  const { exchange } = target
  const { observer } = exchange
  const format = bodyFormat(exchange.request.headers.get('content-type'), bodies.platform, true, bodies.cbor)
  return then(receive(bodies, target), (bytes) => {
    const decoded = (each: FieldValidation) => {
      exchange.slices.reads(bytes.length)
      return objectReaders[format](bodies, target, bytes, each)
    }
    exchange.span?.event('About to convert to expected version')
    return then(decoded(validation), (object) => {
      exchange.span?.event('Conversion done')
      return then(exchange.slices.pause(), () => {
        observer?.requested(object.metadata, () => defaultedJson(bodies, target, object))
        // What is wrong with it is known.
        return { object, again: () => decoded('Ignore') }
      })
    })
  })
}

function fromCbor({ platform }: BodyServices, target: Target, bytes: Uint8Array, validation: FieldValidation): ApiObject {
  const { body } = target.view
  const value = cborValue(bytes, body)
  const given: Body = { value, faults: cborFaults(body.schema, value), isOwn: true, isStrict: true }
  const refusal: Refusal = (kind, why, error) => cannotHandle(kind, error === undefined ? why : cborFault(error, body.schema))
  const { object, faults } = objectOf(given, body, bytes, platform, refusal)
  applyFieldValidation(target, validation, faults)
  return object
}

const fromText =
  (format: 'json' | 'yaml'): ObjectReader =>
  ({ platform }, target, bytes, validation) => {
    const { exchange, view } = target
    const body = parseBody(bytes, format, view.body)
    return then(exchange.slices.pause(), () => {
      const { object, faults } = objectOf(body, view.body, bytes, platform)
      applyFieldValidation(target, validation, faults)
      return object
    })
  }

const objectReaders: { readonly [format in Format]: ObjectReader } = {
  json: fromText('json'),
  yaml: fromText('yaml'),
  protobuf: fromProtobuf,
  cbor: fromCbor,
}

/** Reads delete options from the body if there is one, otherwise from the query. A kind may warn about its default propagation policy. */
export async function readDelete(bodies: BodyServices, target: Target): Promise<DeleteOptions> {
  const options = await deleteOptions(bodies, target)
  const { propagationWarning } = target.resource.definition.strategy
  const isOpen = options.propagationPolicy === undefined && options.orphanDependents === undefined
  if (isOpen && propagationWarning !== undefined) target.exchange.warnings.push(propagationWarning)
  return options
}

const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...options }: JsonObject) => options

async function deleteOptions(bodies: BodyServices, target: Target): Promise<DeleteOptions> {
  const { exchange } = target
  const { platform, cbor } = bodies
  const bytes = await receive(bodies, target)
  if (bytes.length === 0) return readDeleteOptions(exchange.query, platform)
  const format = bodyFormat(exchange.request.headers.get('content-type'), platform, true, cbor)
  const { slices } = exchange
  slices.reads(bytes.length)
  const options = await decodeOptions(bytes, format, platform, slices)
  exchange.observer?.requested({}, () => {
    const value = { kind: 'DeleteOptions', apiVersion: platform.name('meta.<domain>/__internal'), ...withoutType(options) }
    return jsonText(value)
  })
  return deleteOptionsOf(options, platform)
}

/** What reads DeleteOptions of any version in an encoding. Throws a DecodeError, or 400. */
type OptionsReader = (bytes: Uint8Array, platform: Platform, slices: Slices) => MaybePromise<JsonObject>

const optionsSchema: Message = DeleteOptionsSchema

function optionsFromProtobuf(bytes: Uint8Array, platform: Platform): JsonObject {
  const { raw, ...value } = decodeEnvelope(bytes)
  checkOptionsType({ value }, platform)
  return decodeProtobuf(optionsSchema, raw, { bounds: requestBounds })
}

function optionsFromCbor(bytes: Uint8Array, platform: Platform): JsonObject {
  const header = readingCbor(
    () => readCborTypeMeta(bytes),
    (why) => badRequest(`unable to determine group/version/kind: ${why}`),
  )
  checkOptionsType({ value: { ...header } }, platform)
  try {
    return decode(optionsSchema, decodeCbor(bytes) ?? {}, { root: true }).value as JsonObject
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(cborFault(error, optionsSchema)) : error
  }
}

const optionsFromText =
  (format: 'json' | 'yaml'): OptionsReader =>
  async (bytes, platform, slices) => {
    const body = parseText(bytes, format)
    checkOptionsType(body, platform)
    await slices.pause()
    return decode(optionsSchema, body.value ?? {}, { root: true, bounds: requestBounds }).value as JsonObject
  }

const optionsReaders: { readonly [format in Format]: OptionsReader } = {
  json: optionsFromText('json'),
  yaml: optionsFromText('yaml'),
  protobuf: optionsFromProtobuf,
  cbor: optionsFromCbor,
}

/** Throws 400. */
async function decodeOptions(bytes: Uint8Array, format: Format, platform: Platform, slices: Slices): Promise<JsonObject> {
  try {
    return await optionsReaders[format](bytes, platform, slices)
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error
  }
}
