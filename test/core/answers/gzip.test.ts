import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { gzipped } from '../../../core/answers/gzip.ts'

/** A stream that makes pieces on demand, and ends or fails after all of them. */
function streamOf(pieces: readonly Uint8Array<ArrayBuffer>[], failure?: Error) {
  const seen = { pulled: 0, cancelled: undefined as unknown }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const piece = pieces[seen.pulled++]
        if (piece !== undefined) controller.enqueue(piece)
        else if (failure !== undefined) controller.error(failure)
        else controller.close()
      },
      cancel(reason) {
        seen.cancelled = reason
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

/** Incompressible pieces. */
const pieces = (count: number) => Array.from({ length: count }, () => new Uint8Array(randomBytes(64 * 1024)))

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn()
}

test('compressed bytes decompress to the input', async () => {
  for (const count of [0, 1, 40]) {
    const sent = pieces(count)
    const compressed = Buffer.from(await new Response(gzipped(streamOf(sent).stream)).arrayBuffer())
    assert.ok(gunzipSync(compressed).equals(Buffer.concat(sent)), `${count} pieces`)
  }
})

test('reads no more than the consumer requests', async () => {
  const { stream, seen } = streamOf(pieces(300))
  const reader = gzipped(stream).getReader()
  assert.equal(seen.pulled, 0)
  await reader.read()
  await turns(500)
  assert.ok(seen.pulled <= 3, `${seen.pulled} pieces for the first bytes`)
  for (let read = 0; read < 20; read++) await reader.read()
  await turns(500)
  assert.ok(seen.pulled <= 30, `${seen.pulled} pieces`)
  await reader.cancel('enough')
  assert.equal(seen.cancelled, 'enough')
})

test('a failing stream fails after compression too', async () => {
  const { stream } = streamOf(pieces(3), new Error('it broke'))
  await assert.rejects(new Response(gzipped(stream)).arrayBuffer(), /it broke/)
})
