/** One request that is sent on: what ends its wait, what the client gets without a response, and that a log's bytes have one reader. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../../core/answers/byte-source.ts'
import { Reply } from '../../../../core/answers/reply.ts'
import type { Ending } from '../../../../core/outgoing/forwarding/ending.ts'
import { type Forwarding, forward } from '../../../../core/outgoing/forwarding/forward.ts'
import { relayLog } from '../../../../core/outgoing/forwarding/log.ts'
import type { AgentServices } from '../../../../core/outgoing/forwarding/metrics.ts'
import type { Exchange } from '../../../../core/request/exchange.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'

const destination = { origin: new URL('https://10.0.0.1:10250'), options: { target: '/containerLogs' } }

function exchangeOf(signal = new AbortController().signal) {
  const forgotten: string[] = []
  const exchange = {
    request: new Request('https://front/log'),
    connection: {},
    info: { longRunning: false },
    signal,
    onShutdown: () => () => void forgotten.push('shutdown'),
  } as unknown as Exchange
  return { exchange, forgotten }
}

/** A forwarding of which each part can be replaced, and how often its end was forgotten. */
function forwardingWith(parts: Partial<Forwarding> = {}) {
  const state = { forgotten: 0 }
  const ending: Ending = { signal: new AbortController().signal, forget: () => void state.forgotten++ }
  const forwarding: Forwarding = {
    destination,
    ending,
    request: (signal) => new Request(destination.origin, { signal }),
    failure: (error) => new Error(`no response: ${(error as Error).message}`),
    answer: ({ status }) => new Response(null, { status }),
    ...parts,
  }
  return { forwarding, state }
}

const refusing = { fetch: () => Promise.reject(new Error('refused')) }
const answering = { fetch: async () => new Response(null, { status: 204 }) }

test('a request is answered once, and its end is forgotten whatever becomes of it', async () => {
  const { exchange } = exchangeOf()
  const good = forwardingWith()
  assert.equal((await forward(exchange, good.forwarding, answering)).status, 204)
  const failed = forwardingWith()
  await assert.rejects(forward(exchange, failed.forwarding, refusing), { message: 'no response: refused' })
  const thrown = () => {
    throw new Error('not that')
  }
  const unanswered = forwardingWith({ answer: thrown })
  await assert.rejects(forward(exchange, unanswered.forwarding, answering), { message: 'not that' })
  const unsent = forwardingWith({ request: thrown })
  await assert.rejects(forward(exchange, unsent.forwarding, answering), { message: 'not that' })
  assert.deepEqual(
    [good, failed, unanswered, unsent].map(({ state }) => state.forgotten),
    [1, 1, 1, 1],
  )
})

test('a status below 200 is no answer for a client', async () => {
  for (const status of [0, 42, 99]) {
    let cancelled = 0
    const body = { ...sourceOf(new Uint8Array(1)), cancel: () => void cancelled++ }
    const { forwarding, state } = forwardingWith()
    await assert.rejects(forward(exchangeOf().exchange, forwarding, { fetch: async () => new Reply(body, { status }) }), {
      message: `no response: the server answered with the status ${status}`,
    })
    assert.deepEqual([state.forgotten, cancelled], [1, 1])
  }
})

test('a client that has left is no failure of the other server', async () => {
  const leaving = new AbortController()
  leaving.abort(new Error('the client has left'))
  const { forwarding, state } = forwardingWith()
  await assert.rejects(forward(exchangeOf(leaving.signal).exchange, forwarding, refusing), { message: 'the client has left' })
  assert.equal(state.forgotten, 1)
})

test('the bytes of a log have one reader', async () => {
  let readers = 0
  const bytes = sourceOf(new TextEncoder().encode('line\n'))
  const response = new Reply({ ...bytes, take: bytes.take, ended: false, open: () => void readers++ }, { status: 200 })
  const { exchange, forgotten } = exchangeOf()
  const services = { outbound: { fetch: async () => response }, clock: webClock } as unknown as AgentServices
  const answer = await relayLog(exchange, { destination, pod: 'a', follows: false }, services)
  assert.equal(Reply.bodyOf(answer), Reply.bodyOf(response), 'the body is handed on as it is')
  assert.equal(readers, 0)
  assert.deepEqual(forgotten, ['shutdown'])
})
