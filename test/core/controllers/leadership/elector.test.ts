/** How long one server believes that it leads, with leases that fail and hang. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ResourceClient } from '../../../../core/controllers/client.ts'
import { startElector } from '../../../../core/controllers/leadership/elector.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'
import { ManualClock } from '../../../support/clock.ts'
import { silentLogger } from '../../../support/logger.ts'

const [leaseDuration, renewDeadline, retryPeriod] = [15_000, 10_000, 2_000]

/** An elector whose lease works, fails, or never answers. */
function setUp() {
  const clock = new ManualClock()
  const state: { lease: 'works' | 'fails' | 'hangs'; leads: boolean } = { lease: 'works', leads: false }
  let stored: ApiObject | undefined
  let version = 0
  const asked = async <T>(answer: () => T): Promise<T> => {
    if (state.lease === 'hangs') return new Promise<T>(() => {})
    if (state.lease === 'fails') throw new Error('no connection')
    return answer()
  }
  const store = (object: ApiObject) => {
    stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } }
    return stored
  }
  const leases: Pick<ResourceClient, 'get' | 'create' | 'update'> = {
    get: () => asked(() => stored),
    create: (_namespace, object) => asked(() => store(object)),
    update: (object) => asked(() => store(object)),
  }
  const elector = startElector({
    clock,
    logger: silentLogger,
    leases: leases as ResourceClient,
    apiVersion: 'coordination.k8s.io/v1',
    namespace: 'kube-system',
    name: 'leader',
    identity: 'this',
    leaseDuration,
    renewDeadline,
    retryPeriod,
    lead() {
      state.leads = true
      return () => {
        state.leads = false
      }
    },
  })
  /** Lets time pass in steps, with the answers of each. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      clock.advance(100)
      await turn()
    }
  }
  return { clock, state, elector, pass }
}

test('a server leads no longer than until the deadline after its last renewal, whether tries fail or hang', async () => {
  for (const [failing, hanging] of [
    [11_000, 0],
    [7_900, 3_100],
    [0, 11_000],
  ] as const) {
    const { state, pass, elector, clock } = setUp()
    await turn()
    await pass(3 * retryPeriod)
    assert.ok(state.leads)
    state.lease = 'fails'
    await pass(failing)
    state.lease = 'hangs'
    await pass(hanging)
    assert.ok(!state.leads, `tries failed for ${failing} ms, then one hung for ${hanging} ms`)
    const left = elector.leave()
    clock.advance(renewDeadline)
    await left
    assert.equal(clock.pending, 0)
  }
})

test('a server goes on leading while its renewals succeed, and leads again after an interruption', async () => {
  const { state, pass, elector, clock } = setUp()
  await turn()
  for (let minute = 0; minute < 3; minute++) {
    await pass(60_000)
    assert.ok(state.leads)
    state.lease = 'fails'
    await pass(renewDeadline - retryPeriod)
    assert.ok(state.leads, 'before the deadline')
    await pass(2 * retryPeriod)
    assert.ok(!state.leads)
    state.lease = 'works'
    await pass(3 * retryPeriod)
    assert.ok(state.leads)
  }
  await elector.leave()
  assert.ok(!state.leads)
  assert.equal(clock.pending, 0)
})
