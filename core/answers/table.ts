import { defaultColumns } from '../resources/cells.ts'
import type { ApiObject, CellContext, Column, ResourceDefinition } from '../resources/definition.ts'
import { getPath } from '../schema/accessors.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { ownMetadata, partialObject } from './partial.ts'

/** List metadata of a table. */
export interface TableMeta {
  readonly resourceVersion?: string | undefined
  readonly continue?: string | undefined
  readonly remainingItemCount?: number | undefined
}

export interface TableOptions {
  /** `meta.<domain>/v1`, or v1beta1. */
  readonly apiVersion: string
  /** The part of the object in each row. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  /** False omits the column definitions, as watches do after the first event. Default true. */
  readonly headers?: boolean
}

/** Builds a meta Table (server-side printing): the part before the rows, and each row. */
export interface TableWriter {
  head(meta: TableMeta): JsonObject
  cells(object: ApiObject, context: CellContext): Json[]
  /** Cells of an object with nothing but metadata, such as a bookmark. */
  bareCells(object: ApiObject, context: CellContext): Json[]
  /** Marks on the row; undefined: none. */
  conditions(object: ApiObject): readonly Json[] | undefined
  row(object: ApiObject, context: CellContext): JsonObject
}

export function tableWriter(
  definition: Pick<ResourceDefinition, 'columns' | 'fieldAnnotations' | 'rowConditions'>,
  options: TableOptions,
): TableWriter {
  const { apiVersion, headers = true } = options
  const columns = (definition.columns.length > 0 ? definition.columns : defaultColumns) as readonly Column<ApiObject>[]
  const cells = (object: ApiObject, context: CellContext) => columns.map((column) => cell(column, object, context))
  const conditions = (object: ApiObject) => definition.rowConditions?.(object) as readonly Json[] | undefined
  return {
    cells,
    conditions,
    bareCells: (object, context) =>
      columns.map((column) => (typeof column.cell === 'string' ? unset[column.cell] : undefined) ?? cell(column, object, context)),
    head: ({ resourceVersion, remainingItemCount, ...meta }) => ({
      kind: 'Table',
      apiVersion,
      metadata: {
        ...(resourceVersion !== undefined && resourceVersion !== '' && { resourceVersion }),
        ...(meta.continue !== undefined && meta.continue !== '' && { continue: meta.continue }),
        ...(remainingItemCount !== undefined && { remainingItemCount }),
      },
      columnDefinitions: headers ? columns.filter(({ unannounced }) => !unannounced).map(header) : null,
    }),
    row: (object, context) => ({
      cells: cells(object, context),
      ...withConditions(conditions(object)),
      object: included(object, definition, options),
    }),
  }
}

const withConditions = (conditions: readonly Json[] | undefined) => conditions && { conditions: [...conditions] }

/** Metadata that a bookmark lacks, as the reference shows it in columns of its own. */
const unset: { readonly [path: string]: Json | undefined } = { '.metadata.name': '', '.metadata.creationTimestamp': '0001-01-01T00:00:00Z' }

function header({ name, type, format = '', doc, priority }: Column<ApiObject>): JsonObject {
  return { name, type, format, description: doc, priority }
}

function cell({ cell }: Column<ApiObject>, object: ApiObject, context: CellContext): Json {
  if (typeof cell === 'function') return cell(object, context)
  return (getPath(object, cell) as Json | undefined) ?? null
}

function included(
  object: ApiObject,
  definition: Pick<ResourceDefinition, 'fieldAnnotations'>,
  { apiVersion, includeObject }: TableOptions,
) {
  if (includeObject === 'None') return null
  if (includeObject === 'Object') return object as JsonObject
  return partialObject(apiVersion, ownMetadata(object.metadata as JsonObject, definition))
}
