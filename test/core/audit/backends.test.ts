import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEvent, EventEncoder } from '../../../core/audit/event.ts'
import { logDelivery } from '../../../core/audit/log.ts'
import { lossReporter } from '../../../core/audit/losses.ts'
import { allSinks, directSink, type Sink } from '../../../core/audit/sink.ts'
import { webhookDelivery } from '../../../core/audit/webhook.ts'
import { ManualClock } from '../../support/clock.ts'

const encoder = new EventEncoder('audit.k8s.io/v1')
const event = (auditId: string, more: Partial<AuditEvent> = {}) =>
  ({
    level: 'Metadata',
    auditId,
    stage: 'RequestReceived',
    requestUri: '/',
    verb: 'get',
    sourceIps: [],
    userAgent: '',
    constraint: '',
    received: 0,
    reached: 0,
    annotations: [],
    ...more,
  }) as unknown as AuditEvent
const settled = () => new Promise((resolve) => setImmediate(resolve))

function losses() {
  const lost: string[] = []
  const reportLoss = (plugin: string, why: string, events: readonly AuditEvent[]) =>
    void lost.push(`${plugin} ${events.map(({ auditId }) => auditId).join(',')}: ${why}`)
  return { lost, reportLoss }
}

test('a log gets one line per event, in order', async () => {
  const { lost, reportLoss } = losses()
  for (const format of ['json', 'legacy'] as const) {
    let written = ''
    const write = async (lines: Uint8Array) => {
      written += new TextDecoder().decode(lines)
    }
    const deliver = logDelivery(write, { format, encoder, reportLoss })
    assert.equal(await deliver(['a', 'b'].map((id) => event(id))), true)
    const lines = written.split('\n')
    assert.deepEqual([lines.length, lines[2]], [3, ''])
    assert.match(lines[0] ?? '', format === 'json' ? /^\{.*"auditID":"a"/ : /AUDIT: id="a"/)
  }
  assert.deepEqual(lost, [])
})

test('many events are written in parts, and each part that fails is reported', async () => {
  const { lost, reportLoss } = losses()
  const sizes: number[] = []
  const write = async (lines: Uint8Array) => {
    sizes.push(lines.length)
    if (sizes.length === 2) throw new Error('disk full')
  }
  const deliver = logDelivery(write, { format: 'json', encoder, reportLoss })
  const large = event('x', { responseObject: new Uint8Array(200_000).fill(0x31) })
  assert.equal(await deliver([large, large, large, event('y')]), false)
  assert.deepEqual([sizes.length, lost], [2, ['log x,y: disk full']])
})

/** A webhook that answers with these codes. */
function webhook(codes: readonly (number | 'refused')[]) {
  const clock = new ManualClock()
  const bodies: string[] = []
  const { lost, reportLoss } = losses()
  const deliver = webhookDelivery({
    connection: { url: 'https://hook/audit', options: {}, authorization: async () => 'Bearer t' },
    outbound: {
      async fetch(request) {
        const code = codes[bodies.length] ?? 200
        bodies.push(`${request.method} ${request.url} ${request.headers.get('authorization')} ${await request.text()}`)
        if (code === 'refused') throw new Error('connection refused')
        return new Response(null, { status: code })
      },
    },
    clock,
    firstWait: 10_000,
    encoder,
    reportLoss,
  })
  return { deliver, clock, bodies, lost }
}

test('a webhook gets a list of events', async () => {
  const { deliver, bodies, lost } = webhook([200])
  assert.equal(await deliver([event('a'), event('b')]), true)
  const [body = ''] = bodies
  assert(body.startsWith('POST https://hook/audit?timeout=30s Bearer t {"kind":"EventList","apiVersion":"audit.k8s.io/v1"'))
  assert.deepEqual([bodies.length, lost], [1, []])
})

test('every failure of a webhook is tried again, the first time after the initial backoff', async () => {
  const { deliver, bodies, lost, clock } = webhook([403, 'refused', 500])
  const delivered = deliver([event('a')])
  await settled()
  clock.advance(9_999)
  await settled()
  assert.equal(bodies.length, 1)
  for (const wait of [2_001, 18_000, 27_000]) {
    clock.advance(wait)
    await settled()
    await settled()
  }
  assert.equal(await delivered, true)
  assert.deepEqual([bodies.length, lost], [4, []])
})

test('after five attempts the events are lost, however often that has happened', async () => {
  const { deliver, bodies, lost, clock } = webhook(Array(30).fill('refused'))
  for (let round = 1; round <= 3; round++) {
    const delivered = deliver([event('a')])
    for (let turn = 0; turn < 20; turn++) {
      await settled()
      clock.advance(50_000)
    }
    assert.equal(await delivered, false)
    assert.equal(bodies.length, round * 5)
  }
  assert.deepEqual(lost, Array(3).fill('webhook a: Post "https://hook/audit?timeout=30s": connection refused'))
})

test('blocking modes: only strict tells that an event is lost', async () => {
  for (const stored of [true, false]) {
    for (const result of [stored, Promise.resolve(stored)]) {
      assert.equal(await directSink(() => result, false).process(event('a')), true)
      assert.equal(await directSink(() => result, true).process(event('a')), stored)
    }
  }
})

test('all sinks get an event; it is stored when all have it', async () => {
  const sink = (result: boolean | Promise<boolean>): Sink => ({ process: () => result, close: async () => {} })
  assert.equal(allSinks([sink(true), sink(true)]).process(event('a')), true)
  assert.equal(allSinks([sink(true), sink(false)]).process(event('a')), false)
  assert.equal(await allSinks([sink(Promise.resolve(true)), sink(false)]).process(event('a')), false)
  assert.equal(await allSinks([sink(Promise.resolve(true)), sink(true)]).process(event('a')), true)
})

test('lost events are counted one by one, and logged at once, then once per second', () => {
  const clock = new ManualClock()
  const counted: [string, number][] = []
  const logged: { plugin: string; events: number; first: string[] }[] = []
  const log = () => {}
  const logger = { debug: log, info: log, warn: log, error: (fields: object) => void logged.push(fields as (typeof logged)[number]) }
  const report = lossReporter((plugin, events) => counted.push([plugin, events]), logger, clock)
  for (let index = 0; index < 30; index++) report('log', 'full', [event(`e${index}`)])
  assert.equal(counted.length, 30)
  assert.deepEqual(
    logged.map(({ plugin, events }) => [plugin, events]),
    [['log', 1]],
  )
  clock.advance(1_000)
  assert.deepEqual(
    logged.map(({ events, first }) => [events, first.length]),
    [
      [1, 1],
      [29, 10],
    ],
  )
  clock.advance(5_000)
  assert.equal(clock.pending, 0)
  report('log', 'full', [event('z')])
  assert.equal(logged.length, 3)
})
