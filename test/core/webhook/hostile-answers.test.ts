/** Whoever this server asks, in HTTP, and what they should not answer: parties × tricks. Each call ends, with a short error, and holds up nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReview } from '../../../core/admission/webhooks/response.ts'
import { createGet } from '../../../core/authn/jwt/https-get.ts'
import { createKeySet } from '../../../core/authn/jwt/key-set.ts'
import { createProvider } from '../../../core/authn/jwt/provider.ts'
import { webhookTokens } from '../../../core/authn/webhook-token.ts'
import { webhookAuthorizer } from '../../../core/authz/webhook.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Logger, Outbound } from '../../../core/ports.ts'
import { post } from '../../../core/webhook/post.ts'
import { webClock as clock } from '../../../runtimes/web/ports.ts'
import { longestPause } from '../../support/pauses.ts'

const platform = createPlatform('kubernetes')
const connection = { url: 'https://party.test/', options: {} }
/** Characters of what is logged. */
let logged = 0
const log = (fields: object) => {
  logged = Math.max(logged, JSON.stringify(fields).length)
}
const logger: Logger = { debug: log, info: log, warn: log, error: log }

type Fetch = Pick<Outbound, 'fetch'>
const header = { alg: 'RS256', kid: 'a' }
const attributes = {
  ...{ verb: 'get', isResource: true, path: '/api/v1/pods', group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  name: '',
  namespace: '',
}

/** Asks, and uses the answer. `limit`: bytes of an answer. */
const parties: { readonly [name: string]: { readonly limit: number; ask(outbound: Fetch): unknown } } = {
  'token webhook': {
    limit: 1024 * 1024,
    ask: (outbound) =>
      webhookTokens({ connection, version: 'v1', audiences: [], cacheTtl: 0 }, { outbound, clock, logger, platform }).authenticateToken(
        'token',
        undefined,
        undefined,
      ),
  },
  'authorization webhook': {
    limit: 1024 * 1024,
    async ask(outbound) {
      const options = {
        name: 'w',
        version: 'v1',
        connection,
        authorizedTtl: 0,
        unauthorizedTtl: 0,
        timeout: 60_000,
        onFailure: 'deny',
      } as const
      const decision = await webhookAuthorizer(options, { outbound, clock, logger, platform }).authorize(
        { ...attributes, user: { name: 'jane', groups: [] } },
        undefined,
      )
      assert.notEqual(decision.verdict, 'allow')
      if (decision.error !== undefined) throw new Error(decision.error)
    },
  },
  'admission webhook': {
    limit: 8 * 1024 * 1024,
    async ask(outbound) {
      const body = await post({ connection, outbound, clock, body: '{}', timeout: 10_000 })
      parseReview(body, { uid: 'a', version: 'v1', mutating: true }, platform)
    },
  },
  'issuer, discovery': {
    limit: 1024 * 1024,
    async ask(outbound) {
      const get = createGet(outbound, '')
      const options = { issuer: 'https://party.test', discoveryURL: '', audiences: ['a'], algorithms: ['RS256'], fetchedKeys: () => {} }
      const provider = createProvider({ ...options, get, clock, logger })
      await provider.tried
      provider.close()
    },
  },
  'issuer, keys': {
    limit: 1024 * 1024,
    async ask(outbound) {
      const keys = createKeySet({ url: 'https://party.test/keys', get: createGet(outbound, ''), clock, fetched: () => {} })
      await keys.verify('a.b.c', { algorithm: header.alg, keyId: header.kid } as never, undefined)
    },
  },
}

const fill = (limit: number, text: string, start = '', end = '') =>
  start + text.repeat(Math.floor((limit - start.length - end.length) / text.length)) + end

/** Bodies of as many bytes as are read. */
const bodies: { readonly [name: string]: (limit: number) => string } = {
  brackets: (limit) => fill(limit, '['),
  braces: (limit) => fill(limit, '{"a":'),
  'balanced brackets': (limit) => '['.repeat(limit / 2) + ']'.repeat(limit / 2),
  objects: (limit) => fill(limit, '{},', '{"status":[', '{}]}'),
  numbers: (limit) => fill(limit, '0,', '{"keys":[', '0]}'),
  keys: (limit) => `{"status":{${Array.from({ length: limit / 12 }, (_, at) => `"k${at}":0`).join()}}}`,
  'keys of a set': (limit) => fill(limit, '{"kty":"RSA"},', '{"keys":[', '{"kty":"RSA"}]}'),
  string: (limit) => fill(limit, 'x', '{"kind":"', '"}'),
  'object as kind': (limit) => fill(limit, 'x', '{"kind":{"a":"', '"}}'),
  'text as issuer': (limit) => fill(limit, 'x', '{"issuer":"', '"}'),
  digits: (limit) => fill(limit, '9', '{"status":', '}'),
  spaces: (limit) => fill(limit, ' ', '{', '}'),
  yaml: (limit) => fill(limit, 'a: &a [*a]\n'),
  colons: (limit) => fill(limit, 'a: '),
  dashes: (limit) => fill(limit, '- '),
  'too long': (limit) => 'x'.repeat(limit + 1),
  empty: () => '',
  ...Object.fromEntries(
    [
      'null',
      '1',
      '[]',
      '"a"',
      '{"status":[]}',
      '{"status":{"allowed":"yes"}}',
      '{"status":{"user":[]}}',
      '{"keys":{}}',
      '{"keys":[null,1,[]]}',
      '{"response":1}',
    ].map((text) => [text, () => text]),
  ),
}

const endless = (text: string, done: () => void) =>
  new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel: done,
  })

for (const [name, { limit, ask }] of Object.entries(parties))
  test(`${name}: ${Object.keys(bodies).length} bodies`, async () => {
    for (const [trick, of] of Object.entries(bodies)) {
      const bytes = new TextEncoder().encode(of(limit))
      let error = ''
      logged = 0
      const pause = await longestPause(async () => {
        try {
          await ask({ fetch: async () => new Response(bytes) })
        } catch (thrown) {
          error = (thrown as Error).message
        }
      })
      assert.ok(error.length < 4_096 && logged < 4_096, `${trick}: an error of ${error.length} characters, ${logged} in the log`)
      assert.ok(pause < 250, `${trick} held the thread for ${Math.round(pause)} ms`)
    }
  })

for (const [name, { ask }] of Object.entries(parties))
  test(`${name}: a body without an end, and statuses`, async () => {
    let ended = false
    await Promise.resolve(ask({ fetch: async () => new Response(endless('x'.repeat(65_536), () => (ended = true))) })).catch(
      () => undefined,
    )
    assert.ok(ended, 'no more is read')
    for (const status of [301, 404, 418, 503])
      await Promise.resolve(
        ask({ fetch: async () => new Response('x'.repeat(100_000), { status, headers: { location: 'https://elsewhere.test/' } }) }),
      ).catch((error: Error) => assert.ok(error.message.length < 4_096, `${status}: ${error.message.length} characters`))
  })
