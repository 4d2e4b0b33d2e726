/** Renders entries in the negotiated representation; the usual one, JSON of the stored version, is served without work. */
import type { Negotiated } from '../request/negotiate.ts'
import { readIncludeObject } from '../request/options.ts'
import { fromStorageVersion, hubOf } from '../resources/converter.ts'
import { type ApiObject, apiVersionOf, type CellContext, type ResourceDefinition } from '../resources/definition.ts'
import { PartialObjectMetadata, PartialObjectMetadataList } from '../resources/meta/partial.ts'
import { type Encodable, encode, type Format } from '../respond/encode.ts'
import { partialObject } from '../respond/partial.ts'
import { type TableMeta, tableWriter } from '../respond/table.ts'
import { withoutLineFeed } from '../schema/bytes.ts'
import { canonicalise } from '../schema/decode.ts'
import { htmlSafe } from '../schema/html-safe.ts'
import { keepsText, parseToShow, printJson } from '../schema/json-text.ts'
import { field, type Json, type JsonObject, list, type Message, message } from '../schema/model.ts'
import { encodeEnvelope, encodeObject, encodeProtobuf, type ProtobufEncoder } from '../schema/protobuf.ts'
import type { Encoding, Entry } from '../storage/entry.ts'
import type { FeedList } from '../watch/feed.ts'
import {
  joinJson,
  joinProtobufItems,
  jsonList,
  jsonListStart,
  jsonTable,
  listBytes,
  protobufList,
  protobufListParts,
  typeMetaLength,
} from './join.ts'
import { type ListParts, servedParts, valueParts } from './list-parts.ts'
import { metadataOnly, rowPrinter } from './rows.ts'
import { hookContext, type Target } from './services.ts'

const encoder = new TextEncoder()
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
  readonly form: string
  /** One object: compact JSON without the line feed of a response, because watch events contain it. */
  object(entry: Entry): Uint8Array
  /** A list as the body of a response: compact JSON ends with a line feed. `prepared`: the results of `prepare`. */
  list(found: FeedList, meta: ListMeta, prepared?: readonly Encoding[]): Uint8Array
  /**
   * How items of `list` are produced: stored bytes, encoded and kept if there is room, kept only for lists that are remembered as a whole (as they
   * change with the time), or encoded every time.
   */
  readonly items: 'stored' | 'kept' | 'dated' | 'anew'
  /** Encodes an entry in advance; absent when `items` is 'stored' or 'anew'. */
  readonly prepare?: (entry: Entry) => Encoding
  /** The same list in parts. */
  parts(meta: ListMeta): ListParts
  /** An object that is not stored, such as a bookmark. */
  bare(metadata: JsonObject): Uint8Array
}

/** List metadata of a kind: lists of custom resources always have a continue token, which may be empty. */
function listMeta({ origin }: ResourceDefinition, { resourceVersion, shardInfo, ...meta }: ListMeta) {
  const version = resourceVersion === undefined ? {} : { resourceVersion }
  return origin.typeMeta === 'explicit' ? { continue: '', ...meta, ...version } : { ...version, ...meta, ...(shardInfo && { shardInfo }) }
}

/** An object with nothing but metadata, and the empty fields that every object of the kind has. */
function bareObject({ schema, kind, bare, ...definition }: ResourceDefinition, { annotations, ...own }: JsonObject): Json {
  const { metadata = {}, ...fields } = structuredClone(bare ?? {})
  const all = { ...((metadata as JsonObject)['annotations'] as JsonObject), ...(annotations as JsonObject) }
  const object = { ...fields, kind, apiVersion: apiVersionOf(definition), metadata: { ...own, annotations: all } }
  return canonicalise(schema, object, { root: true })
}

function jsonRenderer(definition: ResourceDefinition, negotiated: Negotiated): Renderer {
  const apiVersion = apiVersionOf(definition)
  const form = `${apiVersion}/json`
  const isHeld = hubOf(definition) === undefined
  const write = (value: unknown) => encode({ value: value as Encodable['value'], schema: undefined }, 'json', false)
  const convert = (entry: Entry) => (isHeld ? entry.json : write(fromStorageVersion(definition, entry.decode())))
  const prepare = (entry: Entry) => entry.encoding(form, () => convert(entry))
  const object = (entry: Entry) => (isHeld ? entry.json : prepare(entry).bytes)
  return {
    negotiated,
    form,
    object,
    list: (found, meta, prepared) =>
      listBytes(
        found,
        form,
        JSON.stringify(listMeta(definition, meta)),
        () => joinJson(prepared?.map(({ bytes }) => bytes) ?? found.entries.map(object), typeMetaLength(definition)),
        (head, items) => jsonList(definition, head, items),
      ),
    items: isHeld ? 'stored' : 'kept',
    ...(!isHeld && { prepare }),
    parts: (meta) =>
      servedParts(jsonListStart(definition, JSON.stringify(listMeta(definition, meta))), typeMetaLength(definition), (entry) =>
        isHeld ? entry.pieces : [prepare(entry).bytes],
      ),
    bare: (metadata) => write(bareObject(definition, metadata)),
  }
}

