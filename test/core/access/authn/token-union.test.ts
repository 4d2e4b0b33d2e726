import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Authentication, AuthenticationError, type TokenAuthenticator } from '../../../../core/access/authn/authenticator.ts'
import { countedTokens, tokenRows } from '../../../../core/access/authn/metrics.ts'
import { tokenUnion } from '../../../../core/access/authn/token-union.ts'
import { noted } from '../../../support/noted.ts'
import { testClock } from './clock.ts'

const user = (name: string): NonNullable<Authentication> => ({ user: { name, groups: [] } })

/** Accepts tokens by a table that the test changes; counts its calls. */
function method(name: string, late = false) {
  const users = new Map<string, Authentication | Error>()
  const state = { users, asked: 0 }
  const answer = (token: string): Authentication => {
    const found = users.get(token)
    if (found instanceof Error) throw found
    return found
  }
  const authenticateToken = (token: string) => {
    state.asked++
    return late ? Promise.resolve(token).then(answer) : answer(token)
  }
  return { ...state, users, authenticateToken, name, count: () => state.asked }
}

for (const late of [false, true]) {
  const when = late ? 'that makes callers wait' : 'that answers at once'

  test(`the authenticator that accepted a token is called first: authenticator ${when}`, async () => {
    const [first, second] = [method('first', late), method('second', late)]
    const union: TokenAuthenticator = tokenUnion([first, second])
    second.users.set('t', user('jane'))
    assert.deepEqual(await union.authenticateToken('t', undefined, undefined), user('jane'))
    assert.deepEqual(await union.authenticateToken('t', undefined, undefined), user('jane'))
    assert.deepEqual([first.count(), second.count()], [1, 2], 'the first authenticator is not called again')
  })

  test(`a token is looked up anew when its authenticator no longer accepts it: authenticator ${when}`, async () => {
    const [first, second] = [method('first', late), method('second', late)]
    const union = tokenUnion([first, second])
    second.users.set('t', user('jane'))
    await union.authenticateToken('t', undefined, undefined)

    second.users.delete('t')
    assert.equal(await union.authenticateToken('t', undefined, undefined), undefined, 'no longer accepted by any')
    second.users.set('t', user('jane'))
    await union.authenticateToken('t', undefined, undefined)

    second.users.set('t', new AuthenticationError('token has expired'))
    await assert.rejects(async () => union.authenticateToken('t', undefined, undefined), /token has expired/)
    first.users.set('t', user('bob'))
    assert.deepEqual(await union.authenticateToken('t', undefined, undefined), user('bob'), 'accepted by the other')
    second.users.set('t', user('jane'))
    assert.deepEqual(await union.authenticateToken('t', undefined, undefined), user('bob'), 'which is called first from then on')
  })
}

test('metrics count a synchronous answer as a hit and an asynchronous one as a miss', async () => {
  const reports: string[] = []
  const clock = testClock(0)
  const [quick, slow] = [method('quick'), method('slow', true)]
  const metrics = noted(tokenRows, (...entry) => void reports.push(entry.join(' ')))
  const tokens = countedTokens(tokenUnion([quick, slow]), metrics, clock)
  const told = () => reports.splice(0)
  const waiting = (change: number) => [`active in_flight ${change}`, `active blocked ${change}`]
  const answered = (result: string, seconds: number) => [`requests ${result}`, `durations ${result} ${seconds}`]
  quick.users.set('known', user('jane'))
  tokens.authenticateToken('known', undefined, undefined)
  assert.deepEqual(told(), answered('hit', 0))

  slow.users.set('new', user('bob'))
  const answer = tokens.authenticateToken('new', undefined, undefined)
  assert.deepEqual(told(), waiting(1), 'one caller waits')
  clock.time += 40
  assert.deepEqual(await answer, user('bob'))
  assert.deepEqual(told(), [...waiting(-1), 'fetches ok', ...answered('miss', 0.04)])

  slow.users.set('bad', new AuthenticationError('bad'))
  await assert.rejects(async () => tokens.authenticateToken('bad', undefined, undefined), /bad/)
  assert.deepEqual(told(), [...waiting(1), ...waiting(-1), 'fetches error', ...answered('miss', 0)])

  quick.users.set('worse', new AuthenticationError('worse'))
  slow.users.set('worse', user('jane'))
  assert.deepEqual(await tokens.authenticateToken('worse', undefined, undefined), user('jane'), 'one error does not stop it')
})
