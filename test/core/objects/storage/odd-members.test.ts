/**
 * Members of custom resources with names that JavaScript treats apart (array indices come first, `__proto__`) or that have to be escaped: what was
 * written is read, listed, watched, changed and deleted, whatever else is in the list, also by objects that are converted or in another form.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { define, smallDefinition } from '../../../conformance/definitions.ts'
import { serverForTests } from '../../../support/in-process.ts'
import { watchAt } from '../../../support/watch-reader.ts'

const group = 'odd.example.com'
const at = (plural: string, version: string, name = '') => `/apis/${group}/${version}/namespaces/default/${plural}${name && `/${name}`}`
const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const api = serverForTests({ controllers: [] })

const names = [
  '0',
  '1',
  '10',
  '9',
  '01',
  '-1',
  '4294967294',
  '4294967295',
  '',
  ' ',
  '"',
  '\\',
  '/',
  '<',
  'é',
  '\u2028',
  '😀',
  '\u0000',
  'a"b\\',
]
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']
/** Members as JSON, also within YAML, where U+2028 ends a line. `__proto__` in a literal is no member. */
const textOf = (all: readonly string[]) => all.map((name) => `${JSON.stringify(name).replace('\u2028', '\\u2028')}:{"a":1}`).join(',')

/** Names at the top level, each alone and all together. */
const sets: { readonly [name: string]: readonly string[] } = {
  ...Object.fromEntries([...names, ...inherited].map((name, index) => [`alone${index}`, [name]])),
  indices: ['0', '1', '10', '9'],
  all: [...names, ...inherited],
}

const kinds = ['Odd', 'Status'] as const
before(async () => {
  for (const kind of kinds) {
    const definition = smallDefinition(group, kind, { versions: kind === 'Odd' ? ['v1', 'v2'] : ['v1'], openAPIV3Schema })
    if (kind === 'Status') Object.assign(definition.spec.versions[0] ?? {}, { subresources: { status: {} } })
    await define(api, definition as unknown as Parameters<typeof define>[1])
  }
})

/** Without what servers add. */
const own = (text: string, version: string) => {
  const { metadata, kind, apiVersion, ...members } = JSON.parse(text) as { metadata: { name: string }; kind: string; apiVersion: string }
  assert.deepEqual([kind, apiVersion, typeof metadata.name], ['Odd', `${group}/${version}`, 'string'])
  return sorted(members)
}
const sorted = (members: object) => Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))

for (const [name, set] of Object.entries(sets))
  test(`${name}: ${JSON.stringify(set)}`, async () => {
    const body = `{"apiVersion":"${group}/v1","kind":"Odd","metadata":{"name":"${name}"},${textOf(set)}}`
    const members = sorted(JSON.parse(`{${textOf(set)}}`) as object)
    const events = await watchAt(api.fetch, at('odds', 'v1'), { fieldSelector: `metadata.name=${name}` })
    const ask = async (method: string, path: string, text?: string, type = 'application/json', accept = 'application/json') => {
      const answer = await api.fetch(path, { method, headers: { 'content-type': type, accept }, ...(text !== undefined && { body: text }) })
      const answered = await answer.text()
      assert.ok(answer.ok, `${method} ${path}: ${answered.slice(0, 300)}`)
      return answered
    }
    const selected = (version: string) => `${at('odds', version)}?fieldSelector=metadata.name%3D${name}`
    assert.deepEqual(own(await ask('POST', at('odds', 'v1'), body), 'v1'), members)
    for (const version of ['v1', 'v2']) {
      const path = at('odds', version, name)
      assert.deepEqual(own(await ask('GET', path), version), members)
      const label = `{"metadata":{"labels":{"${version}":"x"}}}`
      assert.deepEqual(own(await ask('PATCH', path, label, 'application/merge-patch+json'), version), members)
      const applied = `{"apiVersion":"${group}/${version}","kind":"Odd","metadata":{"name":"${name}"},${textOf(set)}}`
      const force = `${path}?fieldManager=m&force=true`
      assert.deepEqual(own(await ask('PATCH', force, applied, 'application/apply-patch+yaml'), version), members)
      assert.deepEqual(own(await ask('PUT', path, await ask('GET', path)), version), members)
      const list = JSON.parse(await ask('GET', selected(version))) as { items: readonly object[] }
      assert.deepEqual(own(JSON.stringify(list.items[0]), version), members)
      for (const form of ['Table', 'PartialObjectMetadataList'])
        JSON.parse(await ask('GET', at('odds', version), undefined, undefined, `application/json;as=${form};v=v1;g=meta.k8s.io`))
      const table = JSON.parse(
        await ask('GET', `${selected(version)}&includeObject=Object`, undefined, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
      ) as { rows: readonly { object: object }[] }
      assert.deepEqual(own(JSON.stringify(table.rows[0]?.object), version), members)
      await ask('GET', `${at('odds', version)}?labelSelector=v1`)
      await ask('GET', at('odds', version), undefined, undefined, 'application/yaml')
    }
    assert.match(await ask('GET', `${at('odds', 'v2')}?labelSelector=v2%3Dx,v1%3Dx`), new RegExp(`"name":"${name}"`))
    await ask('DELETE', at('odds', 'v1', name))
    const seen = await events.until(({ type }) => type === 'DELETED')
    await events.close()
    for (const { object } of seen) assert.deepEqual(own(JSON.stringify(object), 'v1'), members)
  })

test('the status alone is written', async () => {
  const path = at('statuss', 'v1')
  await api.create(path, { apiVersion: `${group}/v1`, kind: 'Status', metadata: { name: 'a' }, 0: { a: 1 } })
  const { status, body } = await api.send(
    'PATCH',
    `${path}/a/status`,
    { status: { 7: 'x' } },
    { 'content-type': 'application/merge-patch+json' },
  )
  assert.equal(status, 200)
  assert.deepEqual([(body as unknown as Record<string, unknown>)['0'], body.status], [{ a: 1 }, { 7: 'x' }])
  assert.deepEqual((await api.get(`${path}/a`)).body, body)
})
