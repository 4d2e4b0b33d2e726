import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FieldErrors } from '../../../core/schema/field-error.ts'
import { FieldPath } from '../../../core/schema/field-path.ts'
import { type Metadata, type ObjectMetaRules, validateObjectMeta, validateObjectMetaUpdate } from '../../../core/schema/object-meta.ts'

const path = FieldPath.of('metadata')
const good: Metadata = { name: 'web', namespace: 'default' }
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1' }

function errorsOf(meta: Metadata, rules: Partial<ObjectMetaRules> = {}): string[] {
  const errors = new FieldErrors()
  validateObjectMeta(meta, { namespaced: true, nameFormat: 'dns1123Subdomain', path, ...rules }, errors)
  return errors.list.map((error) => `${error.field}: ${error.message}`)
}

function updateErrors(meta: Metadata, old: Metadata): string[] {
  const errors = new FieldErrors()
  validateObjectMetaUpdate(meta, old, path, errors)
  return errors.list.map((error) => `${error.field}: ${error.message}`)
}

describe('validateObjectMeta', () => {
  it('accepts ordinary metadata', () => {
    const labels = { 'app.example.com/name': 'web', empty: '' }
    const annotations = { 'Example.COM/Upper': 'any text' }
    assert.deepEqual(
      errorsOf({ ...good, labels, annotations, ownerReferences: [{ ...owner, controller: true }, owner], finalizers: ['a.b/c', 'orphan'] }),
      [],
    )
    assert.deepEqual(errorsOf({ name: 'a:B' }, { namespaced: false, nameFormat: 'pathSegment' }), [])
    assert.deepEqual(errorsOf({ ...good, generateName: 'web-' }), [])
  })

  it('requires a name, and a namespace for namespaced kinds', () => {
    assert.deepEqual(errorsOf({}), [
      'metadata.name: Required value: name or generateName is required',
      'metadata.namespace: Required value',
    ])
    assert.deepEqual(errorsOf({ name: 'a', namespace: 'b' }, { namespaced: false }), [
      'metadata.namespace: Forbidden: not allowed on this type',
    ])
    assert.deepEqual(errorsOf({ name: 'a/b', generateName: 'a%', namespace: 'default' }, { nameFormat: 'pathSegment' }), [
      `metadata.generateName: Invalid value: "a%": may not contain '%'`,
      `metadata.name: Invalid value: "a/b": may not contain '/'`,
    ])
  })

  it('validates labels and annotations', () => {
    const [key, value] = errorsOf({ ...good, labels: { 'a/b/c': 'x y' } })
    assert.match(key ?? '', /^metadata.labels: Invalid value: "a\/b\/c": a valid label key must consist of/)
    assert.match(value ?? '', /^metadata.labels: Invalid value: "x y": a valid label must be an empty string or/)
    assert.deepEqual(errorsOf({ ...good, annotations: { a: 'é'.repeat(128 * 1024) } }), [
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
    assert.deepEqual(errorsOf({ ...good, annotations: { a: 'x'.repeat(256 * 1024 - 1) } }), [])
  })

  it('checks owners', () => {
    assert.deepEqual(errorsOf({ ...good, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }), [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ])
    assert.match(errorsOf({ ...good, ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] }).join(), /version must not be empty/)
    assert.match(
      errorsOf({ ...good, ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'Event' }] }).join(),
      /is disallowed from being an owner/,
    )
    const controller = { ...owner, controller: true }
    assert.match(
      errorsOf({ ...good, ownerReferences: [controller, { ...controller, name: 'other' }] }).join(),
      /Only one reference can have Controller set to true. Found "true" in references for ReplicaSet\/web and ReplicaSet\/other$/,
    )
  })

  it('validates finalizers and managed fields', () => {
    assert.deepEqual(errorsOf({ ...good, finalizers: ['orphan', 'foregroundDeletion'] }), [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ])
    assert.deepEqual(errorsOf({ ...good, managedFields: [{ operation: 'Replace', fieldsType: 'V2', manager: `a\n${'b'.repeat(127)}` }] }), [
      'metadata.managedFields[0].operation: Unsupported value: "Replace": supported values: "Apply", "Update"',
      'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Too long: may not be more than 128 bytes',
      `metadata.managedFields[0].manager: Invalid value: "a\\n${'b'.repeat(127)}": invalid character U+000A (at position 1)`,
    ])
  })
})

describe('validateObjectMetaUpdate', () => {
  const old: Metadata = { ...good, uid: 'u', resourceVersion: '1', generation: 2, creationTimestamp: '2024-01-01T00:00:00Z' }

  it('keeps immutable metadata on update', () => {
    assert.deepEqual(updateErrors({ ...old, labels: { a: 'b' } }, old), [])
    assert.deepEqual(
      updateErrors(
        { ...old, name: 'x', uid: '', generation: 1, creationTimestamp: '2025-01-01T00:00:00Z', deletionGracePeriodSeconds: 1 },
        old,
      ),
      [
        'metadata.generation: Invalid value: 1: must not be decremented',
        'metadata.name: Invalid value: "x": field is immutable',
        'metadata.uid: Invalid value: "": field is immutable',
        'metadata.creationTimestamp: Invalid value: "2025-01-01T00:00:00Z": field is immutable',
        'metadata.deletionGracePeriodSeconds: Invalid value: 1: field is immutable',
      ],
    )
  })

  it('refuses new finalizers once the object is being deleted', () => {
    const leaving = { ...old, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a'] }
    assert.deepEqual(updateErrors({ ...leaving, finalizers: [] }, leaving), [])
    assert.deepEqual(updateErrors({ ...leaving, finalizers: ['a', 'c', 'b'] }, leaving), [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b", "c"}',
    ])
  })
})
