/** Outgoing requests that wait for their answers, and connections that are kept for others. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { eventually, within } from '../../../support/wait.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** It never answers, or only with a head. */
let answer = ''
const sockets = new Set<Socket>()
const silent = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  socket.once('data', () => socket.write(answer)).resume()
})
let url = ''

before(async () => {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  url = `http://127.0.0.1:${(silent.address() as { port: number }).port}/`
})
after(() => {
  silent.close()
  for (const socket of sockets) socket.destroy()
})

const outbound = createOutbound()
const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'

/** A signal as forwarded requests have it: that of the client, and others. */
const among = (signal: AbortSignal) =>
  AbortSignal.any([AbortSignal.any([signal, new AbortController().signal]), new AbortController().signal])

/** The Request is held by nobody else. */
const calls: { readonly [name: string]: (signal: AbortSignal) => Promise<unknown> } = {
  fetch: (signal) => outbound.fetch(new Request(url, { signal: among(signal) })),
  upgrade: async (signal) => {
    const headers = { connection: 'Upgrade', upgrade: 'x' }
    const { stream } = (await outbound.upgrade?.(new Request(url, { headers, signal: among(signal) }))) ?? {}
    return stream?.readable.getReader().read()
  },
}

for (const [name, text] of [
  ['fetch', ''],
  ['upgrade', ''],
  ['upgrade', switched],
] as const)
  test(`${name} ends with its signal after garbage collections${text === '' ? '' : ', when it has switched'}`, async () => {
    answer = text
    const leaving = new AbortController()
    const ended = assert.rejects((calls[name] as (typeof calls)[string])(leaving.signal), /gone/)
    await eventually('the connection', async () => sockets.size === 1)
    for (let i = 0; i < 5; i++) {
      collectGarbage()
      await new Promise((resolve) => setImmediate(resolve))
    }
    leaving.abort(new Error('gone'))
    await within('the end', ended, 5_000)
    await eventually('the end of the connection', async () => sockets.size === 0)
  })

for (const [what, text] of [
  ['head', ''],
  ['body', 'HTTP/1.1 200 OK\r\n\r\n'],
] as const)
  test(`a timeout ends a ${what} that does not come, after garbage collections`, async () => {
    answer = text
    const fetched = async () => (await outbound.fetch(new Request(url), { timeout: 200 })).text()
    const ended = assert.rejects(fetched(), { name: 'TimeoutError' })
    await eventually('the connection', async () => sockets.size === 1)
    for (let i = 0; i < 5; i++) {
      collectGarbage()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await within('the end', ended, 5_000)
    await eventually('the end of the connection', async () => sockets.size === 0)
  })

test('any status of three digits is that of an answer', async () => {
  for (const [digits, status] of [
    ['000', 0],
    ['042', 42],
    ['099', 99],
    ['700', 700],
  ] as const) {
    answer = `HTTP/1.1 ${digits} Odd\r\nConnection: close\r\nContent-Length: 4\r\n\r\nodd!`
    const response = await outbound.fetch(new Request(url))
    assert.deepEqual([response.status, response.ok, await response.text()], [status, false, 'odd!'])
    const headers = { connection: 'Upgrade', upgrade: 'x' }
    const upgraded = await outbound.upgrade?.(new Request(url, { headers }))
    assert.deepEqual([upgraded?.status, upgraded?.stream], [status, undefined])
    await upgraded?.body?.cancel()
  }
})

test('each upgrade has a connection of its own, after a refusal that leaves the last one open, too', async () => {
  answer = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'
  const headers = { connection: 'Upgrade', upgrade: 'x' }
  for (let i = 0; i < 2; i++) {
    const refused = await within(
      'the answer',
      (outbound.upgrade as NonNullable<typeof outbound.upgrade>)(new Request(url, { headers })),
      5_000,
    )
    assert.deepEqual([refused.status, await new Response(refused.body).text()], [403, 'no'])
  }
})
