/** Whoever this server asks, in HTTP, and what they should not answer: parties × tricks. Each call ends, with a short error, and holds up nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGet } from '../../../../core/access/authn/jwt/https-get.ts'
import { createKeySet } from '../../../../core/access/authn/jwt/key-set.ts'
import { createProvider } from '../../../../core/access/authn/jwt/provider.ts'
import { webhookTokens } from '../../../../core/access/authn/webhook-token.ts'
import { webhookAuthorizer } from '../../../../core/access/authz/webhook.ts'
import { imagePolicyWebhook } from '../../../../core/admission/plugins/image-policy-webhook.ts'
import { parseReview } from '../../../../core/admission/webhooks/response.ts'
import { webhookDelivery } from '../../../../core/audit/webhook.ts'
import { conversionRows } from '../../../../core/controllers/custom-resources/conversion-metrics.ts'
import { conversionWebhook } from '../../../../core/controllers/custom-resources/conversion-webhook.ts'
import { uncounted } from '../../../../core/metrics.ts'
import { post } from '../../../../core/outgoing/webhook/post.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Logger, Outbound } from '../../../../core/ports.ts'
import { keepRunning } from '../../../../runtimes/node/clock.ts'
import { webClock as clock } from '../../../../runtimes/web/ports.ts'
import { longestPause } from '../../../support/pauses.ts'

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

const converted = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } }

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
  'image policy webhook': {
    limit: 1024 * 1024,
    async ask(outbound) {
      const settings = { connection, retryBackoff: 1, allowTtl: 0, denyTtl: 0, defaultAllow: false }
      const configuration = { ImagePolicyWebhook: settings }
      const plugin = imagePolicyWebhook({ platform, outbound, clock, logger, configuration } as never)
      const object = { metadata: {}, spec: { containers: [{ image: 'a' }] } }
      const signal = new AbortController().signal
      await plugin.validate?.({
        object,
        subresource: '',
        namespace: 'a',
        name: 'a',
        resource: { group: '', resource: 'pods' },
        signal,
        annotate: () => {},
      } as never)
    },
  },
  'audit webhook': {
    limit: 1024 * 1024,
    async ask(outbound) {
      let lost = ''
      const encoder = { list: () => '{}' } as never
      const reportLoss = (_plugin: string, why: string) => {
        lost = why
      }
      await webhookDelivery({ connection, outbound, clock, firstWait: 1, encoder, reportLoss })([])
      if (lost !== '') throw new Error(lost)
    },
  },
  'conversion webhook': {
    limit: 8 * 1024 * 1024,
    async ask(outbound) {
      const metrics = uncounted(conversionRows)
      const settings = { clientConfig: {}, conversionReviewVersions: ['v1'] }
      const context = { connect: async () => connection, outbound, clock, metrics, platform }
      await conversionWebhook('w', settings as never, context as never).convert([converted] as never, 'example.com/v2', undefined)
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

/** The start of a review of conversions, which has the uid that was sent. */
const review = '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1",'

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
  'reason of a conversion': (limit) => fill(limit, 'x', `${review}"response":{"uid":"UID","result":{"status":"Failed","message":"`, '"}}}'),
  'status of a conversion': (limit) => fill(limit, 'x', `${review}"response":{"uid":"UID","result":{"status":"`, '"}}}'),
  'version of a conversion': (limit) => fill(limit, 'x', '{"kind":"ConversionReview","apiVersion":"', '"}'),
  'uid of a conversion': (limit) => fill(limit, 'x', `${review}"response":{"uid":"`, '"}}'),
  'converted objects': (limit) =>
    fill(limit, '{},', `${review}"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[`, '{}]}}'),
  'a converted object of numbers': (limit) =>
    fill(
      limit,
      '0,',
      `${review}"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"},"spec":[`,
      '0]}]}}',
    ),
  'a converted object of objects': (limit) =>
    fill(
      limit,
      '{},',
      `${review}"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"},"spec":[`,
      '{}]}]}}',
    ),
  'labels of a converted object': (limit) =>
    `${review}"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a","labels":{${Array.from({ length: limit / 16 }, (_, at) => `"k${at}":"0"`).join()}}}}]}}`,
  'kind of a converted object': (limit) =>
    fill(
      limit,
      'x',
      `${review}"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v2","kind":"`,
      '"}]}}',
    ),
  'reason of an image policy': (limit) => fill(limit, 'x', '{"status":{"allowed":false,"reason":"', '"}}'),
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
      const text = of(limit)
      const bytes = new TextEncoder().encode(text)
      let error = ''
      logged = 0
      const pause = await longestPause(async () => {
        try {
          await ask({
            async fetch(request) {
              if (!text.includes('"UID"')) return new Response(bytes)
              const { request: { uid = '' } = {} } = (await request.json()) as { request?: { uid?: string } }
              return new Response(text.replace('UID', uid))
            },
          })
        } catch (thrown) {
          error = (thrown as Error).message
        }
      })
      assert.ok(error.length < 4_096 && logged < 4_096, `${trick}: an error of ${error.length} characters, ${logged} in the log`)
      assert.ok(pause < 250, `${trick} held the thread for ${Math.round(pause)} ms`)
    }
  })

for (const [name, { ask }] of Object.entries(parties))
  test(`${name}: a body without an end, and statuses`, async (t) => {
    // Waits before further attempts keep no process running.
    t.after(keepRunning())
    let ended = false
    await Promise.resolve(ask({ fetch: async () => new Response(endless('x'.repeat(65_536), () => (ended = true))) })).catch(
      () => undefined,
    )
    assert.ok(ended, 'no more is read')
    for (const status of [301, 404, 418, 503])
      await Promise.resolve(
        ask({ fetch: async () => new Response('x'.repeat(100_000), { status, headers: { location: 'https://elsewhere.test/' } }) }),
      ).catch((error: Error) => assert.ok(error.message.length < 4_096, `${status}: ${error.message.length} characters`))
    const refusal = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'x'.repeat(100_000) })
    await Promise.resolve(ask({ fetch: async () => new Response(refusal, { status: 403 }) })).catch((error: Error) =>
      assert.ok(error.message.length < 4_096, `a refusal: ${error.message.length} characters`),
    )
  })
