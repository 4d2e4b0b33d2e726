/** Resources with an asynchronous converter: every verb works in every version, and the stored version stays as it is. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiError } from '../../../../core/answers/status.ts'
import type { Clock } from '../../../../core/ports.ts'
import { type ApiObject, type Converter, type ResourceDefinition, resource } from '../../../../core/resources/definition.ts'
import { ObjectMeta } from '../../../../core/resources/meta/index.ts'
import { field, message, string } from '../../../../core/schema/model.ts'
import { type Api, assertFailure, type TestObject } from '../../../support/api.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startCore } from '../../../support/core-server.ts'
import { apiOn } from '../../../support/in-process.ts'
import { watchAt } from '../../../support/watch-reader.ts'

const group = 'names.example.com'
const at = (version: string, name = '') => `/apis/${group}/${version}/namespaces/default/people${name && `/${name}`}`

/** Converts between `v1` with a full name and `v2` with its two halves. */
class Names implements Converter {
  /** Number of objects in each call. */
  readonly calls: number[] = []
  broken = false
  /** Conversions wait for it. */
  gate: Promise<void> | undefined
  /** Called when one waits. */
  waits = () => {}
  convert(objects: readonly ApiObject[], apiVersion: string): Promise<readonly ApiObject[]> {
    this.calls.push(objects.length)
    if (this.gate) {
      const { gate } = this
      this.waits()
      this.gate = undefined
      return gate.then(() => this.convert(objects, apiVersion))
    }
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (this.broken) reject(new ApiError('InternalError', 'conversion is out of order'))
        else resolve(objects.map((object) => converted(object, apiVersion)))
      })
    })
  }
}

interface Spec {
  full?: string
  first?: string
  last?: string
}

function converted(object: ApiObject, apiVersion: string): ApiObject {
  if (object.apiVersion === apiVersion) return object
  const { full = '', first = '', last = '', ...rest } = object['spec'] as Spec
  const [one = '', ...others] = full.split(' ')
  const spec = apiVersion.endsWith('v1') ? { ...rest, full: `${first} ${last}` } : { ...rest, first: one, last: others.join(' ') }
  return { ...structuredClone(object), apiVersion, spec }
}

function rowsOf(converter: Converter, stored: 'v1' | 'v2'): ResourceDefinition[] {
  const row = (version: string, names: readonly string[]) =>
    resource({
      group,
      version,
      kind: 'Person',
      names: ['people', 'person'],
      storageKey: `${group}/people`,
      storageVersion: `${group}/${stored}`,
      versioning: { heldIn: 'requested', converter },
      selectable: Object.fromEntries(names.map((name) => [`spec.${name}`, `.spec.${name}` as const])),
      schema: message('', '', {
        metadata: field(1, ObjectMeta, ''),
        spec: field(
          2,
          message('', '', {
            ...Object.fromEntries(names.map((name) => [name, field(0, string, '')])),
            language: field(0, string, '', { default: version === 'v1' ? 'en' : 'de' }),
          }),
          '',
        ),
      }).with({ typeMeta: true }),
    })
  return [row('v1', ['full']), row('v2', ['first', 'last'])]
}

interface Registry extends Api {
  readonly names: Names
  store(version: 'v1' | 'v2'): void
}

async function open(t: TestContext, { clock, ...options }: { watchCache?: boolean; clock?: Clock } = {}): Promise<Registry> {
  const server = await startCore(options, clock && { clock })
  t.after(() => server.close())
  const names = new Names()
  const store = (version: 'v1' | 'v2') => server.table.replace(group, rowsOf(names, version))
  store('v1')
  return { ...apiOn(server), names, store }
}

const person = (name: string, full: string, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Person',
  metadata: { name, ...metadata },
  spec: { full },
})
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const specOf = ({ apiVersion, spec }: TestObject) => [apiVersion.slice(group.length + 1), spec]

