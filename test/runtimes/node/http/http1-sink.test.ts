/** Streams over HTTP/1.1: bytes not yet accepted by the socket count as held by the connection. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { ByteSource } from '../../../../core/answers/byte-source.ts'
import type { Http1Peer } from '../../../../runtimes/node/http/http1-peer.ts'
import { sendStream } from '../../../../runtimes/node/http/http1-sink.ts'

/** Returns one piece per request. */
class Events implements ByteSource {
  readonly isDeferrable = false
  ended = false
  taken = 0
  open(): void {}
  take(): Uint8Array<ArrayBuffer> {
    this.taken++
    return new Uint8Array(1_000)
  }
  cancel(): void {
    this.ended = true
  }
}

test('an event is held until the client has read it or disconnected', async () => {
  let held = 0
  const peer = { hold: (bytes: number) => (held += bytes), release: (bytes: number) => (held -= bytes) } as unknown as Http1Peer
  const outgoing = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false, write: () => false })
  const events = new Events()
  const sent = sendStream(events, outgoing as unknown as ServerResponse, peer)
  assert.deepEqual([held, events.taken], [1_000, 1])
  outgoing.emit('drain')
  assert.deepEqual([held, events.taken], [1_000, 2])
  outgoing.destroyed = true
  outgoing.emit('close')
  await sent
  assert.deepEqual([held, events.taken, events.ended], [0, 2, true])
})
