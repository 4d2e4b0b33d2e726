/** Formats of server addresses, as etcd's client accepts them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'
import { addressOf } from '../../../../runtimes/wire/client/socket.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { hostClock, warnings } from '../../stores/helpers.ts'

test('addresses', () => {
  const cases: readonly (readonly [server: string, secure: boolean, authority: string, at: object])[] = [
    ['http://127.0.0.1:2379', false, '127.0.0.1:2379', { host: '127.0.0.1', port: 2379 }],
    ['https://kv.example:2379', true, 'kv.example:2379', { host: 'kv.example', port: 2379 }],
    ['https://[::1]:2379', true, '[::1]:2379', { host: '::1', port: 2379 }],
    ['http://kv.example', false, 'kv.example', { host: 'kv.example', port: 80 }],
    ['https://kv.example', true, 'kv.example', { host: 'kv.example', port: 443 }],
    ['127.0.0.1:2379', false, '127.0.0.1:2379', { host: '127.0.0.1', port: 2379 }],
    ['unix:///run/kv.sock', false, 'localhost', { path: '/run/kv.sock' }],
    ['unixs://localhost:m1', true, 'localhost', { path: 'localhost:m1' }],
  ]
  for (const [server, secure, authority, at] of cases) assert.deepEqual(addressOf(server), { secure, authority, at }, server)
})

test('a real server on a unix socket', async (t) => {
  const { path, remove } = temporaryDirectory('etcd-unix')
  // etcd creates the file `localhost:1` in its working directory.
  const server = spawn(
    'etcd',
    [
      '--listen-client-urls=unix://localhost:1',
      '--advertise-client-urls=unix://localhost:1',
      '--listen-peer-urls=http://127.0.0.1:0',
      '--log-level=error',
    ],
    { cwd: path, stdio: 'ignore' },
  )
  t.after(async () => {
    const ended = once(server, 'close')
    server.kill('SIGKILL')
    await ended
    remove()
  })
  const store = await openEtcdStore({
    servers: [`unix://${path}/localhost:1`],
    clock: hostClock,
    logger: warnings(),
    timeouts: { start: 20_000 },
  })
  assert((await store.put('k', bytes('v'), 0)).ok, 'a write')
  assert.equal(text((await store.get('k')).kv?.value), 'v')
  await store.close()
})