for (const watchCache of [true, false]) {
  const how = watchCache ? 'with watch cache' : 'without watch cache'
  test(`each verb in both versions, ${how}`, async (t) => {
    const registry = await open(t, { watchCache })
    const created = await registry.create(at('v1'), person('ada', 'Ada Lovelace'))
    assert.deepEqual(specOf(created), ['v1', { full: 'Ada Lovelace', language: 'en' }])
    const second = { first: 'Ada', last: 'Lovelace', language: 'en' }
    assert.deepEqual(specOf((await registry.get(at('v2', 'ada'))).body), ['v2', second])
    const put = await registry.send('PUT', at('v2', 'ada'), {
      ...(await registry.get(at('v2', 'ada'))).body,
      spec: { first: 'Augusta', last: 'King' },
    })
    assert.deepEqual(specOf(put.body), ['v2', { first: 'Augusta', last: 'King', language: 'de' }])
    assert.deepEqual(specOf((await registry.get(at('v1', 'ada'))).body), ['v1', { full: 'Augusta King', language: 'de' }])
    const patched = await registry.patch(at('v2', 'ada'), { spec: { last: 'Byron' } })
    assert.deepEqual(specOf(patched.body), ['v2', { first: 'Augusta', last: 'Byron', language: 'de' }])
    const fresh = await registry.create(at('v2'), { ...person('bob', ''), apiVersion: `${group}/v2`, spec: { first: 'Bob', last: 'Ross' } })
    assert.deepEqual(specOf(fresh), ['v2', { first: 'Bob', last: 'Ross', language: 'de' }])
    const list = await registry.list(at('v1'))
    assert.equal(list.apiVersion, `${group}/v1`)
    assert.deepEqual(
      list.items.map(({ spec }) => spec?.['full']),
      ['Augusta Byron', 'Bob Ross'],
    )
    const selected = await registry.list(`${at('v2')}?fieldSelector=spec.last%3DRoss`)
    assert.deepEqual(
      selected.items.map(({ metadata }) => metadata.name),
      ['bob'],
    )
    const page = await registry.list(`${at('v2')}?fieldSelector=spec.last!%3Dnone&limit=1`)
    assert.deepEqual([page.items.length, page.items[0]?.metadata.name], [1, 'ada'])
    const rest = await registry.list(`${at('v2')}?fieldSelector=spec.last!%3Dnone&limit=1&continue=${page.metadata.continue}`)
    assert.deepEqual([rest.items[0]?.metadata.name, rest.metadata.continue], ['bob', undefined])
    assertFailure(await registry.get(`${at('v1')}?fieldSelector=spec.last%3DRoss`), 400, 'BadRequest')
    assert.equal((await registry.delete(at('v2', 'bob'))).status, 200)
  })

  test(`a watch reports changes in its version, in order, ${how}`, async (t) => {
    const registry = await open(t, { watchCache })
    const watch = await watchAt(registry.fetch, at('v2'))
    const selected = await watchAt(registry.fetch, at('v2'), { fieldSelector: 'spec.last=Lovelace' })
    await registry.create(at('v1'), person('ada', 'Ada Lovelace'))
    await registry.patch(at('v1', 'ada'), { spec: { full: 'Ada King' } })
    await registry.delete(at('v1', 'ada'))
    const seen = [await watch.object(), await watch.object(), await watch.object()]
    assert.deepEqual(
      seen.map(({ type, object }) => [type, object.apiVersion, object.spec?.['last']]),
      [
        ['ADDED', `${group}/v2`, 'Lovelace'],
        ['MODIFIED', `${group}/v2`, 'King'],
        ['DELETED', `${group}/v2`, 'King'],
      ],
    )
    assert.deepEqual([(await selected.object()).type, (await selected.object()).type], ['ADDED', 'DELETED'])
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion))
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    )
    await watch.close()
    await selected.close()
  })
}

test('lists convert objects in batches, and once; a GET asks again', async (t) => {
  const registry = await open(t)
  for (const name of ['a', 'b', 'c']) await registry.create(at('v1'), person(name, `${name} z`))
  assert.deepEqual(registry.names.calls, [])
  await registry.list(at('v2'))
  assert.deepEqual(registry.names.calls, [3])
  await registry.list(at('v2'))
  await registry.list(`${at('v2')}?fieldSelector=spec.last%3Dz`)
  assert.deepEqual(registry.names.calls, [3])
  // The converter may answer otherwise by now.
  await registry.get(at('v2', 'a'))
  assert.deepEqual(registry.names.calls, [3, 1])
  await registry.patch(at('v1', 'b'), { metadata: { labels: { x: 'y' } } })
  await registry.list(at('v2'))
  assert.deepEqual(registry.names.calls, [3, 1, 1])
})

