/** Sends a secret of its own in every place that a request or a file has, and searches all output and all traces for each of them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'

/** The secret of each place. */
const secrets = new Map<string, string>()
function secret(place: string): string {
  const value = `geheim${secrets.size}x${'0123456789abcdef'.repeat(2)}`
  secrets.set(place, value)
  return value
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
/** The forms in which a text could appear. Base64 depends on what stands before the text. */
const formsOf = (value: string) => [
  value,
  ...['', 'x', 'xx'].map((before) => base64(before + value).slice(before === '' ? 0 : 4, -4)),
  Buffer.from(value).toString('hex'),
]

/** Flags with files that contain secrets. No server listens at their URLs: each call fails, which is logged. */
function files(directory: string, endpoint: string): string[] {
  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const kubeconfig = (place: string, user: string) =>
    file(
      `${place}.yaml`,
      `apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n    server: https://127.0.0.1:1/hook\n    insecure-skip-tls-verify: true\nusers:\n- name: a\n  user: ${user}\ncontexts:\n- name: a\n  context: { cluster: a, user: a }\ncurrent-context: a\n`,
    )
  const tracing = `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${endpoint}\nsamplingRatePerMillion: 1000000\n`
  const key = base64(secret('key of an encryption configuration').slice(0, 32))
  const encryption = `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n  - aescbc: { keys: [{ name: a, secret: ${key} }] }\n  - identity: {}\n`
  const policy = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n'
  return [
    `--tracing-config-file=${file('tracing.yaml', tracing)}`,
    `--token-auth-file=${file('tokens.csv', `${secret('static token')},joe,joe\n`)}`,
    `--authentication-token-webhook-config-file=${kubeconfig('authn', `{ token: ${secret('token of an authentication webhook')} }`)}`,
    '--authorization-mode=RBAC,Webhook',
    `--authorization-webhook-config-file=${kubeconfig('authz', `{ username: a, password: ${secret('password of an authorization webhook')} }`)}`,
    `--audit-webhook-config-file=${kubeconfig('audit', `{ token: ${secret('token of an audit webhook')} }`)}`,
    '--audit-webhook-initial-backoff=10ms',
    `--audit-policy-file=${file('policy.yaml', policy)}`,
    `--encryption-provider-config=${file('encryption.yaml', encryption)}`,
  ]
}

const core = '/api/v1/namespaces/default'
type Sent = readonly [path: string, init?: RequestInit]
const asJson = { 'content-type': 'application/json' }
const post = (path: string, body: string, headers: Record<string, string> = asJson): Sent => [path, { method: 'POST', headers, body }]

/** Requests with a secret in the named place. */
function requests(): Sent[] {
  const header = (name: string, place: string, before = ''): Sent => [`${core}/pods`, { headers: { [name]: before + secret(place) } }]
  const query = (path: string, place: string, parameter: string): Sent => [`${path}?${parameter}${secret(place)}`]
  const object = (kind: string, more: object) => JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'a' }, ...more })
  const review = (token: string) => JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } })
  return [
    header('cookie', 'cookie', 'session='),
    header('x-api-key', 'unknown header'),
    header('proxy-authorization', 'proxy credentials', 'Basic '),
    header('baggage', 'baggage', 'a='),
    header('tracestate', 'trace state', 'a='),
    header('x-remote-extra-a', 'header of a front proxy'),
    ['/api', { headers: { 'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${base64(secret('token of a WebSocket'))}` } }],
    query('/api/v1/pods', 'query parameter', 'limit=3&access_token='),
    query('/version', 'nameless query parameter', ''),
    query('/api/v1/pods', 'query parameter after an escape', '%74oken='),
    query('/none', 'query of an unknown path', 'password='),
    query(`${core}/pods/a/exec`, 'command', 'container=a&command=mysql&command=-p'),
    query(`${core}/services/a/proxy/login`, 'query of a proxied request', 'name='),
    query(`${core}/pods/a/proxy/login`, 'known name in a proxied query', 'container='),
    query(`/api/v1/proxy${core.slice(7)}/services/a/login`, 'query of an old proxy path', 'name='),
    post(`${core}/secrets`, object('Secret', { stringData: { a: secret('text of a Secret') } })),
    [`${core}/secrets/a`, { method: 'PUT', headers: asJson, body: object('Secret', { data: { a: base64(secret('data of a Secret')) } }) }],
    [
      `${core}/secrets/a`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ stringData: { b: secret('patch of a Secret') } }),
      },
    ],
    [`${core}/secrets/a`],
    ['/api/v1/secrets'],
    post(`${core}/secrets`, object('Secret', { type: 'kubernetes.io/tls', stringData: { 'tls.key': secret('invalid Secret') } })),
    post(`${core}/secrets`, `{"kind":"Secret","data":{"a":"${secret('malformed JSON')}"`),
    post(`${core}/secrets`, object('Secret', { data: { a: `!${secret('data that is not base64')}` } })),
    post(`${core}/configmaps`, `a: "${secret('malformed YAML')}\n`, { 'content-type': 'application/yaml' }),
    post(`${core}/configmaps`, `k8s\0${secret('malformed protobuf')}`, { 'content-type': 'application/vnd.kubernetes.protobuf' }),
    post('/apis/authentication.k8s.io/v1/tokenreviews', review(secret('token of a review'))),
    post(`${core}/serviceaccounts/default/token`, '{"spec":{}}'),
    [`${core}/secrets/a`, { method: 'DELETE', headers: asJson, body: `{"kind":"DeleteOptions","a":"${secret('delete options')}"}` }],
  ]
}

