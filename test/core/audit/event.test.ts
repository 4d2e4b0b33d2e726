import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEvent, EventEncoder } from '../../../core/audit/event.ts'
import { legacyLine } from '../../../core/audit/legacy.ts'
import { sourceAddresses } from '../../../core/audit/source-addresses.ts'
import { leastEvent } from './fixtures.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (value: Uint8Array) => new TextDecoder().decode(value)
const encoder = new EventEncoder('audit.k8s.io/v1')
const received = Date.UTC(2026, 0, 2, 3, 4, 5, 60)

const least: AuditEvent = { ...leastEvent, received, reached: received }
const full: AuditEvent = {
  ...least,
  level: 'RequestResponse',
  stage: 'ResponseComplete',
  requestUri: '/api/v1/namespaces/d/pods?a=<b>&c="d"',
  verb: 'create',
  user: { name: 'jane', uid: 'u', groups: ['g'], extra: { z: ['1'], a: ['2', '3'] } },
  impersonated: { name: 'joe', groups: [] },
  constraint: 'impersonate:user-info',
  sourceIps: ['10.0.0.1', '::1'],
  userAgent: 'kubectl',
  object: {
    resource: 'pods',
    namespace: 'd',
    name: 'n',
    uid: 'u',
    group: 'g',
    version: 'v1',
    resourceVersion: '7',
    subresource: 'status',
  },
  status: { status: 'Failure', message: 'no "x"', reason: 'Invalid', details: { name: 'n' }, code: 422 },
  requestObject: bytes('{"a":1}'),
  responseObject: bytes('{"b":2}'),
  reached: received + 7,
  annotations: [
    ['a/b', 'c'],
    ['d/e', '>'],
  ],
}

test('an event has its members in the order of the reference, and no empty ones', () => {
  assert.equal(
    text(encoder.line(least)),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id","stage":"RequestReceived","requestURI":"/healthz","verb":"get","user":{},"requestReceivedTimestamp":"2026-01-02T03:04:05.060000Z","stageTimestamp":"2026-01-02T03:04:05.060000Z"}\n',
  )
  assert.equal(
    text(encoder.line(full)),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/d/pods?a=\\u003cb\\u003e\\u0026c=\\"d\\"","verb":"create","user":{"username":"jane","uid":"u","groups":["g"],"extra":{"a":["2","3"],"z":["1"]}},"impersonatedUser":{"username":"joe"},"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},"sourceIPs":["10.0.0.1","::1"],"userAgent":"kubectl","objectRef":{"resource":"pods","namespace":"d","name":"n","uid":"u","apiGroup":"g","apiVersion":"v1","resourceVersion":"7","subresource":"status"},"responseStatus":{"metadata":{},"status":"Failure","message":"no \\"x\\"","reason":"Invalid","details":{"name":"n"},"code":422},"requestObject":{"a":1},"responseObject":{"b":2},"requestReceivedTimestamp":"2026-01-02T03:04:05.060000Z","stageTimestamp":"2026-01-02T03:04:05.067000Z","annotations":{"a/b":"c","d/e":"\\u003e"}}\n',
  )
})

test('texts of any characters, and objects as text or bytes', () => {
  const agents = ['é', '日本', '🙂', 'a"\\\n<b>&', '\u2028', '\x7f', '\ud800']
  for (const userAgent of agents) {
    const object = JSON.stringify({ text: userAgent.replace('\ud800', '\ufffd'), more: 'x'.repeat(2000) })
    const event = { ...full, userAgent, requestUri: `/${userAgent}`, requestObject: object, responseObject: bytes(object) }
    const line = text(encoder.line(event))
    const parsed = JSON.parse(line)
    assert.equal(parsed.userAgent, userAgent)
    assert.deepEqual([parsed.requestObject, parsed.responseObject], [JSON.parse(object), JSON.parse(object)])
    assert.ok(line.endsWith('}}\n') && !/[<>&\u2028]/.test(line.replaceAll(object, '')))
    assert.equal(JSON.parse(text(encoder.list([event, least]))).items.length, 2)
  }
})

test('items of a list have no kind and apiVersion', () => {
  const { kind, apiVersion, metadata, items, ...rest } = JSON.parse(text(encoder.list([least, full])))
  assert.deepEqual([kind, apiVersion, metadata, rest], ['EventList', 'audit.k8s.io/v1', {}, {}])
  const expected = [least, full].map((event) => {
    const { kind: _kind, apiVersion: _version, ...members } = JSON.parse(text(encoder.line(event)))
    return members
  })
  assert.deepEqual(items, expected)
})

test('the legacy line', () => {
  assert.equal(
    legacyLine(least),
    '2026-01-02T03:04:05.06Z AUDIT: id="id" stage="RequestReceived" ip="<unknown>" method="get" user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/healthz" response="<deferred>"',
  )
  assert.equal(
    legacyLine(full),
    String.raw`2026-01-02T03:04:05.06Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="create" user="jane" groups="\"g\"" as="joe" asgroups="<lookup>" user-agent="kubectl" namespace="d" uri="/api/v1/namespaces/d/pods?a=<b>&c=\"d\"" response="422"`,
  )
  assert.match(legacyLine({ ...least, received: Date.UTC(2026, 0, 1) }), /^2026-01-01T00:00:00Z AUDIT/)
  // A terminal would obey U+009B, and show what follows U+202E from right to left.
  assert.match(legacyLine({ ...least, userAgent: 'a\u009b2J\u202eb\x7f' }), /user-agent="a\\u009b2J\\u202eb\\x7f"/)
})

test('addresses of proxies come before the peer', () => {
  const of = (peer: string, headers: Record<string, string> = {}) => sourceAddresses(new Headers(headers), peer)
  assert.deepEqual(of('::ffff:10.0.0.1'), ['10.0.0.1'])
  assert.deepEqual(of(''), [])
  assert.deepEqual(of('10.0.0.9', { 'x-forwarded-for': '10.0.0.1, x,::1' }), ['10.0.0.1', '::1', '10.0.0.9'])
  assert.deepEqual(of('10.0.0.9', { 'x-forwarded-for': '10.0.0.9', 'x-real-ip': '10.0.0.9' }), ['10.0.0.9'])
  assert.deepEqual(of('10.0.0.9', { 'x-real-ip': '10.0.0.1' }), ['10.0.0.1', '10.0.0.9'])
  assert.deepEqual(of('10.0.0.1', { 'x-forwarded-for': '10.0.0.1,10.0.0.2' }), ['10.0.0.1', '10.0.0.2', '10.0.0.1'])
})
