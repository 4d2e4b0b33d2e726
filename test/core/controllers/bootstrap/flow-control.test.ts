/** Priority levels and flow schemas that every cluster has, as kube-apiserver 1.36 keeps them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { revised } from '../../../../core/controllers/bootstrap/flow-control.ts'
import { flowControlObjects } from '../../../../core/controllers/bootstrap/flow-control-objects.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import type { TestObject } from '../../../support/api.ts'
import { apiOn, startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const platform = createPlatform('kubernetes')
const base = '/apis/flowcontrol.apiserver.k8s.io/v1'
const annotation = 'apf.kubernetes.io/autoupdate-spec'

/** A clock with a switch that runs all timers of a minute. */
function minuteClock() {
  const due = new Set<() => void>()
  return {
    clock: {
      ...webClock,
      after(milliseconds: number, callback: () => void) {
        if (milliseconds !== 60_000) return webClock.after(milliseconds, callback)
        due.add(callback)
        return () => void due.delete(callback)
      },
    },
    tick() {
      const callbacks = [...due]
      due.clear()
      for (const callback of callbacks) callback()
    },
  }
}

async function start(t: TestContext, store = memoryStore()) {
  const { clock, tick } = minuteClock()
  const { api, close } = await startInProcess({ platform, priorityAndFairness: 'on', controllers: [], store, clock }, t)
  return { ...api, tick, close }
}

const read = async (api: Awaited<ReturnType<typeof start>>, path: string) => {
  const response = await api.get(`${base}/${path}`)
  return response.status === 200 ? response.body : undefined
}

test("the objects exist when the server is ready, written by the reference's field manager", async (t) => {
  const api = await start(t)
  const { suggested, mandatory } = flowControlObjects(platform)
  for (const [plural, objects] of [
    ['prioritylevelconfigurations', [...suggested.levels, ...mandatory.levels]],
    ['flowschemas', [...suggested.schemas, ...mandatory.schemas]],
  ] as const) {
    for (const { metadata } of objects) {
      const found = await read(api, `${plural}/${metadata.name}`)
      const managers = (found?.metadata as { managedFields?: { manager: string }[] })?.managedFields?.map(({ manager }) => manager)
      assert.ok(managers?.includes('api-priority-and-fairness-config-producer-v1'), `${plural} ${metadata.name}`)
    }
  }
})

test('each schema reports whether its level exists', async (t) => {
  const api = await start(t)
  const condition = async (name: string) => {
    const schema = await read(api, `flowschemas/${name}`)
    const { conditions = [] } = (schema?.['status'] ?? {}) as { conditions?: { type: string; status: string; reason: string }[] }
    return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join()
  }
  await eventually('a found level', async () => (await condition('probes')) === 'Dangling=False Found')
  const spec = { priorityLevelConfiguration: { name: 'later' }, matchingPrecedence: 500 }
  await api.create(`${base}/flowschemas`, { kind: 'FlowSchema', apiVersion: base.slice(6), metadata: { name: 'early' }, spec })
  await eventually('a missing level', async () => (await condition('early')) === 'Dangling=True NotFound')
  const level = { kind: 'PriorityLevelConfiguration', apiVersion: base.slice(6), metadata: { name: 'later' } }
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } }
  await api.create(`${base}/prioritylevelconfigurations`, { ...level, spec: { type: 'Limited', limited } })
  await eventually('the level is found', async () => (await condition('early')) === 'Dangling=False Found')
  await api.delete(`${base}/prioritylevelconfigurations/later`)
  await eventually('the level is missing again', async () => (await condition('early')) === 'Dangling=True NotFound')
})

test('a review restores what was deleted, and deletes what another release left', async (t) => {
  const api = await start(t)
  await api.delete(`${base}/flowschemas/exempt`)
  await api.delete(`${base}/prioritylevelconfigurations/system`)
  const old = { kind: 'PriorityLevelConfiguration', apiVersion: base.slice(6) }
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } }
  for (const [name, value] of [
    ['old', 'true'],
    ['kept', 'false'],
  ] as const) {
    await api.create(`${base}/prioritylevelconfigurations`, { ...old, metadata: { name, annotations: { [annotation]: value } }, spec })
  }
  await eventually('the review', async () => {
    api.tick()
    const [schema, level, former] = await Promise.all([
      read(api, 'flowschemas/exempt'),
      read(api, 'prioritylevelconfigurations/system'),
      read(api, 'prioritylevelconfigurations/old'),
    ])
    return schema !== undefined && level !== undefined && former === undefined
  })
  assert.ok(await read(api, 'prioritylevelconfigurations/kept'))
})

const [wanted] = flowControlObjects(platform).suggested.levels
assert.ok(wanted)
const changed = (generation: number, value: string | undefined, shares: number): TestObject =>
  ({
    ...wanted,
    metadata: { ...wanted.metadata, generation, annotations: value === undefined ? {} : { [annotation]: value } },
    spec: { type: 'Limited', limited: { ...(wanted['spec'] as { limited: object }).limited, nominalConcurrencyShares: shares } },
  }) as unknown as TestObject

/** [generation, annotation, is the spec changed, mandatory] → the annotation and whether the spec is restored; undefined: no write. */
const rows: readonly (readonly [number, string | undefined, boolean, boolean, readonly [string, boolean] | undefined])[] = [
  [1, 'true', false, false, undefined],
  [2, 'true', true, false, ['true', true]],
  [2, 'false', true, false, undefined],
  [2, undefined, true, false, ['false', false]],
  [2, 'no', true, false, ['false', false]],
  [1, undefined, true, false, ['true', true]],
  [1, 'no', false, false, ['true', false]],
  [2, 'false', true, true, ['true', true]],
  [2, '1', false, true, undefined],
]

for (const [generation, value, isChanged, isMandatory, expected] of rows) {
  test(`a ${isMandatory ? 'mandatory' : 'suggested'} level, generation ${generation}, annotation ${value}, ${isChanged ? 'changed' : 'same'} spec`, () => {
    const stored = changed(generation, value, isChanged ? 7 : 30)
    const result = revised(stored as never, wanted as never, isMandatory, platform)
    const restored = JSON.stringify(result?.['spec']) === JSON.stringify(wanted['spec'])
    assert.deepEqual(result && [result.metadata.annotations?.[annotation], isChanged && restored], expected)
  })
}

test('a webhook that fails keeps no server from starting: the objects are written once it is gone', async (t) => {
  const store = memoryStore()
  const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const { server: earlier } = await startInProcess({ platform, controllers: [], store, clock: webClock })
  const failing = {
    name: 'fails.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }],
  }
  await apiOn(earlier).create(configurations, { metadata: { name: 'fails' }, webhooks: [failing] })
  await earlier.close()

  const server = await start(t, store)
  assert.equal(await read(server, 'flowschemas/catch-all'), undefined)
  assert.equal((await server.delete(`${configurations}/fails`)).status, 200)
  await eventually('the last object of a review', () => read(server, 'flowschemas/catch-all'))
})
