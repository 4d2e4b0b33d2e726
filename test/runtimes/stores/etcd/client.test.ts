/** Malformed messages from etcd. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallError } from '../../../../core/ports.ts'
import { openClient } from '../../../../runtimes/stores/etcd/client.ts'
import { deleteRequest, rangeRequest } from '../../../../runtimes/stores/etcd/messages.ts'
import { internal } from '../../../../runtimes/wire/client/codes.ts'
import { within } from '../../../support/wait.ts'
import { hostClock, warnings } from '../helpers.ts'
import { answer, grpcServer, message } from './grpc-server.ts'

/** The tag of a field without its length. */
const cut = Uint8Array.of(0x0a)

test('a watch ends with one error, and delivers nothing afterwards', async () => {
  await using server = await grpcServer((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.write(Buffer.concat([message(''), message(cut), message('')]))
  })
  const client = openClient(server.url, {}, hostClock, warnings())
  let responses = 0
  const errors: CallError[] = []
  await within(
    'the end of the watch',
    new Promise<void>((resolve) => {
      client.watch(
        { key: Buffer.from('k'), rangeEnd: Buffer.from('l'), startRevision: 1, prevKv: false },
        {
          response: () => void responses++,
          end(error) {
            errors.push(error)
            resolve()
          },
        },
      )
    }),
  )
  assert.equal(responses, 1, 'the response before it')
  assert.deepEqual(
    errors.map(({ code }) => code),
    [internal],
  )
  client.close()
})

test('a call fails with an error', async () => {
  await using server = await grpcServer((stream) => answer(stream, [cut]))
  const client = openClient(server.url, {}, hostClock, warnings())
  const options = { deadline: performance.now() + 60_000 }
  const calls = {
    range: () => client.range(rangeRequest({ key: Buffer.from('k') }), options),
    txn: () => client.txn(deleteRequest('k', 1), options),
    status: () => client.size(options),
  }
  for (const [name, call] of Object.entries(calls))
    await assert.rejects(call, { name: 'CallError', code: internal, message: /^malformed response: / }, name)
  client.close()
})
