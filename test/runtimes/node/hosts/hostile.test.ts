/** A tenant of `apiserver hosts` who wants more than its server: paths, names, credentials, memory, requests, time. */
import assert from 'node:assert/strict'
import { request } from 'node:https'
import { after, before, test } from 'node:test'
import { serverOptionTypes } from '../../../../core/options/index.ts'
import { hostedOptions } from '../../../../runtimes/node/hosts/options.ts'
import { within } from '../../../support/wait.ts'
import { hosts, type TestHosts } from './support.ts'

const list = '/hosts/v1/servers'
const configMaps = '/api/v1/namespaces/default/configmaps'
const mebibyte = 1024 * 1024

let here: TestHosts
/** The tokens of the hostile tenant and of its neighbour. */
let mine = ''
let yours = ''
before(async () => {
  here = await hosts(`--max-stored-bytes=${2 * mebibyte}`, '--max-servers=4', '--max-requests-inflight=20')
  await here.ask('POST', list, { name: 'yours', manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'secret' } }] })
  await here.ask('POST', `${list}/yours/fork`, { name: 'mine' })
  ;[mine, yours] = [(await here.kubeconfig('mine')).token, (await here.kubeconfig('yours')).token]
})
after(() => here.close())

/** A request with exactly this target, host and server name of TLS. */
function exactly(
  target: string,
  headers: Record<string, string>,
  servername = '',
): Promise<{ readonly code: number; readonly text: string }> {
  const { hostname, port } = new URL(here.url)
  return new Promise((resolve, reject) => {
    const asked = request({
      hostname,
      port,
      path: target,
      headers,
      ca: here.ca,
      servername,
      agent: false,
      checkServerIdentity: () => undefined,
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }))
    })
    asked.end()
  })
}

const neighbours = /"secret"|"yours"|\/hosts\/v1\/servers\/\{name\}/

test('no path or host leads from a server to another one or to the interface', async () => {
  const targets = ['yours/api/v1/namespaces', 'hosts/v1/servers', 'hosts/v1/openapi.json'].flatMap((place) => {
    const up = place.startsWith('hosts') ? '' : 'servers/'
    return [
      `/servers/mine/../../${up}${place}`,
      `/servers/mine/..%2f..%2f${up}${place}`,
      `/servers/mine/%2e%2e/%2e%2e/${up}${place}`,
      `/servers/mine//${up}${place}`,
      `/servers/mine/${up}${place}`,
      `/servers/mine/./../../${up}${place}`,
      `/servers/mine%2f..%2f..%2f${up}${place}`,
      `/servers/mine/..;/..;/${up}${place}`,
      `/servers/mine\\..\\..\\${up}${place}`,
      `/servers/mine?x=/../../${up}${place}`,
      `/servers//${up}${place}`,
      `/servers/../${up}${place}`,
      `/SERVERS/mine/${up}${place}`,
      `/${up}${place}`,
      `//${up}${place}`,
      `/servers/%79ours/api/v1/namespaces`,
      `https://yours.servers.localhost/servers/mine/${up}${place}`,
      `https://yours.servers.localhost/${up}${place}`,
    ]
  })
  const authorization = `Bearer ${mine}`
  for (const target of targets)
    for (const host of [
      '127.0.0.1',
      'mine.servers.localhost',
      'yours.servers.localhost',
      'YOURS.servers.localhost:1',
      'yours.servers.localhost.',
    ])
      for (const servername of ['', 'mine.servers.localhost', 'yours.servers.localhost']) {
        const { code, text } = await exactly(target, { host, authorization }, servername)
        assert.ok(code < 500, `${target} ${host} ${servername}: ${code} ${text}`)
        assert.ok(!neighbours.test(text), `${target} ${host} ${servername}: ${code} ${text}`)
      }
})

test('the host decides before the path, and the TLS handshake before the header', async () => {
  const namespaces = '/api/v1/namespaces'
  const [toMine, toYours] = [{ authorization: `Bearer ${mine}` }, { authorization: `Bearer ${yours}` }]
  assert.equal((await exactly(namespaces, { ...toMine, host: 'mine.servers.localhost' })).code, 200)
  assert.equal((await exactly(namespaces, { ...toMine, host: 'x' }, 'mine.servers.localhost')).code, 200)
  assert.equal((await exactly(namespaces, { ...toMine, host: 'mine.servers.localhost' }, 'yours.servers.localhost')).code, 401)
  assert.equal((await exactly(namespaces, { ...toYours, host: 'mine.servers.localhost' }, 'yours.servers.localhost')).code, 200)
  assert.equal((await exactly(list, { authorization: `Bearer ${here.token}`, host: 'mine.servers.localhost' })).code, 401)
})