function protobufRenderer(definition: ResourceDefinition, negotiated: Negotiated, protobuf: ProtobufEncoder): Renderer {
  const { kind, schema } = definition
  const apiVersion = apiVersionOf(definition)
  const form = `${apiVersion}/protobuf`
  const isHeld = hubOf(definition) === undefined
  // The text of parts that keep theirs may be escaped in stored bytes.
  const isExact = isHeld && !keepsText(schema)
  const make = (entry: Entry) =>
    isExact
      ? protobuf.encode(schema, ...entry.pieces)
      : encodeProtobuf(schema, (isHeld ? entry.object : fromStorageVersion(definition, entry.decode())) as Json)
  const prepare = (entry: Entry) => entry.encoding(form, () => make(entry))
  return {
    negotiated,
    form,
    object: (entry) => encodeEnvelope(apiVersion, kind, prepare(entry).bytes),
    list: (found, meta, prepared) =>
      listBytes(
        found,
        form,
        JSON.stringify(meta),
        () => joinProtobufItems((prepared ?? found.entries.map(prepare)).map(({ bytes }) => bytes)),
        (head, items) => protobufList(definition, head, items),
      ),
    items: 'kept',
    prepare,
    parts: (meta) => protobufListParts(apiVersion, definition.listKind, JSON.stringify(meta), form, (entry) => prepare(entry).bytes),
    bare: (metadata) => encodeObject(apiVersion, kind, schema, { metadata }),
  }
}

/** YAML, CBOR and indented JSON: encoded every time. */
function valueRenderer(definition: ResourceDefinition, negotiated: Negotiated, format: Exclude<Format, 'protobuf'>): Renderer {
  const { pretty } = negotiated
  const apiVersion = apiVersionOf(definition)
  const write = (value: unknown, schema?: Message) => encode({ value: value as Encodable['value'], schema }, format, pretty)
  const listHead = (metadata: ListMeta) => ({ kind: definition.listKind, apiVersion, metadata: listMeta(definition, metadata) })
  // Of the items, which CBOR needs.
  const listSchema = message(definition.listKind, '', { items: field(2, list(definition.schema), '') })
  const item = (entry: Entry) => {
    if (definition.origin.typeMeta === 'explicit') return fromStorageVersion(definition, entry.decode())
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = fromStorageVersion(definition, entry.decode())
    return rest
  }
  return {
    negotiated,
    form: `${apiVersion}/${format}/pretty`,
    object: (entry) => write(fromStorageVersion(definition, entry.decode()), definition.schema),
    list: ({ entries }, metadata) => write({ ...listHead(metadata), items: entries.map(item) }, listSchema),
    items: 'anew',
    parts: (meta) => valueParts(format, pretty, listHead(meta), 'items', item, definition.schema),
    bare: (metadata) => write(bareObject(definition, metadata), definition.schema),
  }
}

function objectRenderer({ resource, services }: Target, negotiated: Negotiated): Renderer {
  const { definition } = resource
  if (negotiated.format === 'protobuf') return protobufRenderer(definition, negotiated, services.protobuf)
  const { format, pretty } = negotiated
  return format === 'json' && !pretty ? knownJsonRenderer(definition, negotiated) : valueRenderer(definition, negotiated, format)
}

/** Most responses are compact JSON, and negotiation has the same result for most. */
const jsonRenderers = new WeakMap<ResourceDefinition, Renderer>()

function knownJsonRenderer(definition: ResourceDefinition, negotiated: Negotiated): Renderer {
  const known = jsonRenderers.get(definition)
  if (known?.negotiated === negotiated) return known
  const made = jsonRenderer(definition, negotiated)
  jsonRenderers.set(definition, made)
  return made
}

function partialRenderer(target: Target, negotiated: Negotiated, version: string): Renderer {
  const { format, pretty } = negotiated
  const apiVersion = target.services.platform.name(`meta.<domain>/${version}`)
  const write = (value: object, schema: Message) => encode({ value: value as never, schema }, format, pretty)
  const { read, pieces, print } = metadataOnly(target.resource.definition, apiVersion, target.services.joining)
  const item = (entry: Entry) => partialObject(apiVersion, read(entry))
  const partialKind = 'PartialObjectMetadata'
  const listKind = `${partialKind}List`
  const isJson = format === 'json' && !pretty
  const encoded = (entry: Entry) => target.services.protobuf.encode(PartialObjectMetadata, ...pieces(entry))
  const made = (entry: Entry) => {
    if (isJson) return print(entry)
    if (format === 'protobuf') return encodeEnvelope(apiVersion, partialKind, encoded(entry))
    return write(item(entry), PartialObjectMetadata)
  }
  const listHead = (metadata: ListMeta) => ({ kind: listKind, apiVersion, metadata: { ...metadata } })
  const form = `partial/${apiVersion}/${apiVersionOf(target.resource.definition)}/${format}${pretty ? '/pretty' : ''}`
  return {
    negotiated,
    form,
    object: (entry) => entry.encoding(form, () => made(entry)).bytes,
    // An empty list is null, as in the reference.
    list: ({ entries }, metadata) =>
      write({ ...listHead(metadata), items: entries.length > 0 ? entries.map(item) : null }, PartialObjectMetadataList),
    items: 'anew',
    parts(meta) {
      if (isJson) return servedParts(`${JSON.stringify(listHead(meta)).slice(0, -1)},"items":[`, 1, (entry) => [print(entry)])
      if (format !== 'protobuf') return valueParts(format, pretty, listHead(meta), 'items', item, PartialObjectMetadata)
      return protobufListParts(apiVersion, listKind, JSON.stringify(meta), form, encoded)
    },
    bare: (metadata) => write(partialObject(apiVersion, metadata), PartialObjectMetadata),
  }
}

