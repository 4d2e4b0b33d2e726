/** HTTP/1.1 requests one behind the other, of clients that do not read their answers: reading stops, and goes on when they read. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { eventually, within } from '../../../support/wait.ts'
import { open, socket } from '../support.ts'

const total = 2_500
const body = `${'~'.repeat(8_000)}!`
const mark = '!'.charCodeAt(0)

const handlers = {
  'at once': () => new Response(body),
  later: async () => new Response(body),
  'in another turn': () => new Promise<Response>((resolve) => setImmediate(() => resolve(new Response(body)))),
} as const

for (const [when, handler] of Object.entries(handlers))
  for (const [what, request] of [
    ['heads', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bodies', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx'],
  ] as const)
    test(`${what}, answered ${when}`, async () => {
      let handled = 0
      await using server = await open((request) => {
        handled++
        return request.body === null ? handler() : request.text().then(handler)
      })
      const client = await socket(server.port)
      client.pause()
      for (let i = 0; i < total / 100; i++) client.write(request.repeat(100))
      let before = -1
      await eventually('no more is handled', async () => {
        const stands = handled === before && handled > 0
        before = handled
        return stands
      })
      assert.ok(handled < total, 'all were handled')
      let answers = 0
      client.on('data', (bytes: Buffer) => {
        for (const byte of bytes) if (byte === mark) answers++
        if (answers === total) client.end()
      })
      client.resume()
      await within('all answers', once(client, 'close'))
      assert.equal(answers, total)
    })
