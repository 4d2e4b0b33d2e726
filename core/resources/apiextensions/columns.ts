/** Table columns of custom resources (reference: pkg/registry/customresource/tableconvertor). */

import { printJson } from '../../schema/json/text.ts'
import type { Infer, Json } from '../../schema/model.ts'
import { age, nameColumn } from '../cells.ts'
import type { CellContext, Column } from '../definition.ts'
import type { CustomResourceColumnDefinition } from './customresourcedefinition.ts'
import { compilePath, type Finder } from './json-path.ts'

type ColumnDefinition = Infer<typeof CustomResourceColumnDefinition>

/** Default when a definition has no columns. */
const ageColumn: ColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was created.',
  jsonPath: '.metadata.creationTimestamp',
}

const textOf = (value: Json) => (typeof value === 'string' ? value : value === null ? '<no value>' : printJson(value))

/** Converts a value to a cell; null if it does not have the column's type. */
const cells: { readonly [type: string]: (value: Json, context: CellContext) => Json } = {
  integer: (value) => (typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  string: textOf,
  date: (value, context) => (typeof value === 'string' ? age(value, context) : null),
}

function columnOf({ name, type, format, description, priority = 0, jsonPath }: ColumnDefinition, find: Finder): Column {
  const show = cells[type]
  return {
    name,
    type: type as Column['type'],
    ...(format && { format }),
    doc: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell(object, context) {
      const value = find(object as Json)
      return value === undefined || (value === null && type !== 'string') ? null : (show?.(value, context) ?? null)
    },
  }
}

/** Columns of a version: name, then those of the definition up to the first one with a malformed path. */
export function columnsOf(definitions: readonly ColumnDefinition[] | null | undefined): readonly Column[] {
  const given = definitions?.length ? definitions : [ageColumn]
  const columns: Column[] = [nameColumn as Column]
  for (const definition of given) {
    try {
      columns.push(columnOf(definition, compilePath(definition.jsonPath, given.length)))
    } catch {
      break
    }
  }
  return columns
}
