import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { CallError } from '../../../../core/ports.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'

const folder = mkdtempSync(join(tmpdir(), 'apiserver-grpc-'))
const unixSocket = join(folder, 'plugin.sock')
const bytes = {
  requestSerialize: Buffer.from,
  requestDeserialize: Buffer.from,
  responseSerialize: Buffer.from,
  responseDeserialize: Buffer.from,
}
const unary = (path: string) => ({ path, requestStream: false, responseStream: false, ...bytes }) as const

async function startPlugin(): Promise<Server> {
  const server = new Server()
  server.addService(
    { Echo: unary('/test.Service/Echo'), Refuse: unary('/test.Service/Refuse'), Hang: unary('/test.Service/Hang') },
    {
      Echo: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) => answer(null, call.request),
      Refuse: (_: unknown, answer: (error: object) => void) => answer({ code: status.PERMISSION_DENIED, details: 'not you' }),
      Hang: () => {},
    },
  )
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${unixSocket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  )
  return server
}

const { call } = createOutbound()
const send = (method: string, timeout = 5_000, message = new Uint8Array([1, 2, 3])) =>
  call({ unixSocket, method: `/test.Service/${method}`, message, timeout })
const failsWith = (code: number, text?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof CallError, `a CallError, not ${String(error)}`)
  assert.equal(error.code, code)
  if (text) assert.match(error.message, text)
  return true
}

let plugin: Server
before(async () => {
  plugin = await startPlugin()
})
after(() => {
  plugin.forceShutdown()
  rmSync(folder, { recursive: true })
})

test('a unary call carries bytes in both directions', async () => {
  assert.deepEqual([...(await send('Echo'))], [1, 2, 3])
})

test('a status other than OK is a CallError with its code and text', async () => {
  await assert.rejects(send('Refuse'), failsWith(7, /not you/))
})

test('a call that takes too long is cancelled', async () => {
  await assert.rejects(send('Hang', 50), failsWith(4))
})

test('calls succeed again once the plugin is back', async () => {
  plugin.forceShutdown()
  await assert.rejects(send('Echo'), CallError)
  plugin = await startPlugin()
  for (;;) {
    const answer = await send('Echo').catch((error: CallError) => error)
    if (!(answer instanceof CallError)) break
  }
})