test('when the storage version changes, an update without changes rewrites the object', async (t) => {
  const registry = await open(t)
  const { metadata } = await registry.create(at('v1'), person('ada', 'Ada Lovelace'))
  registry.store('v2')
  const first = (await registry.get(at('v1', 'ada'))).body
  assert.deepEqual([first.metadata.resourceVersion, first.spec], [metadata.resourceVersion, { full: 'Ada Lovelace', language: 'en' }])
  const second = (await registry.get(at('v2', 'ada'))).body
  assert.deepEqual(second.spec, { first: 'Ada', last: 'Lovelace', language: 'en' })
  const { body: moved } = await registry.send('PUT', at('v1', 'ada'), first)
  assert.notEqual(moved.metadata.resourceVersion, metadata.resourceVersion)
  const { body: same } = await registry.send('PUT', at('v1', 'ada'), moved)
  assert.equal(same.metadata.resourceVersion, moved.metadata.resourceVersion)
  assert.deepEqual((await registry.get(at('v2', 'ada'))).body.spec, second.spec)
})

test('managed fields of one version stay owned in the other', async (t) => {
  const registry = await open(t)
  const apply = (version: string, manager: string, spec: object) =>
    registry.send(
      'PATCH',
      `${at(version, 'ada')}?fieldManager=${manager}`,
      { apiVersion: `${group}/${version}`, kind: 'Person', metadata: { name: 'ada' }, spec },
      { 'content-type': 'application/apply-patch+yaml' },
    )
  assert.equal((await apply('v1', 'one', { full: 'Ada Lovelace' })).status, 201)
  assert.equal((await apply('v2', 'two', { language: 'fr' })).status, 200)
  assertFailure(await apply('v2', 'two', { first: 'Augusta' }), 409, 'Conflict', /conflict with "one": .spec.full/)
  assert.deepEqual((await registry.get(at('v1', 'ada'))).body.spec, { full: 'Ada Lovelace', language: 'fr' })
})

test('a failed conversion is reported, and the other version is served', async (t) => {
  const registry = await open(t)
  await registry.create(at('v1'), person('ada', 'Ada Lovelace'))
  registry.names.broken = true
  for (const path of [at('v2'), at('v2', 'ada')])
    assertFailure(await registry.get(path), 500, 'InternalError', 'conversion is out of order')
  assert.equal((await registry.get(at('v1', 'ada'))).status, 200)
  registry.names.broken = false
  const watch = await watchAt(registry.fetch, at('v2'))
  assert.equal((await watch.object()).type, 'ADDED')
  registry.names.broken = true
  await registry.patch(at('v1', 'ada'), { spec: { full: 'Ada King' } })
  const events = await watch.rest()
  assert.deepEqual(
    events.map(({ type, object }) => [type, (object as { message?: string }).message]),
    [['ERROR', 'conversion is out of order']],
  )
  registry.names.broken = false
  assert.equal((await registry.get(at('v2', 'ada'))).status, 200)
})

test('a write that waits for its conversion at the deadline is not made afterwards', async (t) => {
  const clock = new ManualClock()
  const registry = await open(t, { clock })
  await registry.create(at('v1'), person('kept', 'Ada Lovelace'))
  const inV2 = (name: string) => ({ ...person(name, ''), apiVersion: `${group}/v2`, spec: { first: 'Late', last: 'Comer' } })
  const held = async (write: () => Promise<{ status: number }>) => {
    let goOn = () => {}
    const waiting = new Promise<void>((resolve) => {
      registry.names.waits = resolve
    })
    registry.names.gate = new Promise((resolve) => {
      goOn = resolve
    })
    const answer = write()
    await waiting
    clock.advance(1_000)
    assert.equal((await answer).status, 504)
    goOn()
  }
  await held(() => registry.send('POST', `${at('v2')}?timeout=1s`, inV2('new')))
  // Read before: then the only conversion of the update is that of the new object.
  await registry.get(at('v2', 'kept'))
  await held(() => registry.send('PATCH', `${at('v2', 'kept')}?timeout=1s`, { spec: { last: 'Comer' } }, mergePatch))
  // A later write of the same object waits for the ones before it.
  await registry.patch(at('v1', 'kept'), { metadata: { labels: { seen: 'yes' } } })
  const after = await registry.list(at('v1'))
  assert.deepEqual(
    after.items.map(({ metadata, spec }) => [metadata.name, spec?.['full'], metadata.labels]),
    [['kept', 'Ada Lovelace', { seen: 'yes' }]],
  )
})
