/** Large requests at once are bounded in sum: further ones wait, and all are answered. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { test } from 'node:test'
import { encode } from '../../../runtimes/etcd-server/message.ts'
import { putRequest } from '../../../runtimes/etcd-server/messages.ts'
import { RequestBudget } from '../../../runtimes/etcd-server/request-budget.ts'
import { framed } from '../../../runtimes/wire/client/messages.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { eventually, within } from '../../support/wait.ts'

const MiB = 1024 * 1024
/** As much as the server reads at once, and as much as a client may send before it is asked (runtimes/wire/server/limits.ts). */
const [budget, window] = [32 * MiB, 256 * 1024]

const putOf = (size: number) => framed(encode(putRequest, { key: 'large', value: new Uint8Array(size) }))

/** A put, of which the last byte is sent at the end. */
class Upload {
  readonly #stream: ClientHttp2Stream
  readonly #message: Buffer
  sent = 0
  readonly status: Promise<string>

  constructor(session: ClientHttp2Session, message: Buffer) {
    this.#message = message
    this.#stream = session.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Put',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status = ''
    for (const event of ['headers', 'response', 'trailers'])
      this.#stream.on(event, (fields: { readonly [name: string]: unknown }) => {
        status = String(fields['grpc-status'] ?? status)
      })
    this.status = once(this.#stream.resume(), 'close').then(() => status)
    this.#send()
  }

  get isComplete(): boolean {
    return this.sent === this.#message.length - 1
  }

  #send(): void {
    const piece = this.#message.subarray(this.sent, Math.min(this.sent + 16_384, this.#message.length - 1))
    if (piece.length === 0) return
    this.#stream.write(piece, (error) => {
      if (error) return
      this.sent += piece.length
      this.#send()
    })
  }

  end(): void {
    this.#stream.end(this.#message.subarray(-1))
  }

  leave(): void {
    this.#stream.close(8)
  }
}

test('open puts of 1.4 MB hold no more than a bound, small ones pass them, and all are answered', async () => {
  const own = await startOwnEtcd()
  const session = connect(own.url)
  try {
    const message = putOf(1.4 * MiB)
    const uploads = Array.from({ length: 100 }, () => new Upload(session, message))
    const sum = () => uploads.reduce((sum, { sent }) => sum + sent, 0)
    const granted = Math.floor(budget / message.length)
    await eventually('as many are read as there is room for', async () => uploads.filter(({ isComplete }) => isComplete).length === granted)
    await eventually(
      'the others fill their windows',
      async () => sum() >= granted * message.length + (100 - granted) * (window - 2 * 16_384),
    )
    const small = new Upload(session, putOf(10))
    small.end()
    assert.equal(await within('a small put', small.status), '0')
    assert(sum() <= budget + 100 * window, `${sum()} bytes`)
    // Those that leave make room, too.
    const left = uploads.splice(0, 40)
    for (const upload of left) upload.leave()
    let next = 0
    await eventually('all are complete', async () => {
      for (const upload of uploads.slice(next)) {
        if (!upload.isComplete) continue
        upload.end()
        next = uploads.indexOf(upload) + 1
      }
      return next === uploads.length
    })
    const statuses = await within('the answers', Promise.all(uploads.map(({ status }) => status)))
    assert.deepEqual(new Set(statuses), new Set(['0']))
  } finally {
    session.destroy()
    await own.stop()
  }
})

test('more JSON than there is room for is answered in turn', async () => {
  const own = await startOwnEtcd()
  try {
    const body = JSON.stringify({ key: 'aw==', value: Buffer.alloc(1.4 * MiB).toString('base64') })
    const put = () => fetch(`${own.url}/v3/kv/put`, { method: 'POST', body }).then(({ status }) => status)
    const statuses = await within('the answers', Promise.all(Array.from({ length: 30 }, put)))
    assert.deepEqual(new Set(statuses), new Set([200]))
  } finally {
    await own.stop()
  }
})

test('requests are granted in their order, a larger one than the bound alone, and what has come counts in any case', () => {
  const all = new RequestBudget(100)
  const log: string[] = []
  const ask = (name: string, bytes: number) => all.ask(bytes, () => void log.push(name))
  const a = ask('a', 60)
  const b = ask('b', 60)
  const c = ask('c', 10)
  const d = ask('d', 500)
  assert.deepEqual([log, a.isGranted, b.isGranted, c.isGranted, all.isContended], [['a'], true, false, false, true])
  a.release()
  a.release()
  assert.deepEqual(log, ['a', 'b', 'c'])
  c.release()
  d.release()
  assert.deepEqual([log, all.isContended], [['a', 'b', 'c'], false])
  const e = ask('e', 500)
  b.release()
  assert.deepEqual(log, ['a', 'b', 'c', 'e'])
  const f = ask('f', 10)
  f.arrived()
  const g = ask('g', 95)
  e.release()
  assert.deepEqual([log, f.isGranted, g.isGranted], [['a', 'b', 'c', 'e'], true, false])
  f.release()
  assert.equal(g.isGranted, true)
})
