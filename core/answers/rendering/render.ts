/** Renders entries in the negotiated representation; the usual one, JSON of the stored version, is served without work. */

import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { Negotiated } from '../../request/negotiate.ts'
import { readIncludeObject } from '../../request/options.ts'
import { fromStorageVersion, hubOf } from '../../resources/converter.ts'
import { type ApiObject, apiVersionOf, type CellContext, type ResourceDefinition } from '../../resources/definition.ts'
import { PartialObjectMetadata } from '../../resources/meta/partial.ts'
import { withoutLineFeed } from '../../schema/bytes.ts'
import { hookContext } from '../../schema/cluster.ts'
import { canonicalise } from '../../schema/decode.ts'
import { encodeUtf8 } from '../../schema/formats/utf8.ts'
import { keepsText, parseToShow } from '../../schema/json/text.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import { encodeEnvelope, encodeObject, encodeProtobuf, type ProtobufEncoder } from '../../schema/protobuf/protobuf.ts'
import { type Encodable, jsonText } from '../encode.ts'
import type { Encoding } from '../encodings/encoding.ts'
import { encodings } from '../encodings/index.ts'
import { jsonParts, type ListParts, protobufParts } from '../list-parts.ts'
import { partialObject } from '../partial.ts'
import { type TableMeta, tableWriter } from '../table.ts'
import { joined, type StoredParts } from './list-body.ts'
import { metadataOnly, rowPrinter } from './rows.ts'
import type { Answered, AnswerServices } from './services.ts'

const decoder = new TextDecoder()

export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
  readonly shardInfo?: { readonly selector: string }
}

export interface Renderer {
  readonly negotiated: Negotiated
  /** Cache key: renderers with equal names produce equal bytes. */
  readonly name: string
  /** Whether `object` returns the JSON of the entry's own object, no part of which keeps a text that parsing would not. */
  readonly isOwnJson?: boolean
  /** One object: compact JSON without the line feed of a response, because watch events contain it. */
  object(entry: StoredObject): Uint8Array
  /** A list as the body of a response. */
  list(meta: ListMeta): StoredParts
  /** An object that is not stored, such as a bookmark. */
  bare(metadata: JsonObject): Uint8Array
}

/** A list without its items: lists of custom resources always have a continue token, which may be empty. */
function listHead(definition: ResourceDefinition, { resourceVersion, shardInfo, ...meta }: ListMeta) {
  const { origin, listKind: kind } = definition
  const version = resourceVersion === undefined ? {} : { resourceVersion }
  const metadata =
    origin.typeMeta === 'explicit' ? { continue: '', ...meta, ...version } : { ...version, ...meta, ...(shardInfo && { shardInfo }) }
  return { kind, apiVersion: apiVersionOf(definition), metadata }
}

/** An object with nothing but metadata, and the empty fields that every object of the kind has. */
function bareObject({ schema, kind, bare, ...definition }: ResourceDefinition, { annotations, ...own }: JsonObject): Json {
  const { metadata = {}, ...fields } = structuredClone(bare ?? {})
  const all = { ...((metadata as JsonObject)['annotations'] as JsonObject), ...(annotations as JsonObject) }
  const object = { ...fields, kind, apiVersion: apiVersionOf(definition), metadata: { ...own, annotations: all } }
  return canonicalise(schema, object, { root: true })
}

/** Bytes of an object's JSON that lists omit: `{`, and kind and apiVersion where the list implies them. */
const omitted = (definition: ResourceDefinition) =>
  definition.origin.typeMeta === 'explicit'
    ? 1
    : encodeUtf8(JSON.stringify({ kind: definition.kind, apiVersion: apiVersionOf(definition) })).length

/** The JSON of a list up to its first item; `head`: its other members. */
const jsonStart = (head: object, member: 'items' | 'rows') => `${JSON.stringify(head).slice(0, -1)},"${member}":[`

/** Whether answers are compact JSON, as objects are stored. */
const isCompact = ({ format, pretty }: Negotiated) => format === 'json' && !pretty

const writeJson = (value: object) => encodeUtf8(jsonText(value))

function jsonRenderer(definition: ResourceDefinition, negotiated: Negotiated): Renderer {
  const apiVersion = apiVersionOf(definition)
  const name = `${apiVersion}/json`
  const isStoredForm = hubOf(definition) === undefined
  const object = (entry: StoredObject) =>
    isStoredForm ? entry.json : entry.encoding(name, () => writeJson(fromStorageVersion(definition, entry.copy()))).bytes
  // A list that is not streamed is often asked for again with few changes: the JSON of its objects is cached then, if they are not large.
  const pieces = (entry: StoredObject, isPassing: boolean) => (isStoredForm && isPassing ? entry.pieces : [object(entry)])
  const skip = omitted(definition)
  return {
    negotiated,
    name,
    isOwnJson: isStoredForm && !keepsText(definition.schema),
    object,
    list: (meta) => ({ ...jsonParts(jsonStart(listHead(definition, meta), 'items'), skip, pieces, name), isMade: isStoredForm }),
    bare: (metadata) => writeJson(bareObject(definition, metadata) as object),
  }
}

