import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { externalKeys } from '../../../../../core/access/authn/service-account/external-keys.ts'
import { CallError } from '../../../../../core/ports.ts'
import { ManualClock } from '../../../../support/clock.ts'
import { silentLogger } from '../../../../support/logger.ts'
import { eventually } from '../../../../support/wait.ts'

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const key = (keyId: string, more: object = {}) => ({ keyId, key: newKey(), ...more })

type Answer = Awaited<ReturnType<Parameters<typeof externalKeys>[0]>>

async function follow(first: Answer) {
  const clock = new ManualClock()
  const errors: object[] = []
  let answer: Answer | Error = first
  let asked = 0
  const fetch = async () => {
    asked++
    if (answer instanceof Error) throw answer
    return answer
  }
  const keys = await externalKeys(fetch, clock, { ...silentLogger, error: (fields) => void errors.push(fields) })
  const ids = async () => (await keys.keysFor(undefined)).map(({ id }) => id)
  return {
    clock,
    keys,
    ids,
    errors,
    asked: () => asked,
    answer(next: Answer | Error) {
      answer = next
    },
  }
}

test('keys are refreshed at the interval of the signer; failures keep the old keys and are retried', async () => {
  const { clock, keys, ids, errors, asked, answer } = await follow({ keys: [key('a')], refreshHintSeconds: 60 })
  assert.deepEqual(await ids(), ['a'])
  assert.equal(keys.maxAge(), 60)
  answer({ keys: [key('a'), key('b')], refreshHintSeconds: 30 })
  clock.advance(59_000)
  assert.deepEqual([asked(), keys.maxAge()], [1, 1])
  clock.advance(1_000)
  await eventually('the new key', async () => (await ids()).length === 2)
  await eventually('the next appointment', async () => clock.pending === 1)
  answer(new CallError(14, 'gone'))
  clock.advance(30_000)
  await eventually('the failure', async () => errors.length === 1 && clock.pending === 1)
  assert.deepEqual(await ids(), ['a', 'b'])
  assert.equal(keys.maxAge(), 0)
  answer({ keys: [key('c')], refreshHintSeconds: 30 })
  clock.advance(10_000)
  await eventually('the third key', async () => (await ids()).join() === 'c')
  keys.close()
  assert.equal(clock.pending, 0)
})

test('an unknown key id triggers one refresh at a time', async () => {
  const { keys, asked, answer } = await follow({ keys: [key('a')], refreshHintSeconds: 60 })
  assert.equal((await keys.keysFor('a')).length, 1)
  assert.equal(asked(), 1)
  answer({ keys: [key('a'), key('b')], refreshHintSeconds: 60 })
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.keysFor('b')))
  assert.ok(found.every((each) => each[0]?.id === 'b'))
  assert.equal(asked(), 2)
  assert.deepEqual(await keys.keysFor('nobody'), [])
  answer(new CallError(14, 'gone'))
  assert.deepEqual(await keys.keysFor('nobody'), [])
})

test('keys excluded from OIDC discovery verify tokens but are not published', async () => {
  const { keys, ids } = await follow({ keys: [key('a'), key('b', { excludeFromOidcDiscovery: true })], refreshHintSeconds: 60 })
  assert.deepEqual(await ids(), ['a', 'b'])
  assert.deepEqual(
    keys.published().map(({ id, jwk }) => [id, jwk['kid']]),
    [['a', 'a']],
  )
  assert.deepEqual([await keys.isPublished('a'), await keys.isPublished('b')], [true, false])
})

test('an invalid response is refused as a whole', async () => {
  const cases: readonly (readonly [Answer, RegExp])[] = [
    [{ keys: [key('a')] }, /invalid refresh hint \(0s\)/],
    [{ keys: [key('a')], refreshHintSeconds: -1 }, /invalid refresh hint/],
    [{ refreshHintSeconds: 60 }, /no keys/],
    [{ keys: [key('a'), key('')], refreshHintSeconds: 60 }, /invalid public key id ""/],
    [{ keys: [key('x'.repeat(1025))], refreshHintSeconds: 60 }, /invalid public key id/],
    [{ keys: [{ keyId: 'a' }], refreshHintSeconds: 60 }, /empty public key/],
    [{ keys: [{ keyId: 'a', key: 'AAAA' }], refreshHintSeconds: 60 }, /./],
  ]
  for (const [answer, message] of cases) await assert.rejects(follow(answer), message)
})
