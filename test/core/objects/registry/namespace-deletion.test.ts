/** Namespaces end in two steps: a delete marks them, whoever finalizes them removes them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure } from '../../../support/api.ts'
import { serverForTests } from '../../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [] })

const spaces = '/api/v1/namespaces'
const finalize = (name: string, finalizers: readonly string[]) =>
  api.send('PUT', `${spaces}/${name}/finalize`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: { finalizers } })

interface Space {
  readonly kind: string
  readonly metadata: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] }
  readonly status: { readonly phase?: string }
}
const read = async (name: string) => (await api.get<Space>(`${spaces}/${name}`)).body
const end = async (name: string, options?: object) => (await api.send('DELETE', `${spaces}/${name}`, options)).body as unknown as Space

test('the first delete marks a namespace even without finalizers, the second one removes it', async () => {
  await api.create(spaces, { metadata: { name: 'bare' } })
  assert.equal((await finalize('bare', [])).status, 200)
  const marked = await end('bare')
  assert.deepEqual([marked.kind, marked.status.phase], ['Namespace', 'Terminating'])
  assert.equal((await read('bare')).status.phase, 'Terminating')
  assert.equal((await end('bare')).kind, 'Status')
  assertFailure(await api.get(`${spaces}/bare`), 404, 'NotFound')
})

test('further deletes change nothing while a finalizer of the spec is left', async () => {
  await api.create(spaces, { metadata: { name: 'kept' } })
  const first = await end('kept')
  assert.deepEqual(await end('kept', { propagationPolicy: 'Orphan' }), first)
  assert.equal(first.metadata.finalizers, undefined)
  assert.equal((await finalize('kept', [])).status, 200)
  assertFailure(await api.get(`${spaces}/kept`), 404, 'NotFound')
})

test('preconditions are named as in the reference', async () => {
  await api.create(spaces, { metadata: { name: 'held' } })
  const answer = await api.send('DELETE', `${spaces}/held`, { preconditions: { uid: 'x' } })
  const what =
    /^Operation cannot be fulfilled on namespaces "held": Precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]{36}$/
  assertFailure(answer, 409, 'Conflict', what)
})

test('finalizers of the spec are qualified names', async () => {
  await api.create(spaces, { metadata: { name: 'named' } })
  const { details } = assertFailure(await finalize('named', ['a b']), 422, 'Invalid')
  assert.deepEqual(
    details?.causes?.map(({ field, message }) => [field, message?.slice(0, 60)]),
    [
      ['spec.finalizers[0]', 'Invalid value: "a b": name part must consist of alphanumeric'],
      ['spec.finalizers[0]', 'Invalid value: "a b": name is neither a standard finalizer n'],
    ],
  )
})

test('a list of any version has one page', async () => {
  const list = async (query: string) => {
    const { body } = await api.get<{ items: object[]; metadata: { continue?: string } }>(`${spaces}?${query}`)
    return [body.items.length > 1, body.metadata.continue !== undefined]
  }
  assert.deepEqual(await list('limit=1'), [false, true])
  assert.deepEqual(await list('limit=1&resourceVersion=0'), [true, false])
})