/** Sends a request line with credentials in it, as to a proxy. */
async function sendAbsolute(daemon: Daemon, target: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: daemon.port, ...readCredentials(daemon.kubeconfig) })
  await once(socket, 'secureConnect')
  socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  socket.resume()
  await once(socket, 'close')
}

/** Bytes that belong to no protocol. */
async function sendNoise(daemon: Daemon, text: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: daemon.port, ...readCredentials(daemon.kubeconfig) })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  socket.end(text)
  socket.resume()
  await once(socket, 'close')
}

for (const format of ['text', 'json'])
  test(`no secret in the log (${format}) at the highest verbosity, nor in traces`, async (t) => {
    secrets.clear()
    const { path: directory, remove } = temporaryDirectory('secrets')
    t.after(remove)
    using collector = await startOtlpReceiver()
    const flags = ['--data-dir=:memory:', '--platform=kubernetes', '--v=10', `--logging-format=${format}`, '--profiling']
    const daemon = await startDaemon({ flags: [...flags, ...files(directory, collector.endpoint)] })
    t.after(() => daemon.stop())
    const client = tlsFetch(daemon.url, { ca: readCredentials(daemon.kubeconfig).ca })
    t.after(() => client.close())
    const ask = async (authorization: string) => {
      const response = await client.fetch(`${core}/secrets`, { headers: { authorization } })
      await response.arrayBuffer()
      return response.status
    }
    // RBAC has no opinion, and the authorization webhook does not answer.
    assert.equal(await ask(`Bearer ${secrets.get('static token')}`), 500)
    assert.equal(await ask(`Bearer ${secret('unknown token')}`), 401)
    assert.equal(await ask(`Bearer ${base64('{"alg":"RS256"}')}.${base64(`{"iss":"${secret('claim')}"}`)}.${secret('signature')}`), 401)
    await ask(`Basic ${base64(`user:${secret('password')}`)}`)
    const shown = 'audit-id-that-is-shown'
    await (await daemon.fetch('/version', { headers: { 'audit-id': shown } })).text()
    const statuses: number[] = []
    for (const [path, init] of requests()) {
      const response = await daemon.fetch(path, init)
      const text = await response.text()
      statuses.push(response.status)
      const token = /"token":"([^"]+)"/.exec(text.replaceAll(/\s/g, ''))?.[1]
      if (path.endsWith('/token') && token !== undefined) secrets.set('issued token', token.split('.')[2] ?? '')
    }
    assert.ok(secrets.has('issued token') && statuses.includes(200) && statuses.includes(201) && statuses.includes(400))
    await sendAbsolute(daemon, `http://user:${secret('credentials in an absolute target')}@x/api/v1/pods`)
    await sendAbsolute(daemon, `/api/v1/pods?a=${secret('query of a request with a malformed line')}\x01`)
    await sendNoise(daemon, `${secret('noise')}\r\n\r\n`)
    await daemon.stop()

    const traces = JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    assert.ok(daemon.log().includes('HTTP') && collector.spans.length > 100, `${collector.spans.length} spans`)
    assert.ok(secrets.size > 35, `${secrets.size} places`)
    const found = (value: string) =>
      formsOf(value).flatMap((form) => [...(daemon.output().includes(form) ? ['log'] : []), ...(traces.includes(form) ? ['traces'] : [])])
    assert.deepEqual(found(shown), ['log', 'traces'], 'what is logged would be found')
    const leaks = [...secrets].flatMap(([place, value]) => found(value).map((where) => `${where}: ${place}`))
    assert.deepEqual(leaks, [])
  })