/** What a dry run would create has no revision, but what the client sent in its place. */
const revisionText = (entry: Entry) => (entry.revision === 0 ? entry.decode().metadata.resourceVersion : String(entry.revision))

function tableRenderer(target: Target, negotiated: Negotiated, version: 'v1' | 'v1beta1', headers: boolean): Renderer {
  const { services, resource, exchange } = target
  const { format, pretty } = negotiated
  const { definition } = resource
  const includeObject = readIncludeObject(exchange.query)
  const context = hookContext(services)
  const options = { apiVersion: services.platform.name(`meta.<domain>/${version}`), includeObject, headers }
  const table = tableWriter(definition, options)
  const form = `table/${version}/${includeObject}/${headers}/${apiVersionOf(definition)}/${format}${pretty ? '/pretty' : ''}`
  const newRow = (entry: Entry, rowContext: CellContext = context) => table.row(fromStorageVersion(definition, entry.decode()), rowContext)
  const parsed = (entry: Entry, rowContext: CellContext) => encoder.encode(htmlSafe(printJson(newRow(entry, rowContext))))
  const print = hubOf(definition) === undefined ? rowPrinter(definition, table, options, parsed, services.joining) : parsed
  const tableParts = (meta: ListMeta) => {
    const head = table.head({ ...meta })
    if (format === 'yaml' || pretty) return valueParts(format === 'yaml' ? 'yaml' : 'json', pretty, head, 'rows', (entry) => newRow(entry))
    const made = (entry: Entry) => [entry.known(rowForm, context.now)?.bytes ?? print(entry, context)]
    return servedParts(`${JSON.stringify(head).slice(0, -1)},"rows":[`, 1, made)
  }
  const rowForm = `${apiVersionOf(definition)}/row/${version}/${includeObject}`
  const row = (entry: Entry) => entry.encoding(rowForm, (changesAt) => print(entry, { ...context, changesAt }), context.now)
  const written = (meta: TableMeta, rows: Uint8Array) => {
    const { bytes } = jsonTable(JSON.stringify(table.head(meta)), rows)
    return format === 'json' && !pretty
      ? withoutLineFeed(bytes)
      : encode({ value: parseToShow(decoder.decode(bytes)) as unknown as Encodable['value'], schema: undefined }, format, pretty)
  }
  const joinRows = (entries: readonly Entry[], rows: readonly Encoding[] = entries.map(row)): Encoding => ({
    bytes: joinJson(rows.map(({ bytes }) => bytes)),
    until: rows.reduce((first, { until }) => Math.min(first, until), Number.POSITIVE_INFINITY),
  })
  return {
    negotiated,
    form,
    object: (entry) => written({ resourceVersion: revisionText(entry) }, row(entry).bytes),
    list: (found, meta, prepared) =>
      format === 'json' && !pretty
        ? listBytes(found, form, JSON.stringify(table.head({ ...meta })), () => joinRows(found.entries, prepared), jsonTable, context.now)
        : written({ ...meta }, joinRows(found.entries).bytes),
    items: format === 'json' && !pretty ? 'dated' : 'anew',
    ...(format === 'json' && !pretty && { prepare: row }),
    parts: (meta) => tableParts(meta),
    bare: (metadata) => {
      const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata } as ApiObject
      const cells = table.bareCells(object, context)
      return written(
        { resourceVersion: String(metadata['resourceVersion'] ?? '') },
        encoder.encode(htmlSafe(printJson({ ...table.row(object, context), cells }))),
      )
    },
  }
}

/** Table of one object that differs from the stored one. */
export function tableOf({ services, exchange, view }: Target, object: ApiObject, version: 'v1' | 'v1beta1'): JsonObject {
  const apiVersion = services.platform.name(`meta.<domain>/${version}`)
  const table = tableWriter({ columns: view.columns ?? [] }, { apiVersion, includeObject: readIncludeObject(exchange.query) })
  return { ...table.head({ resourceVersion: object.metadata.resourceVersion }), rows: [table.row(object, hookContext(services))] }
}

/** The renderer for this target and representation. Tables have column definitions unless `headers` is false. */
export function createRenderer(target: Target, negotiated: Negotiated, headers = true): Renderer {
  const { transform } = negotiated
  if (transform === undefined) return objectRenderer(target, negotiated)
  return transform.kind === 'Table'
    ? tableRenderer(target, negotiated, transform.version, headers)
    : partialRenderer(target, negotiated, transform.version)
}