test('headers that name a user give no rights', async () => {
  for (const name of ['x-remote-user', 'impersonate-user', 'x-apiserver-routed-user', 'x-forwarded-user']) {
    const { code } = await here.ask('GET', `/servers/yours${configMaps}`, undefined, {
      token: '',
      headers: { [name]: 'admin', 'x-remote-group': 'system:masters' },
    })
    assert.equal(code, 403, name)
    assert.equal((await here.ask('GET', list, undefined, { token: mine, headers: { [name]: 'admin' } })).code, 401)
  }
})

test('bad requests of the interface get a Status that says why', async () => {
  const rows: readonly (readonly [method: string, path: string, body: unknown, code: number, message: RegExp])[] = [
    ['POST', list, { name: '../mine' }, 400, /name: .*DNS label/],
    ['POST', list, { name: 'x'.repeat(64) }, 400, /name/],
    ['POST', list, { name: '' }, 400, /name/],
    ['POST', list, { name: 'a.b' }, 400, /name/],
    ['POST', list, { name: '__proto__' }, 400, /name/],
    ['POST', list, {}, 400, /name/],
    ['POST', list, { name: 'new', unknown: 1 }, 400, /unknown field "unknown"/],
    ['POST', list, { name: 'new', ttlSeconds: -1 }, 400, /ttlSeconds/],
    ['POST', list, { name: 'new', limits: { storedBytes: 'all' } }, 400, /limits.storedBytes/],
    ['POST', list, { name: 'mine' }, 409, /servers "mine" already exists/],
    ['POST', list, { name: 'new', manifests: 'a: [' }, 400, /manifest 1/],
    ['POST', list, { name: 'new', manifests: [{ apiVersion: 'v1', kind: 'Unknown' }] }, 422, /no kind Unknown in v1/],
    ['POST', `${list}/mine/fork`, { name: 'mine' }, 409, /already exists/],
    ['POST', `${list}/mine/fork`, { name: 'new', snapshot: 'none' }, 404, /snapshots "none" not found/],
    ['POST', `${list}/mine/restore`, { snapshot: 'none' }, 404, /snapshots "none" not found/],
    ['POST', `${list}/mine/clock`, { advanceSeconds: 1e300 }, 422, /advance/],
    ['POST', `${list}/mine/clock`, { time: 'yesterday' }, 400, /time/],
    ['POST', `${list}/mine/faults`, { then: 200 }, 422, /then/],
    ['POST', `${list}/mine/webhooks`, { manifests: [], answers: { x: { url: 'file:///etc/passwd' } } }, 400, /answers/],
    ['POST', `${list}/mine/webhooks`, { manifests: [{ apiVersion: 'v1', kind: 'Pod' }], answers: {} }, 400, /a Pod is no configuration/],
    [
      'POST',
      `${list}/mine/webhooks`,
      { manifests: 'apiVersion: v1\nkind: ValidatingWebhookConfiguration\nwebhooks: [{name: a}]', answers: {} },
      400,
      /no answer for the webhook a/,
    ],
    ['POST', `${list}/mine/load`, { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A' } }] }, 422, /ConfigMap A/],
    ['GET', `${list}/none`, undefined, 404, /servers "none" not found/],
    ['GET', `${list}/mine/kubeconfig?by=magic`, undefined, 400, /must be path or host/],
    ['GET', `${list}/mine/requests?nobody=1`, undefined, 422, /nobody/],
    ['PATCH', `${list}/mine`, {}, 405, /GET, DELETE/],
    ['GET', '/hosts/v2/servers', undefined, 404, /could not find/],
    ['GET', '/', undefined, 404, /could not find/],
  ]
  for (const [method, path, body, code, message] of rows) {
    const answer = await here.ask(method, path, body)
    assert.deepEqual([answer.code, answer.body.kind], [code, 'Status'], `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
    assert.match(answer.body.message, message)
  }
  const text = await here.ask('POST', list, '{"name": 1', { headers: { 'content-type': 'application/json' } })
  assert.deepEqual([text.code, /no JSON/.test(text.body.message)], [400, true])
  assert.deepEqual((await here.ask('GET', list)).body.servers.length, 2)
})

test('every option of a server that is no plain, safe data is refused by name', async () => {
  const accepted = new Set(
    Object.keys(serverOptionTypes).filter((name) => {
      try {
        hostedOptions({ [name]: { file: '/etc/passwd' } })
        return true
      } catch (error) {
        return !/unknown option/.test(String(error))
      }
    }),
  )
  for (const name of Object.keys(serverOptionTypes)) {
    const { code, body } = await here.ask('POST', list, { name: 'new', options: { [name]: { file: '/etc/passwd' } } })
    assert.deepEqual([code, body.message.includes(name)], [422, true], `${name}: ${body.message}`)
  }
  const withFiles = [...accepted].filter((name) => /file|configuration|encryption|connection|key|webhook|serviceAccount/i.test(name))
  assert.deepEqual(withFiles, [])
  assert.equal((await here.ask('POST', list, { name: 'new', options: { authorizationModes: ['Webhook'] } })).code, 422)
})

test('a server is full by itself, and its neighbour is not', async () => {
  const data = { text: 'x'.repeat(200_000) }
  const codes: number[] = []
  for (let at = 0; at < 20; at++)
    codes.push((await here.ask('POST', `/servers/mine${configMaps}`, { metadata: { name: `large-${at}` }, data }, { token: mine })).code)
  assert.equal(codes[0], 201)
  assert.equal(codes.at(-1), 507)
  assert.equal((await here.ask('POST', `/servers/yours${configMaps}`, { metadata: { name: 'small' } }, { token: yours })).code, 201)
  const deleted = await here.ask('DELETE', `/servers/mine${configMaps}`, undefined, { token: mine })
  assert.equal(deleted.code, 200)
  assert.equal((await here.ask('POST', `/servers/mine${configMaps}`, { metadata: { name: 'again' } }, { token: mine })).code, 201)
})

test('requests in flight are limited for each server; watches count', async () => {
  const watching = Array.from({ length: 20 }, async () => {
    const ends = new AbortController()
    const response = await here.fetch(`/servers/mine${configMaps}?watch=true`, {
      headers: { authorization: `Bearer ${mine}` },
      signal: ends.signal,
    })
    return { code: response.status, end: () => ends.abort() }
  })
  const open = await within('watches', Promise.all(watching))
  assert.ok(open.every(({ code }) => code === 200))
  const refused = await here.ask('GET', `/servers/mine${configMaps}`, undefined, { token: mine })
  assert.deepEqual([refused.code, refused.headers.get('retry-after'), refused.body.reason], [429, '1', 'TooManyRequests'])
  assert.equal((await here.ask('GET', `/servers/yours${configMaps}`, undefined, { token: yours })).code, 200)
  assert.equal((await here.ask('GET', `${list}/mine`)).body.requestsInFlight, 20)
  for (const { end } of open) end()
  await within('end of the watches', here.settled('mine'))
  assert.equal((await here.ask('GET', `/servers/mine${configMaps}`, undefined, { token: mine })).code, 200)
})

test('bodies and the number of servers are limited', async () => {
  const large = JSON.stringify({ metadata: { name: 'large' }, data: { text: 'x'.repeat(4 * mebibyte) } })
  const headers = { 'content-type': 'application/json' }
  assert.equal((await here.ask('POST', `/servers/mine${configMaps}`, large, { token: mine, headers })).code, 413)
  await here.ask('POST', `${list}/mine/fork`, { name: 'third', limits: { requestBytes: 100, storedBytes: 1e12 } })
  const { token } = await here.kubeconfig('third')
  const body = { metadata: { name: 'large' }, data: { text: 'x'.repeat(200) } }
  assert.equal((await here.ask('POST', `/servers/third${configMaps}`, body, { token })).code, 413)
  assert.equal((await here.ask('GET', `${list}/third`)).body.limits.storedBytes, 2 * mebibyte, 'not more than the process permits')
  const made = await Promise.all(Array.from({ length: 6 }, (_, at) => here.ask('POST', `${list}/mine/fork`, { name: `more-${at % 3}` })))
  assert.equal(made.filter(({ code }) => code === 201).length, 1, made.map(({ text }) => text).join(''))
  assert.ok(made.every(({ code }) => [201, 403, 409].includes(code)))
  for (const name of ['third', 'more-0', 'more-1', 'more-2']) await here.ask('DELETE', `${list}/${name}`)
})

test('a tenant who never stops asking does not live longer than its server may', async () => {
  assert.equal((await here.ask('POST', `${list}/mine/fork`, { name: 'short', ttlSeconds: 2 })).code, 201)
  const { token } = await here.kubeconfig('short')
  const headers = { authorization: `Bearer ${token}` }
  const watch = await here.fetch(`/servers/short${configMaps}?watch=true`, { headers })
  assert.equal(watch.status, 200)
  const asking = (async () => {
    for (;;) {
      const { code } = await here.ask('GET', `/servers/short${configMaps}`, undefined, { token })
      if (code !== 200) return code
    }
  })()
  await within(
    'the end of the watch',
    watch.text().catch(() => ''),
  )
  assert.equal(await within('the last request', asking), 404)
  assert.equal((await here.ask('GET', `${list}/short`)).code, 404)
  assert.equal((await here.ask('GET', `/servers/yours${configMaps}`, undefined, { token: yours })).code, 200)
})

test('a server calls no others: webhooks by URL, aggregated APIs', async () => {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'calling' },
    webhooks: [
      {
        name: 'calling.example.com',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${here.url}${list}` },
      },
    ],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  assert.equal((await here.ask('POST', `/servers/mine${path}`, configuration, { token: mine })).code, 201)
  await here.ask('GET', `/servers/mine${path}`, undefined, { token: mine })
  const { code, body } = await here.ask('POST', `/servers/mine${configMaps}`, { metadata: { name: 'called' } }, { token: mine })
  assert.deepEqual([code, /calls of other servers are not allowed here/.test(body.message)], [500, true], body.message)
})
