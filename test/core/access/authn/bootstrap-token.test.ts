import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrapTokens } from '../../../../core/access/authn/bootstrap-token.ts'
import { storedSecret } from '../../../../core/access/authn/stored-secret.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'
import { testClock } from './clock.ts'

const now = Date.UTC(2026, 0, 15)
const token = 'abcdef.0123456789abcdef'
const good = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
}
type Data = { readonly [key: string]: string | undefined }

const messages: string[] = []
const log = (fields: object, message: string) => void messages.push(`${message} ${JSON.stringify(fields)}`)

function ask(data: Data, { given = token, type = 'bootstrap.kubernetes.io/token', metadata = {} } = {}) {
  const entries = Object.entries({ ...good, ...data }).flatMap(([key, value]) => (value === undefined ? [] : [[key, btoa(value)]]))
  const secret: ApiObject = { kind: 'Secret', apiVersion: 'v1', metadata, type, data: Object.fromEntries(entries) }
  const { authenticateToken } = bootstrapTokens({
    secretOf: async (namespace, name) =>
      namespace === 'kube-system' && name === 'bootstrap-token-abcdef' ? storedSecret(secret) : undefined,
    platform: createPlatform('kubernetes'),
    clock: testClock(now),
    logger: { debug: log, info: log, warn: log, error: log },
  })
  return authenticateToken(given, undefined, undefined)
}

test('a bootstrap token secret gives user and groups', async () => {
  assert.deepEqual(await ask({}), { user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } })
  assert.deepEqual(
    (await ask({ 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a-1:x,system:bootstrappers:b' }))?.user.groups,
    ['system:bootstrappers', 'system:bootstrappers:a-1:x', 'system:bootstrappers:b'],
  )
  assert.ok(await ask({ expiration: '2026-01-15T00:00:01Z' }), 'not yet expired')
  assert.ok(await ask({ expiration: '2026-01-15T02:00:00+01:00' }), 'another time zone')
})

test('no opinion on invalid secrets', async () => {
  const cases: readonly (readonly [string, Data, Parameters<typeof ask>[1]?])[] = [
    ['another secret', { 'token-secret': '0123456789abcdeg' }],
    ['a longer secret', { 'token-secret': '0123456789abcdef0' }],
    ['no secret', { 'token-secret': undefined }],
    ['another id', { 'token-id': 'abcdeg' }],
    ['expired', { expiration: '2026-01-14T23:59:59Z' }],
    ['just expired', { expiration: '2026-01-15T00:00:00Z' }],
    ['malformed expiration', { expiration: 'tomorrow' }],
    ['expiration without a time', { expiration: '2099-01-01' }],
    ['expiration without a zone', { expiration: '2099-01-01T00:00:00' }],
    ['expiration in another form', { expiration: '1 January 2099' }],
    ['use for authentication disabled', { 'usage-bootstrap-authentication': 'false' }],
    ['use for authentication not set', { 'usage-bootstrap-authentication': undefined }],
    ['a privileged group', { 'auth-extra-groups': 'system:masters' }],
    ['a privileged group among others', { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' }],
    ['a group with an invalid ending', { 'auth-extra-groups': 'system:bootstrappers:a-' }],
    ['a group with a line feed', { 'auth-extra-groups': 'system:bootstrappers:a\n' }],
    ['another type', {}, { type: 'Opaque' }],
    ['terminating', {}, { metadata: { deletionTimestamp: '2026-01-15T00:00:00Z' } }],
    ['another token', {}, { given: 'abcdeg.0123456789abcdef' }],
  ]
  for (const [title, data, wish] of cases) assert.equal(await ask(data, wish), undefined, title)
  assert.equal(messages.length, cases.length)
  for (const message of messages) assert.doesNotMatch(message, /0123456789abcde/)
})

test('tokens of another form are not looked up', () => {
  for (const given of [
    '',
    '.',
    'abcdef',
    `${token}\n`,
    ` ${token}`,
    token.toUpperCase(),
    'abcde.0123456789abcdef',
    'abcdef.0123456789abcde',
    '../..f.0123456789abcdef',
  ])
    assert.equal(ask({}, { given }), undefined, JSON.stringify(given))
})
