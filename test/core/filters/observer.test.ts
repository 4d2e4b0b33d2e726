/** What a filter that records requests is told, as audit will use it; and seats as priority and fairness will. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Authenticator } from '../../../core/access/authn/authenticator.ts'
import { Pauses } from '../../../core/common/slices.ts'
import { deadline } from '../../../core/filters/deadline.ts'
import { compose, type Filter } from '../../../core/filters/filter.ts'
import { createExchange } from '../../../core/filters/receive.ts'
import { recover } from '../../../core/filters/recover.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Connection } from '../../../core/ports.ts'
import { receiveBody } from '../../../core/request/body.ts'
import { whenSent } from '../../../core/request/ended.ts'
import type { Exchange, ExchangeObserver } from '../../../core/request/exchange.ts'
import { createNegotiator } from '../../../core/request/negotiate.ts'
import type { ApiServer } from '../../../core/server.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { ManualClock } from '../../support/clock.ts'
import { startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { quiet } from '../../support/quiet.ts'
import { eventually, within } from '../../support/wait.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const configMaps = '/api/v1/namespaces/default/configmaps'
const object = (name: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: 'b' } })
let notes: unknown[][] = []
/** Given to requests while they are recorded. */
let prepare: ((exchange: Exchange) => void) | undefined
let server: ApiServer

const observer = (exchange: Exchange): ExchangeObserver => ({
  authenticated: () => void notes.push(['authenticated', exchange.user.name]),
  impersonated: (user, constraint) => notes.push(['impersonated', user.name, constraint]),
  authorized: (verdict, reason) => notes.push(['authorized', verdict, reason]),
  requested: ({ name }, json) => notes.push(['requested', name, JSON.parse(json()).kind]),
  patched: (body) => notes.push(['patched', text(body)]),
  panicked: (error) => notes.push(['panicked', error]),
  responding(json) {
    const { kind, apiVersion, metadata, code } = JSON.parse(text(json()))
    notes.push(['responding', kind, apiVersion, code ?? metadata.name ?? 'list'])
  },
})
const outermost: Authenticator = {
  name: 'recorder',
  authenticate(_request, _connection, context) {
    prepare?.(context as Exchange)
    return undefined
  },
}

before(async () => {
  server = (await startInProcess({ authenticators: [outermost] })).server
})
after(() => server.close())

async function noted(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<unknown[][]> {
  notes = []
  prepare = (exchange) => {
    exchange.observer = observer(exchange)
  }
  const init = { method, headers: { 'content-type': 'application/json', ...headers }, ...(body && { body: JSON.stringify(body) }) }
  const response = await server.fetch(new Request(`http://test${path}`, init))
  await response.body?.cancel()
  prepare = undefined
  return notes
}

const anonymous = [
  ['authenticated', 'system:anonymous'],
  ['authorized', 'allow', ''],
]

test('the user before and after impersonation, the decision, the body and the object of the response', async () => {
  assert.deepEqual(await noted('POST', configMaps, object('a'), { 'impersonate-user': 'jane', accept: 'application/yaml' }), [
    ['authenticated', 'system:anonymous'],
    ['impersonated', 'jane', 'impersonate:user-info'],
    ['authorized', 'allow', ''],
    ['requested', 'a', 'ConfigMap'],
    ['responding', 'ConfigMap', 'v1', 'a'],
  ])
})

test('objects as they are requested: in their version, as tables, lists and errors; never of a watch', async () => {
  const protobuf = { accept: 'application/vnd.kubernetes.protobuf' }
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const cases: readonly (readonly [unknown[], string, string, (object | undefined)?, Record<string, string>?])[] = [
    [['ConfigMap', 'v1', 'a'], 'GET', `${configMaps}/a`, undefined, protobuf],
    [['ConfigMapList', 'v1', 'list'], 'GET', configMaps],
    [['Table', 'meta.k8s.io/v1', 'list'], 'GET', configMaps, undefined, table],
    [['Status', 'v1', 404], 'GET', `${configMaps}/none`],
    [['Status', 'v1', 409], 'POST', configMaps, object('a')],
    [['ConfigMap', 'v1', 'a'], 'PATCH', `${configMaps}/a`, { data: { c: 'd' } }, { 'content-type': 'application/merge-patch+json' }],
    [['Status', 'v1', 'list'], 'DELETE', `${configMaps}/a`],
  ]
  for (const [expected, method, path, body, headers] of cases) {
    const found = await noted(method, path, body, headers)
    const received = method === 'POST' ? [['requested', 'a', 'ConfigMap']] : body ? [['patched', JSON.stringify(body)]] : []
    assert.deepEqual(found, [...anonymous, ...received, ['responding', ...expected]], `${method} ${path}`)
  }
  assert.deepEqual(await noted('GET', `${configMaps}?watch=true`), anonymous)
})

test('a watch leaves its seat when its initial events are sent', async () => {
  for (const name of ['b', 'c']) await noted('POST', configMaps, object(name))
  let left = 0
  prepare = (exchange) => {
    exchange.seat = { leave: () => void left++, take() {} }
  }
  const response = await server.fetch(new Request(`http://test${configMaps}?watch=true`))
  prepare = undefined
  assert.equal(left, 0)
  const reader = response.body?.getReader()
  await within('the initial events', reader!.read())
  assert.equal(left, 1)
  await reader?.cancel()
})

const lifetime = { closing: new AbortController().signal, isClosing: false, pauses: new Pauses(webClock), onShutdown: () => () => {} }
const exchangeOf = (connection: Partial<Connection>, request: Request) =>
  createExchange(request, { remoteAddress: '', remotePort: 0, protocol: 'h2', ...connection }, lifetime, () => 'id', 0)

test('a request waits for its seat after the body', async () => {
  const exchange = exchangeOf({}, new Request(`http://test${configMaps}`, { method: 'POST', body: 'x' }))
  let free = () => {}
  const taken = new Promise<void>((resolve) => {
    free = resolve
  })
  const seats: string[] = []
  exchange.seat = {
    leave: () => void seats.push('left'),
    take() {
      seats.push('waits')
      return taken
    },
  }
  const body = Promise.resolve(receiveBody(exchange)).then((bytes) => seats.push(text(bytes)))
  await eventually('the wait for the seat', async () => seats.includes('waits'))
  await quiet()
  assert.deepEqual(seats, ['left', 'waits'])
  free()
  await body
  assert.deepEqual(seats, ['left', 'waits', 'x'])
})

test('outside of the deadline, the answer at the deadline is the one that is sent', async () => {
  const clock = new ManualClock()
  let sent = () => {}
  const connection = {
    whenSent(_response: Response, callback: () => void) {
      sent = callback
    },
  }
  const stages: unknown[] = []
  const record: Filter = async (exchange, next) => {
    const response = await next(exchange)
    return whenSent(exchange, response, () => stages.push(response.status))
  }
  const chain = compose(
    [record, recover(silentLogger, createNegotiator(createPlatform())), deadline(clock, 1_000, { timedOut() {} })],
    () => new Promise(() => {}),
  )
  const answer = chain(exchangeOf(connection, new Request(`http://test${configMaps}`)))
  clock.advance(1_000)
  assert.equal((await answer).status, 504)
  assert.deepEqual(stages, [])
  sent()
  assert.deepEqual(stages, [504])
})