function protobufRenderer(definition: ResourceDefinition, negotiated: Negotiated, protobuf: ProtobufEncoder): Renderer {
  const { kind, schema, listKind } = definition
  const apiVersion = apiVersionOf(definition)
  const name = `${apiVersion}/protobuf`
  const isStoredForm = hubOf(definition) === undefined
  // The text of parts that keep theirs may be escaped in stored bytes.
  const isExact = isStoredForm && !keepsText(schema)
  const make = (entry: StoredObject) =>
    isExact
      ? protobuf.encode(schema, ...entry.pieces)
      : encodeProtobuf(schema, (isStoredForm ? entry.object : fromStorageVersion(definition, entry.copy())) as Json)
  const message = (entry: StoredObject) => entry.encoding(name, () => make(entry)).bytes
  return {
    negotiated,
    name,
    object: (entry) => encodeEnvelope(apiVersion, kind, message(entry)),
    list: (meta) => protobufParts({ apiVersion, kind: listKind }, JSON.stringify(meta), message, (entry) => entry.sizeOf(name), name),
    bare: (metadata) => encodeObject(apiVersion, kind, schema, { metadata }),
  }
}

/** An encoding that lists values. */
type ValueEncoding = Encoding & Required<Pick<Encoding, 'list'>>
const listsValues = (encoding: Encoding): encoding is ValueEncoding => encoding.list !== undefined

/** YAML, CBOR and indented JSON: encoded every time. */
function valueRenderer(definition: ResourceDefinition, negotiated: Negotiated, encoding: ValueEncoding): Renderer {
  const { schema, origin } = definition
  const { format, pretty } = negotiated
  const write = (value: unknown) => encoding.write({ value: value as Encodable['value'], schema }, pretty)
  const object = (entry: StoredObject) => fromStorageVersion(definition, entry.copy())
  const item = (entry: StoredObject) => {
    if (origin.typeMeta === 'explicit') return object(entry)
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object(entry)
    return rest
  }
  return {
    negotiated,
    name: `${apiVersionOf(definition)}/${format}/pretty`,
    object: (entry) => write(object(entry)),
    list: (meta) => encoding.list({ head: listHead(definition, meta), member: 'items', item, schema }, pretty),
    bare: (metadata) => write(bareObject(definition, metadata)),
  }
}

function objectRenderer(answers: AnswerServices, { resource }: Answered, negotiated: Negotiated): Renderer {
  const { definition } = resource
  if (isCompact(negotiated)) return knownJsonRenderer(answers, definition, negotiated)
  const encoding = encodings[negotiated.format]
  return listsValues(encoding)
    ? valueRenderer(definition, negotiated, encoding)
    : protobufRenderer(definition, negotiated, answers.protobuf)
}

function knownJsonRenderer({ jsonRenderers }: AnswerServices, definition: ResourceDefinition, negotiated: Negotiated): Renderer {
  const known = jsonRenderers.get(definition)
  if (known?.negotiated === negotiated) return known
  const made = jsonRenderer(definition, negotiated)
  jsonRenderers.set(definition, made)
  return made
}

function partialRenderer(
  { platform, buffers, protobuf }: AnswerServices,
  answered: Answered,
  negotiated: Negotiated,
  version: string,
): Renderer {
  const { format, pretty } = negotiated
  const { definition } = answered.resource
  const kind = 'PartialObjectMetadata'
  const schema = PartialObjectMetadata
  const apiVersion = platform.name(`meta.<domain>/${version}`)
  const encoding = encodings[format]
  const write = (value: object) => encoding.write({ value: value as never, schema }, pretty)
  const { read, pieces, print } = metadataOnly(definition, apiVersion, buffers)
  const item = (entry: StoredObject) => partialObject(apiVersion, read(entry))
  const message = (entry: StoredObject) => protobuf.encode(schema, ...pieces(entry))
  const made = (entry: StoredObject) => {
    if (isCompact(negotiated)) return print(entry)
    return listsValues(encoding) ? write(item(entry)) : encodeEnvelope(apiVersion, kind, message(entry))
  }
  const name = `partial/${apiVersion}/${apiVersionOf(definition)}/${format}${pretty ? '/pretty' : ''}`
  return {
    negotiated,
    name,
    object: (entry) => entry.encoding(name, () => made(entry)).bytes,
    list(meta) {
      const head = { kind: `${kind}List`, apiVersion, metadata: { ...meta } }
      if (!listsValues(encoding)) return protobufParts(head, JSON.stringify(meta), message)
      // An empty list is null, as in the reference.
      if (!isCompact(negotiated)) return encoding.list({ head, member: 'items', item, schema, none: null }, pretty)
      return {
        ...jsonParts(jsonStart(head, 'items'), 1, (entry) => [print(entry)]),
        whole: (items) => (items.length > 0 ? undefined : writeJson({ ...head, items: null })),
      }
    },
    bare: (metadata) => write(partialObject(apiVersion, metadata)),
  }
}

