import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import { type Answer, type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { budget, budgets, conditionOf, pod, pods, runningPod } from './objects.ts'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess()
  api = running.api
})
after(() => running.close())

const evict = (name: string, more: object = {}, query = '') =>
  api.send<Status>('POST', `${pods}/${name}/eviction${query}`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more })

function assertDone({ status, body }: Answer<Status>): void {
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

const refusal = "Cannot evict pod as it would violate the pod's disruption budget."
const gone = async (name: string) => (await api.get(`${pods}/${name}`)).status === 404
const terminating = async (name: string) => (await api.get(`${pods}/${name}`)).body.metadata.deletionTimestamp !== undefined
const statusOf = async (name: string) => (await api.get(`${budgets}/${name}`)).body.status ?? {}

/** The only cause in the details of a refusal by a budget. */
function causeOf(answer: Answer<Status>): string | undefined {
  const { details } = assertFailure(answer, 429, 'TooManyRequests', refusal)
  assert.deepEqual(
    details?.causes?.map(({ reason }) => reason),
    ['DisruptionBudget'],
  )
  return details?.causes?.[0]?.message
}

describe('eviction without a PodDisruptionBudget', () => {
  test('deletes the pod and sets its DisruptionTarget condition', async () => {
    await runningPod(api, 'free')
    assertDone(await evict('free'))
    const { body } = await api.get(`${pods}/free`)
    assert.equal(body.metadata.deletionGracePeriodSeconds, 30)
    const { status, reason, message } = conditionOf(body, 'DisruptionTarget') ?? {}
    assert.deepEqual([status, reason, message], ['True', 'EvictionByEvictionAPI', 'Eviction API: evicting'])
  })

  test('honours the delete options', async () => {
    await runningPod(api, 'prompt')
    assertDone(await evict('prompt', { deleteOptions: { gracePeriodSeconds: 0 } }))
    assert.ok(await gone('prompt'))
  })

  test('honours preconditions', async () => {
    const { metadata } = await runningPod(api, 'exact')
    const uid = await evict('exact', { deleteOptions: { preconditions: { uid: 'other' } } })
    assertFailure(uid, 409, 'Conflict', /the UID in the precondition \(other\) does not match/)
    const old = await evict('exact', { deleteOptions: { preconditions: { resourceVersion: '1' } } })
    assertFailure(old, 409, 'Conflict', /the ResourceVersion in the precondition \(1\) does not match/)
    assertDone(await evict('exact', { deleteOptions: { preconditions: { resourceVersion: metadata.resourceVersion, uid: metadata.uid } } }))
    assert.ok(await terminating('exact'))
  })

  test('a dry run, in the query or in the body, changes nothing', async () => {
    const { metadata } = await runningPod(api, 'dry')
    assertDone(await evict('dry', {}, '?dryRun=All'))
    assertDone(await evict('dry', { deleteOptions: { dryRun: ['All'] } }))
    assert.equal((await api.get(`${pods}/dry`)).body.metadata.resourceVersion, metadata.resourceVersion)
  })

  test('refuses another pod than in the URL', async () => {
    assertFailure(await evict('nobody'), 404, 'NotFound', 'pods "nobody" not found')
    const other = await api.send('POST', `${pods}/free/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'other' },
    })
    assertFailure(other, 400, 'BadRequest', 'name in URL does not match name in Eviction object')
  })
})

describe('eviction with a PodDisruptionBudget', () => {
  test('decrements disruptionsAllowed and records the pod in disruptedPods', async () => {
    await runningPod(api, 'counted')
    await budget(api, 'counted', 'counted', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })
    assertDone(await evict('counted', {}, '?dryRun=All'))
    assert.equal((await statusOf('counted'))['disruptionsAllowed'], 1)
    assertDone(await evict('counted'))
    const status = await statusOf('counted')
    assert.equal(status['disruptionsAllowed'], 0)
    assert.match((status['disruptedPods'] as { [pod: string]: string })['counted'] ?? '', /Z$/)
    const allowed = conditionOf((await api.get(`${budgets}/counted`)).body, 'DisruptionAllowed')
    assert.deepEqual([allowed?.status, allowed?.reason], ['False', 'InsufficientPods'])
  })

  test('is refused when no disruptions are left', async () => {
    await runningPod(api, 'needed')
    await budget(api, 'needed', 'needed', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 })
    const answer = await evict('needed')
    assert.equal(causeOf(answer), 'The disruption budget needed needs 1 healthy pods and has 1 currently')
    assert.equal(answer.headers.get('retry-after'), null)
    assert.equal(await terminating('needed'), false)
  })

  test('is refused by a budget with an empty selector, which selects all pods of its namespace', async () => {
    const [all, none] = ['all', 'none'].map((name) => `/api/v1/namespaces/${name}/pods`) as [string, string]
    for (const [path, selector] of [
      [all, {}],
      [none, undefined],
    ] as const) {
      const namespace = path.split('/')[4] as string
      await api.create('/api/v1/namespaces', { metadata: { name: namespace } })
      await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } })
      await api.create(path, pod('p', { nodeName: 'node-1' }))
      await api.patch(`${path}/p/status`, { status: { phase: 'InProcess', conditions: [{ type: 'Ready', status: 'True' }] } })
      const there = budgets.replace('default', namespace)
      await api.create(there, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector } })
      await api.patch(`${there}/b/status`, {
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
      })
    }
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }
    assertFailure(await api.send<Status>('POST', `${all}/p/eviction`, eviction), 429, 'TooManyRequests', refusal)
    assertDone(await api.send<Status>('POST', `${none}/p/eviction`, eviction))
  })

  test('reports why the disruption controller could not sync', async () => {
    const condition = { type: 'DisruptionAllowed', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z', message: 'no controller' }
    await runningPod(api, 'unsynced')
    await budget(api, 'unsynced', 'unsynced', {
      conditions: [{ ...condition, reason: 'SyncFailed' }],
      currentHealthy: 0,
      desiredHealthy: 1,
    })
    assert.equal(
      causeOf(await evict('unsynced')),
      'The disruption budget unsynced does not allow evicting pods currently because it failed sync: no controller',
    )
    await runningPod(api, 'blocked')
    await budget(api, 'blocked', 'blocked', { conditions: [{ ...condition, reason: 'Other' }], currentHealthy: 2, desiredHealthy: 1 })
    assert.equal(
      causeOf(await evict('blocked')),
      'The disruption budget blocked does not allow evicting pods currently (Other): no controller',
    )
  })

  test('is refused until the controller has observed the new spec', async () => {
    await runningPod(api, 'renewed')
    await budget(api, 'renewed', 'renewed', { disruptionsAllowed: 1 })
    await api.patch(`${budgets}/renewed`, { spec: { minAvailable: 0 } })
    const answer = await evict('renewed')
    assert.equal(causeOf(answer), 'The disruption budget renewed is still being processed by the server.')
    assert.equal(answer.headers.get('retry-after'), '10')
  })

  test('is refused when two budgets match the pod', async () => {
    await runningPod(api, 'twice')
    await budget(api, 'twice-a', 'twice', { disruptionsAllowed: 1 })
    await budget(api, 'twice-b', 'twice', { disruptionsAllowed: 1 })
    const { status, body } = await evict('twice')
    assert.deepEqual(
      [status, body.status, body.code, body.message],
      [500, 'Failure', 500, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'],
    )
  })

  test('ignores the budget for pods that are pending, finished or terminating', async () => {
    await api.create(pods, pod('pending'))
    await runningPod(api, 'over')
    await api.patch(`${pods}/over/status`, { status: { phase: 'Succeeded' } })
    await runningPod(api, 'leaving')
    for (const name of ['pending', 'over', 'leaving']) await budget(api, name, name, { disruptionsAllowed: 0, desiredHealthy: 1 })
    await api.delete(`${pods}/leaving`)
    for (const name of ['pending', 'over', 'leaving']) assertDone(await evict(name))
    assert.deepEqual([await gone('pending'), await gone('over'), await terminating('leaving')], [true, true, true])
  })

  test('handles unready pods by unhealthyPodEvictionPolicy', async () => {
    const short = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 }
    const enough = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }
    for (const name of ['sick-short', 'sick-enough', 'sick-always']) await runningPod(api, name, false)
    await budget(api, 'sick-short', 'sick-short', short)
    await budget(api, 'sick-enough', 'sick-enough', enough)
    await budget(api, 'sick-always', 'sick-always', short, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    causeOf(await evict('sick-short'))
    assertDone(await evict('sick-enough'))
    assertDone(await evict('sick-always'))
  })

  test('concurrent evictions never exceed disruptionsAllowed', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `crowd-${index}`)
    for (const name of names) {
      await runningPod(api, name)
      await api.patch(`${pods}/${name}`, { metadata: { labels: { app: 'crowd' } } })
    }
    await budget(api, 'crowd', 'crowd', { disruptionsAllowed: 3, currentHealthy: 8, desiredHealthy: 5 })
    const answers = await Promise.all(names.map((name) => evict(name)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 429, 429, 429, 429, 429])
    const status = await statusOf('crowd')
    assert.equal(status['disruptionsAllowed'], 0)
    assert.equal(Object.keys(status['disruptedPods'] ?? {}).length, 3)
  })
})
