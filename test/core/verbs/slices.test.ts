/** One request has one count of time slices: a large body lets others run between the stages of the write, whatever was stored before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../../core/ports.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { definitionsPath, smallDefinition } from '../../conformance/definitions.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

/** Advances with each reading by more than a slice, so that each stage of a large write pauses; `pauses` counts that. */
function hastyClock(): Clock & { pauses: number } {
  let now = 0
  return {
    ...webClock,
    pauses: 0,
    monotonic() {
      now += 10
      return webClock.monotonic() + now
    },
    pause() {
      this.pauses++
      return new Promise((resolve) => void setImmediate(resolve))
    },
  }
}

test('a large body pauses between the stages of its write, whatever was stored before', async (t) => {
  const clock = hastyClock()
  // Watch caches pause, too, while they are filled.
  const { api } = await startInProcess({ controllers: [], watchCache: false, clock }, t)
  /** Pauses of one request whose body has so many bytes of data. */
  async function pausesOf(method: string, name: string, bytes: number, query = ''): Promise<number> {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { a: method.repeat(bytes / method.length) },
    })
    const before = clock.pauses
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json'
    const path = method === 'POST' ? configMaps : `${configMaps}/${name}`
    const { status, body: answer } = await api.send(method, `${path}${query}`, body, { 'content-type': type })
    assert.ok(status === 200 || status === 201, JSON.stringify(answer))
    return clock.pauses - before
  }
  // The work of the start, which pauses between its keys, on a busy machine with time in between.
  let [seen, quiet] = [-1, 0]
  await eventually('the work of the start is done', async () => {
    quiet = seen === clock.pauses ? quiet + 1 : 0
    seen = clock.pauses
    return quiet === 20
  })
  const [small, large] = [64, 100_000]
  assert.equal(await pausesOf('POST', 'small', small), 0)
  assert.equal(await pausesOf('PUT', 'small', small), 0, 'a small update of a small object')
  const created = await pausesOf('POST', 'large', large)
  const over = await pausesOf('PUT', 'large', large)
  assert.ok(created >= 5, `a create: ${created}`)
  assert.ok(over >= created, `an update of a large object: ${over}, a create: ${created}`)
  assert.equal(await pausesOf('PUT', 'small', large), over, 'an update of a small object')
  // Its body is parsed and converted without a pause.
  assert.equal(await pausesOf('PUT', 'large', small), over - 2, 'a small update of a large object')
  const applied = await pausesOf('PATCH', 'applied', large, '?fieldManager=a')
  assert.ok(applied >= created, `an applied configuration of a missing object: ${applied}`)
})

test('a small body that defaults make large pauses between the stages of its write', async (t) => {
  const clock = hastyClock()
  const { api } = await startInProcess({ watchCache: false, clock }, t)
  const entries = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`f${index}`, 'a']))
  const spec = { type: 'object', additionalProperties: { type: 'string' }, default: entries }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  const path = '/apis/example.com/v1/wides'
  await api.create(definitionsPath, smallDefinition('example.com', 'Wide', { scope: 'Cluster', openAPIV3Schema }))
  await eventually('a served definition', async () => (await api.get(path)).status === 200)
  const create = async (name: string, rest: object) => {
    const before = clock.pauses
    await api.create(path, { apiVersion: 'example.com/v1', kind: 'Wide', metadata: { name }, ...rest })
    return clock.pauses - before
  }
  const small = await create('small', { spec: {} })
  assert.ok((await create('large', {})) >= small + 3, 'pauses')
})
