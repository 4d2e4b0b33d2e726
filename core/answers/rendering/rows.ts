/** Rows of a Table as bytes. Parts of the objects are cut out of served bytes, without parsing and printing. */

import { type MetadataPlace, metadataFinder, withoutManagedFields } from '../../objects/storage/served-metadata.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { ApiObject, CellContext, ResourceDefinition } from '../../resources/definition.ts'
import { type BufferPool, concatenate } from '../../schema/bytes.ts'
import { htmlSafe } from '../../schema/json/html-safe.ts'
import { parseJsonText, printJson } from '../../schema/json/text.ts'
import type { Json } from '../../schema/model.ts'
import { ownMetadata, ownMetadataBytes, partialStart } from '../partial.ts'
import type { TableOptions, TableWriter } from '../table.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

type RowPrinter = (entry: StoredObject, context: CellContext) => Uint8Array

/** Prints rows of objects in served form; `row` prints objects whose bytes have another form. `buffers`: for the object that is being read. */
export function rowPrinter(
  definition: ResourceDefinition,
  table: TableWriter,
  { apiVersion, includeObject }: TableOptions,
  row: RowPrinter,
  buffers: BufferPool,
): RowPrinter {
  const find = metadataFinder(definition)
  const partial = partialStart(apiVersion)
  const partialEnd = encoder.encode('}}')
  const end = encoder.encode('}')

  const decode = (served: Uint8Array, place: MetadataPlace): ApiObject => {
    const text = definition.origin.columnsShowManagers ? decoder.decode(served) : withoutManagedFields(served, place)
    return parseJsonText(text, definition.schema) as ApiObject
  }

  return (entry, context) => {
    const served = buffers.join(entry.pieces)
    const place = find(served)
    if (place === undefined) return row(entry, context)
    const object = decode(served, place)
    const conditions = table.conditions(object)
    const marks = conditions === undefined ? '' : `,"conditions":${printJson(conditions as Json)}`
    const start = `{"cells":${htmlSafe(printJson(table.cells(object, context)))}${marks},"object":`
    if (includeObject === 'None') return encoder.encode(`${start}null}`)
    if (includeObject === 'Object') return concatenate([encoder.encode(start), served, end])
    return concatenate([encoder.encode(start + partial), ownMetadataBytes(served.subarray(place.start, place.end), definition), partialEnd])
  }
}

/**
 * Decodes and prints objects reduced to their metadata; `pieces`: the print in pieces to be joined before the next object is read. `buffers`: for
 * the object that is being read.
 */
export function metadataOnly(definition: ResourceDefinition, apiVersion: string, buffers: BufferPool) {
  const find = metadataFinder(definition)
  const start = partialStart(apiVersion)
  const startBytes = encoder.encode(start)
  const end = encoder.encode('}')

  const anew = (entry: StoredObject) => ownMetadata(entry.copy().metadata as Json, definition)

  /** Bytes of the metadata; undefined if the object's bytes have another form. */
  const cut = (entry: StoredObject) => {
    const served = buffers.join(entry.pieces)
    const place = find(served)
    return place && ownMetadataBytes(served.subarray(place.start, place.end), definition)
  }

  const pieces = (entry: StoredObject): readonly Uint8Array[] => {
    const metadata = cut(entry)
    return metadata ? [startBytes, metadata, end] : [encoder.encode(`${start}${printJson(anew(entry))}}`)]
  }

  return {
    read(entry: StoredObject): Json {
      const metadata = cut(entry)
      return metadata ? parseJsonText(decoder.decode(metadata)) : anew(entry)
    },
    pieces,
    print: (entry: StoredObject) => concatenate(pieces(entry)),
  }
}
