import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableWriter } from '../../../core/answers/table.ts'
import { ageColumn, countColumn, nameColumn, ratioColumn, wide } from '../../../core/resources/cells.ts'
import type { ApiObject } from '../../../core/resources/definition.ts'
import { hookContext } from '../../support/hook-context.ts'

const context = hookContext({ now: Date.parse('2026-01-01T00:05:00Z') })
const object = {
  kind: 'Widget',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { replicas: 2 },
} as unknown as ApiObject

test('kinds with columns', () => {
  const columns = [
    nameColumn,
    ratioColumn('Ready', 'Ready ones.', '.status.ready', '.spec.replicas'),
    wide(countColumn('Wanted', 'Wanted ones.', '.spec.replicas')),
    ageColumn,
  ]
  const { head, row } = tableWriter({ columns }, { apiVersion: 'meta.k8s.io/v1', includeObject: 'Metadata' })
  const meta = { resourceVersion: '7', continue: 'c', remainingItemCount: 3 }
  assert.deepEqual(
    { ...head(meta), rows: [row(object, context)] },
    {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7', continue: 'c', remainingItemCount: 3 },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: nameColumn.doc, priority: 0 },
        { name: 'Ready', type: 'string', format: '', description: 'Ready ones.', priority: 0 },
        { name: 'Wanted', type: 'integer', format: '', description: 'Wanted ones.', priority: 1 },
        { name: 'Age', type: 'string', format: '', description: ageColumn.doc, priority: 0 },
      ],
      rows: [
        {
          cells: ['a', '0/2', 2, '5m'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
        },
      ],
    },
  )
})

test('kinds without columns, and the objects in rows', () => {
  const table = (includeObject: 'None' | 'Metadata' | 'Object') => {
    const { head, row } = tableWriter({ columns: [] }, { apiVersion: 'meta.k8s.io/v1beta1', includeObject, headers: false })
    return { ...head({}), rows: [row(object, context)] }
  }
  assert.deepEqual(table('None'), {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1beta1',
    metadata: {},
    columnDefinitions: null,
    rows: [{ cells: ['a', '2026-01-01T00:00:00Z'], object: null }],
  })
  assert.deepEqual(table('Object').rows[0]?.['object'], object)
})
