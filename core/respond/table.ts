import { defaultColumns } from '../resources/cells.ts'
import type { ApiObject, Column, ResourceDefinition } from '../resources/definition.ts'
import { getPath } from '../schema/accessors.ts'
import type { HookContext, Json, JsonObject } from '../schema/model.ts'

/** Version and paging of what a table shows. */
export interface TableMeta {
  readonly resourceVersion?: string | undefined
  readonly continue?: string | undefined
  readonly remainingItemCount?: number | undefined
}

export interface TableOptions extends TableMeta {
  readonly context: HookContext
  /** What a row carries of its object. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  readonly version: 'v1' | 'v1beta1'
  /** False leaves the column definitions out, as events of a watch after the first do. Default true. */
  readonly headers?: boolean
}

/** Objects of one kind as `Table` of the group meta (KEP-190 server-side get). */
export function tableOf(definition: Pick<ResourceDefinition, 'columns'>, objects: readonly ApiObject[], options: TableOptions): JsonObject {
  const columns = (definition.columns.length > 0 ? definition.columns : defaultColumns) as readonly Column<ApiObject>[]
  const apiVersion = options.context.platform.name(`meta.<domain>/${options.version}`)
  const { resourceVersion, remainingItemCount } = options
  return {
    kind: 'Table',
    apiVersion,
    metadata: {
      ...(resourceVersion !== undefined && resourceVersion !== '' && { resourceVersion }),
      ...(options.continue !== undefined && options.continue !== '' && { continue: options.continue }),
      ...(remainingItemCount !== undefined && { remainingItemCount }),
    },
    columnDefinitions: options.headers === false ? null : columns.map(header),
    rows: objects.map((object) => ({
      cells: columns.map((column) => cell(column, object, options.context)),
      object: included(object, apiVersion, options.includeObject),
    })),
  }
}

function header({ name, type, format = '', doc, priority }: Column<ApiObject>): JsonObject {
  return { name, type, format, description: doc, priority }
}

function cell({ cell }: Column<ApiObject>, object: ApiObject, context: HookContext): Json {
  if (typeof cell === 'function') return cell(object, context)
  return (getPath(object, cell) as Json | undefined) ?? null
}

function included(object: ApiObject, apiVersion: string, include: TableOptions['includeObject']): Json {
  if (include === 'None') return null
  if (include === 'Object') return object as JsonObject
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata as JsonObject }
}
