/** Watches over WebSockets: one message for each event, then a close frame (apiserver/pkg/endpoints/handlers/watch.go). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, test } from 'node:test'
import { type Listener, listen } from '../../../runtimes/node/network/listener.ts'
import { issue, issueAuthority, newKey } from '../../../runtimes/node/pki/issue.ts'
import { type Api, configMap } from '../../support/api.ts'
import { ManualClock } from '../../support/clock.ts'
import { apiAs, type InProcess, startInProcess } from '../../support/in-process.ts'
import { eventually, within } from '../../support/wait.ts'
import { type MessageReader, readMessages, watchMessages, watchMessagesOverHttp2 } from '../../support/watch-messages.ts'
import { type WatchEvent, watchAt } from '../../support/watch-reader.ts'
import { dialWebSocket, opcodes, type WebSocketPeer, type WebSocketPlace } from '../../support/websocket.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const origin = 'https://dashboard.example.com'

const token = 'a/token+with=characters'
const authorization = `Bearer ${token}`
/** The subprotocol that carries the token. */
const carrier = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`

/** That of the server: its watches end when a test says so. */
const clock = new ManualClock()
const timeout = 'timeoutSeconds=1'
const endWatches = () => clock.advance(1_000)

let running: InProcess
let listener: Listener
let place: Required<WebSocketPlace>
let api: Api

before(async () => {
  const user = { name: 'admin', groups: ['system:masters'] }
  running = await startInProcess({
    clock,
    platform: 'kubernetes',
    controllers: [],
    authorizationModes: ['RBAC'],
    tokens: [{ token, user }],
  })
  const { server } = running
  api = apiAs(server, token)
  const now = Date.now()
  const authority = issueAuthority('authority', newKey(), now)
  const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'test', names: ['127.0.0.1'] }, now)
  listener = await listen({ address: '127.0.0.1', port: 0, cert, key }, (request, connection) => server.fetch(request, connection))
  place = { host: '127.0.0.1', port: listener.port, tls: { ca: authority.certPem } }
})
after(async () => {
  await running.close()
  await listener.close(0)
})

const create = (name: string) => api.create(configMaps, configMap(name))
const change = (name: string, k: string) => api.patch(`${configMaps}/${name}`, { data: { k } })
const named = (name: string, more = '') => `${configMaps}?watch=true&fieldSelector=metadata.name%3D${name}${more}`
const watch = (path: string, more = {}, protocols: readonly string[] = []) =>
  watchMessages(place, path, protocols, { authorization, ...more })
const summary = (event: WatchEvent) => `${event.type} ${event.type === 'ERROR' ? event.object.message : (event.object.metadata.name ?? '')}`
const ask = (path: string, more: { readonly [name: string]: string }, protocols: readonly string[] = []) =>
  within(path, dialWebSocket(place, path, protocols, more))

test('each event is a message; the end is a close frame with 1000', async () => {
  await create('a')
  const reader = await watch(named('a', `&${timeout}`))
  assert.equal(summary(await reader.event()), 'ADDED a')
  await change('a', '1')
  await api.delete(`${configMaps}/a`)
  assert.equal(summary(await reader.event()), 'MODIFIED a')
  assert.equal(summary(await reader.event()), 'DELETED a')
  endWatches()
  assert.deepEqual(await reader.rest(), [])
  assert.equal(await reader.closed, 1000)
})

test('the same events as in the body of a response', async () => {
  for (const name of ['b1', 'b2', 'b3']) await create(name)
  const { metadata } = await api.list(configMaps)
  const usual = { watch: 'true', timeoutSeconds: '1', allowWatchBookmarks: 'true' }
  const from = { ...usual, resourceVersion: metadata.resourceVersion }
  const state = { ...usual, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
  for (const query of [from, state, { ...state, fieldSelector: 'metadata.name=b2' }]) {
    const text = String(new URLSearchParams(query))
    const [messages, body] = [await watch(`${configMaps}?${text}`), await watchAt(api.fetch, configMaps, query)]
    await change('b2', text)
    const isChange = ({ type, object }: WatchEvent) => type === 'MODIFIED' && object.data?.['k'] === text
    const events: WatchEvent[] = []
    while (!events.some(isChange)) events.push(await messages.event())
    const lines = await body.until(isChange)
    endWatches()
    assert.deepEqual([...events, ...(await messages.rest())], [...lines, ...(await body.rest())], text)
  }
})

test('a browser: token and subprotocol, the deprecated path', async () => {
  await create('c')
  for (const protocol of ['base64.binary.k8s.io', 'binary.k8s.io', 'anything']) {
    const path = `/api/v1/watch/namespaces/default/configmaps/c?${timeout}`
    const { status, headers, peer } = await ask(path, { origin }, [carrier, protocol])
    assert.deepEqual([status, headers['sec-websocket-protocol']], [101, protocol])
    const reader = readMessages(peer as WebSocketPeer)
    assert.equal(summary(await reader.event()), 'ADDED c')
    endWatches()
    assert.deepEqual(await reader.rest(), [])
    assert.equal(await reader.closed, 1000)
  }
})

test('protobuf in binary messages, Tables with columns in the first one', async () => {
  await create('d')
  const proto = await watch(named('d', `&${timeout}`), { accept: 'application/vnd.kubernetes.protobuf' })
  const message = await proto.next()
  assert.equal(message?.opcode, opcodes.binary)
  assert.equal(message.bytes.subarray(0, 7).toString('latin1'), '\n\u0005ADDED')
  assert.match(message.bytes.toString('latin1'), /k8s\0/)
  endWatches()
  assert.equal(await proto.next(), undefined)
  const tables = await watch(named('d'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
  const first = (await tables.event()) as unknown as { object: { columnDefinitions?: unknown[]; rows: unknown[] } }
  await change('d', '1')
  const second = (await tables.event()) as unknown as typeof first
  assert.deepEqual([first.object.columnDefinitions?.length, first.object.rows.length], [3, 1])
  assert.deepEqual([second.object.columnDefinitions, second.object.rows.length], [null, 1])
  tables.peer.socket.destroy()
})

test('errors before the answer are answers, later ones events', async () => {
  const refused = async (path: string, more = {}) => (await ask(path, { origin, authorization, ...more })).status
  assert.equal(await refused(`${configMaps}?watch=true&labelSelector=x%3D%3D%3D`), 400)
  assert.equal(await refused(named('a'), { accept: 'application/yaml' }), 406)
  assert.equal(await refused(named('a'), { authorization: 'Bearer wrong' }), 401)
  assert.equal((await ask(named('a'), { origin }, [carrier])).status, 401, 'a token alone')
  const future = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999999'
  let reader: MessageReader | undefined
  void watch(named('a', future)).then((opened) => {
    reader = opened
  })
  // The answer waits for the revision, for some seconds of the server's clock.
  const { event, closed } = await eventually('the end of the wait for the revision', async () => {
    clock.advance(1_000)
    return reader
  })
  assert.match(summary(await event()), /^ERROR Timeout: Too large resource version/)
  assert.equal(await closed, 1000)
})

test('handshakes that fail', async () => {
  for (const [more, protocols, status, text] of [
    [{ origin: '' }, [], 403, ''],
    [{ origin: 'null' }, [], 403, ''],
    [{ origin: '%zz' }, [], 403, ''],
    [{ origin }, ['a', 'b'], 400, ''],
    [{ origin, 'sec-websocket-version': '12' }, [], 400, 'missing or bad WebSocket Version'],
    [{ origin: '', 'sec-websocket-key': '' }, ['a', 'b'], 400, 'mismatch challenge/response'],
  ] as const) {
    const answer = await ask(named('a'), { authorization, ...more }, protocols)
    assert.deepEqual([answer.status, answer.text], [status, text], JSON.stringify(more))
    assert.equal(answer.headers['sec-websocket-version'], text.includes('Version') ? '13' : undefined)
  }
})

test('a token among the subprotocols is one of them for clients that are known by another credential', async () => {
  const wrong = `base64url.bearer.authorization.k8s.io.${Buffer.from('wrong').toString('base64url')}`
  for (const [given, protocols, status, answered] of [
    [authorization, [carrier, 'x'], 400],
    [authorization, [wrong, 'x'], 400],
    [authorization, [carrier], 101, carrier],
    ['Bearer wrong', [carrier, 'x'], 101, 'x'],
    ['Basic eA==', [carrier, 'x'], 101, 'x'],
    ['Bearer wrong', [wrong, 'x'], 401],
  ] as const) {
    const { status: found, headers, peer } = await ask(named('none'), { origin, authorization: given }, protocols)
    peer?.socket.destroy()
    assert.deepEqual([found, headers['sec-websocket-protocol']], [status, answered], `${given} ${protocols}`)
  }
})

test('pings are answered, messages ignored, and the end of the client ends the watch', async () => {
  await create('e')
  const open = async () =>
    Number(/^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)/m.exec(await metrics())?.[1] ?? 0)
  const metrics = async () => (await api.fetch('/metrics')).text()
  for (const leave of [(peer: WebSocketPeer) => peer.close(), async (peer: WebSocketPeer) => void peer.socket.destroy()]) {
    const reader = await watch(named('e'))
    await reader.event()
    assert.equal(await open(), 1)
    await reader.peer.send('ignored', opcodes.text)
    await reader.peer.send(Buffer.alloc(100_000))
    await reader.peer.send('ping', opcodes.ping)
    await eventually('the pong', async () => reader.peer.pongs.length === 1)
    await leave(reader.peer)
    await reader.closed
    await eventually('the end of the watch', async () => (await open()) === 0)
  }
})

test('frames of clients that break the protocol end the watch with 1002', async () => {
  for (const bytes of [
    [0x81, 0x01, 0x61],
    [0x83, 0x80, 0, 0, 0, 0],
    [0xc1, 0x80, 0, 0, 0, 0],
    [0x80, 0x80, 0, 0, 0, 0],
  ]) {
    const reader = await watch(named('none'))
    reader.peer.socket.write(Uint8Array.from(bytes))
    assert.equal(await within('the end', reader.closed), 1002)
  }
})

test('over HTTP/2', async () => {
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: place.tls.ca })
  await create('f')
  const reader = await watchMessagesOverHttp2(session, named('f', `&${timeout}`), { authorization })
  assert.equal(summary(await reader.event()), 'ADDED f')
  endWatches()
  assert.deepEqual(await reader.rest(), [])
  assert.equal(await reader.closed, 1000)
  session.close()
  await once(session, 'close')
})

test('a request in-process has no WebSockets', async () => {
  const headers = { upgrade: 'websocket', connection: 'Upgrade', origin, 'sec-websocket-version': '13', 'sec-websocket-key': 'x' }
  const answer = await api.fetch(named('a'), { headers })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /cannot switch protocols/)
})

test('a word that contains upgrade is no request to upgrade: the watch is a plain stream', async () => {
  await create('worded')
  let answer: Awaited<ReturnType<typeof ask>> | undefined
  void ask(named('worded', `&${timeout}`), { origin, authorization, connection: 'x-upgraded' }).then((given) => {
    answer = given
  })
  const { status, text } = await eventually('the end of the watch', async () => {
    endWatches()
    return answer
  })
  assert.equal(status, 200)
  assert.match(text, /^\{"type":"ADDED"/)
})
