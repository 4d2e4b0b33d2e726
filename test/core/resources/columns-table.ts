/** Tables as clients get them, at a fixed time. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { allKinds } from '../../support/all-kinds.ts'
import { startInProcess } from '../../support/in-process.ts'
import { collectionPath } from '../../support/minimal-objects.ts'

const now = '2026-01-01T01:00:00Z'
/** Ten minutes before that time. */
const creationTimestamp = '2026-01-01T00:50:00Z'
const platform = createPlatform()
const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io'

type Cell = string | number | boolean | null
/** An object without name and type, and its cells without the name. */
export type Row = readonly [object: object, ...cells: Cell[]]

interface Table {
  readonly columnDefinitions: readonly {
    readonly name: string
    readonly type: string
    readonly format: string
    readonly priority: number
  }[]
  readonly rows: readonly { readonly cells: readonly Cell[]; readonly object: { readonly metadata: { readonly name: string } } }[]
}

function definitionOf(apiVersion: string, plural: string): ResourceDefinition {
  const found = builtInResources
    .map((row) => bind(row, platform))
    .find((row) => apiVersionOf(row) === apiVersion && row.names.plural === plural)
  assert.ok(found, `${plural} of ${apiVersion}`)
  return found
}

/** Stores objects without admission and validation, and lists them as a table. */
export async function tableOf(apiVersion: string, plural: string, objects: readonly object[]): Promise<Table> {
  const definition = definitionOf(apiVersion, plural)
  const namespaced = definition.namespaced
  const store = memoryStore()
  for (const [index, object] of objects.entries()) {
    const { metadata, ...rest } = object as Partial<ApiObject>
    const name = `object-${String(index).padStart(3, '0')}`
    const value = {
      apiVersion: definition.storageVersion ?? apiVersion,
      kind: definition.kind,
      metadata: { name, ...(namespaced && { namespace: 'default' }), uid: `uid-${index}`, creationTimestamp, ...metadata },
      ...rest,
    }
    const key = `/registry/${definition.storageKey}/${namespaced ? 'default/' : ''}${value.metadata.name}`
    await store.put(key, new TextEncoder().encode(JSON.stringify(value)), 0)
  }
  const clock = { now: () => Date.parse(now), monotonic: () => 0, after: () => () => {} }
  const { api, close } = await startInProcess({ store, clock, platform, ...allKinds })
  try {
    const path = collectionPath(definition)
    const { status, body } = await api.get<Table>(path, { accept: tableType })
    assert.equal(status, 200, `${path}: ${status}`)
    return body
  } finally {
    await close()
  }
}

/**
 * Declares a test of one kind. Rows may have cells beyond the columns. Columns are written `Name`, `Name:type` when not a string, `+Name` when wide, `Name!`
 * when formatted as a name; then follow the cells of the rows.
 */
export function testColumns(apiVersion: string, plural: string, columns: readonly string[], rows: readonly Row[]): void {
  test(`${plural} of ${apiVersion}`, async () => {
    const table = await tableOf(
      apiVersion,
      plural,
      rows.map(([object]) => object),
    )
    const written = table.columnDefinitions.map(
      ({ name, type, format, priority }) =>
        `${priority === 1 ? '+' : ''}${name}${type === 'string' ? '' : `:${type}`}${format === 'name' ? '!' : ''}`,
    )
    assert.deepEqual(written, columns)
    const cells = new Map(table.rows.map((row) => [row.object.metadata.name, row.cells]))
    const nameAt = columns.indexOf('+Name!')
    for (const [index, [object, ...expected]] of rows.entries()) {
      const name = `object-${String(index).padStart(3, '0')}`
      const found = [...(cells.get(name) ?? [])]
      if (nameAt === -1) assert.equal(found.shift(), name)
      assert.deepEqual(found, expected, JSON.stringify(object))
    }
  })
}