/** What a dry run would create has no revision, but what the client sent in its place. */
const revisionText = (entry: StoredObject) => (entry.revision === 0 ? entry.copy().metadata.resourceVersion : String(entry.revision))

function tableRenderer(
  answers: AnswerServices,
  answered: Answered,
  negotiated: Negotiated,
  version: 'v1' | 'v1beta1',
  headers: boolean,
): Renderer {
  const { resource, exchange } = answered
  const { format, pretty } = negotiated
  const { definition } = resource
  const includeObject = readIncludeObject(exchange.query)
  const context = hookContext(answers)
  const options = { apiVersion: answers.platform.name(`meta.<domain>/${version}`), includeObject, headers }
  const table = tableWriter(definition, options)
  const name = `table/${version}/${includeObject}/${headers}/${apiVersionOf(definition)}/${format}${pretty ? '/pretty' : ''}`
  const parsed = (entry: StoredObject, rowContext: CellContext) =>
    writeJson(table.row(fromStorageVersion(definition, entry.copy()), rowContext))
  const print = hubOf(definition) === undefined ? rowPrinter(definition, table, options, parsed, answers.buffers) : parsed
  const rowName = `${apiVersionOf(definition)}/row/${version}/${includeObject}`
  const encoding = encodings[format]
  const single = (list: Uint8Array) => (isCompact(negotiated) ? withoutLineFeed(list) : list)

  /** `row`: the JSON of a row. */
  function parts<T>(meta: TableMeta, row: (of: T, isPassing: boolean) => Uint8Array): ListParts<T> {
    const head = table.head(meta) as Encodable['value'] & JsonObject
    if (isCompact(negotiated) || !listsValues(encoding))
      return jsonParts(jsonStart(head, 'rows'), 1, (of, isPassing) => [row(of, isPassing)], name)
    const item = (of: T) => parseToShow(decoder.decode(row(of, true)))
    return encoding.list({ head, member: 'rows', item }, pretty)
  }

  function rows(meta: TableMeta): StoredParts {
    let first = Number.POSITIVE_INFINITY
    const row = (entry: StoredObject, isPassing: boolean) => {
      if (isPassing) return entry.known(rowName, context.now)?.bytes ?? print(entry, context)
      const { bytes, until } = entry.encoding(rowName, (changesAt) => print(entry, { ...context, changesAt }), context.now)
      first = Math.min(first, until)
      return bytes
    }
    return { ...parts(meta, row), until: () => first }
  }

  return {
    negotiated,
    name,
    object: (entry) => single(joined(rows({ resourceVersion: revisionText(entry) }), [entry])),
    list: (meta) => rows({ ...meta }),
    bare(metadata) {
      const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata } as ApiObject
      const row = writeJson({ ...table.row(object, context), cells: table.bareCells(object, context) })
      return single(
        joined(
          parts({ resourceVersion: String(metadata['resourceVersion'] ?? '') }, () => row),
          [object],
        ),
      )
    },
  }
}

/** Table of one object that differs from the stored one. */
export function tableOf(answers: AnswerServices, { exchange, view }: Answered, object: ApiObject, version: 'v1' | 'v1beta1'): JsonObject {
  const apiVersion = answers.platform.name(`meta.<domain>/${version}`)
  const table = tableWriter({ columns: view.columns ?? [] }, { apiVersion, includeObject: readIncludeObject(exchange.query) })
  return { ...table.head({ resourceVersion: object.metadata.resourceVersion }), rows: [table.row(object, hookContext(answers))] }
}

/** The renderer for this answered and representation. Tables have column definitions unless `headers` is false. */
export function createRenderer(answers: AnswerServices, answered: Answered, negotiated: Negotiated, headers = true): Renderer {
  const { transform } = negotiated
  if (transform === undefined) return objectRenderer(answers, answered, negotiated)
  return transform.kind === 'Table'
    ? tableRenderer(answers, answered, negotiated, transform.version, headers)
    : partialRenderer(answers, answered, negotiated, transform.version)
}
