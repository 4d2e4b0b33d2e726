/** Clients on the same machine leave gRPC for the server's Unix socket: who may, what is left when either side ends, and when they do not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Logger } from '../../../core/ports.ts'
import { issue, issueAuthority, newKey } from '../../../runtimes/node/pki/issue.ts'
import { openDurableEngine } from '../../../runtimes/stores/durable.ts'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { bytes, Recorder } from '../../../runtimes/testing/store/recorder.ts'
import { kinds, writeFrame } from '../../../runtimes/wire/attached/frames.ts'
import { readTicket, ticketMethod } from '../../../runtimes/wire/attached/ticket.ts'
import { createChannel } from '../../../runtimes/wire/client/channel.ts'
import { Outbox } from '../../../runtimes/wire/outbox.ts'
import { ownEtcd } from '../../support/daemon.ts'
import { startEtcd } from '../../support/etcd.ts'
import { freePort } from '../../support/free-port.ts'
import { silentLogger } from '../../support/logger.ts'
import { type OwnEtcd, type OwnEtcdOptions, startOwnEtcd } from '../../support/own-etcd.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { eventually, within } from '../../support/wait.ts'
import { hostClock } from '../stores/helpers.ts'

/** What a store has said that its calls go over. */
class Carriers {
  readonly lines: { readonly socket?: string; readonly why?: string }[] = []
  readonly logger: Logger = {
    ...silentLogger,
    info: (fields) => void this.lines.push(fields),
  }

  get last(): 'socket' | 'gRPC' | undefined {
    const line = this.lines.at(-1)
    return line && (line.socket === undefined ? 'gRPC' : 'socket')
  }

  async reach(carrier: 'socket' | 'gRPC'): Promise<void> {
    await eventually(`calls over ${carrier}`, async () => this.last === carrier)
  }
}

async function openStore(t: TestContext, url: string, tls: object = {}) {
  const carriers = new Carriers()
  const store = await openEtcdStore({ servers: [url], clock: hostClock, logger: carriers.logger, ...tls })
  t.after(() => store.close())
  return { store, carriers }
}

/** A server whose store survives it, at one address. */
async function restartable(t: TestContext, options: Partial<OwnEtcdOptions> = {}) {
  const directory = temporaryDirectory('attached')
  const data = join(directory.path, 'data')
  const port = await freePort()
  let server: OwnEtcd | undefined
  const start = async () => {
    const engine = await openDurableEngine({ directory: data, clock: hostClock, logger: silentLogger, keys: 'latin1' })
    server = await startOwnEtcd({ engine, attachIn: data, ports: [{ host: '127.0.0.1', port, serves: 'clients' }], ...options })
  }
  const stop = async () => {
    await server?.stop()
    server = undefined
  }
  await start()
  t.after(async () => {
    await stop()
    directory.remove()
  })
  return { url: `http://127.0.0.1:${port}`, data, start, stop }
}

const put = async (store: Awaited<ReturnType<typeof openStore>>['store'], key: string) => {
  const { kv } = await store.get(key)
  const result = await store.put(key, bytes(key), kv?.modRevision ?? 0)
  assert(result.ok)
  return result.revision
}

describe('attached', () => {
  test('the socket is for one user, and is removed at the end', async (t) => {
    const { data, url, stop } = await restartable(t)
    const { store, carriers } = await openStore(t, url)
    await carriers.reach('socket')
    assert.equal(statSync(join(data, 'attach')).mode & 0o777, 0o600)
    await put(store, 'k')
    await stop()
    assert.deepEqual(
      readdirSync(data).filter((name) => !/^\d+\.(log|base)$/.test(name)),
      [],
    )
  })

  test('a restart of the server: watches go on, and calls over its socket again', async (t) => {
    const server = await restartable(t)
    const { store, carriers } = await openStore(t, server.url)
    const recorder = new Recorder()
    const watch = store.watch('k', await store.currentRevision(), recorder)
    await carriers.reach('socket')
    const revisions = [await put(store, 'k/1')]
    await server.stop()
    await assert.rejects(within('an answer', store.get('k/1')), { name: 'StoreError' })
    await server.start()
    revisions.push(await eventually('a write', () => put(store, 'k/2').catch(() => undefined)))
    await carriers.reach('socket')
    await recorder.caughtUp(store, watch)
    assert.deepEqual(recorder.log, revisions)
  })

  test('two stores share a server: each sees what the other writes, in order', async (t) => {
    const { url } = await restartable(t)
    const [one, other] = [await openStore(t, url), await openStore(t, url)]
    await Promise.all([one.carriers.reach('socket'), other.carriers.reach('socket')])
    const recorder = new Recorder()
    const watch = one.store.watch('', await one.store.currentRevision(), recorder)
    const written: number[] = []
    const write = async ({ store }: typeof one, name: string) => {
      for (let n = 0; n < 50; n++) written.push(await put(store, `${name}/${n}`))
    }
    await Promise.all([write(one, 'one'), write(other, 'other')])
    await recorder.caughtUp(one.store, watch)
    assert.deepEqual(
      recorder.log,
      written.toSorted((a, b) => a - b),
    )
    assert.equal((await one.store.list({ prefix: 'other/' })).items.length, 50)
  })

  test('the program is killed, and starts again', async (t) => {
    const etcd = await startEtcd({ command: ownEtcd })
    t.after(() => etcd.stop())
    const { store, carriers } = await openStore(t, etcd.servers[0] ?? '')
    const recorder = new Recorder()
    const watch = store.watch('k', await store.currentRevision(), recorder)
    const revisions: number[] = []
    for (let round = 0; round < 3; round++) {
      revisions.push(await eventually('a write', () => put(store, `k/${round}`).catch(() => undefined)))
      await carriers.reach('socket')
      await etcd.members[0]?.signal('SIGKILL')
      await etcd.members[0]?.start()
    }
    await eventually('an answer', () => store.get('k').catch(() => undefined))
    await recorder.caughtUp(store, watch)
    assert.deepEqual(recorder.log, revisions)
  })

  test('a client that is gone leaves nothing on the server', async (t) => {
    const { url } = await restartable(t)
    const { socket } = await shown(url)
    const outbox = new Outbox(socket)
    // Watches all keys.
    const path = '/etcdserverpb.Watch/Watch'
    writeFrame(
      outbox,
      kinds.stream,
      1,
      Buffer.from([path.length]),
      Buffer.from(path),
      Buffer.from([0x0a, 0x06, 0x0a, 0x01, 0, 0x12, 0x01, 0]),
    )
    await within('the watch', once(socket, 'data'))
    socket.destroy()
    const { store, carriers } = await openStore(t, url)
    await carriers.reach('socket')
    await put(store, 'k')
  })

  test('a large list and large values', async (t) => {
    const { url } = await restartable(t)
    const { store, carriers } = await openStore(t, url)
    await carriers.reach('socket')
    const value = Buffer.alloc(1024 * 1024, 'x')
    await Promise.all(Array.from({ length: 40 }, (_, n) => store.put(`large/${n}`, value, 0)))
    const { items } = await store.list({ prefix: 'large/' })
    assert.equal(items.length, 40)
    assert(items.every((item) => value.equals(item.value)))
    await assert.rejects(store.put('too-large', Buffer.alloc(4 * 1024 * 1024), 0), { code: 'too-large' })
    assert.equal(carriers.last, 'socket')
  })
})

/** Connects to the socket of a server, and shows a key: that of a ticket by default. */
async function shown(url: string, keyOf = (key: string) => key) {
  const channel = createChannel(url, {}, hostClock)
  const ticket = readTicket(await channel.call(ticketMethod, new Uint8Array(0), hostClock.monotonic() + 5_000))
  channel.close()
  return show(ticket, keyOf(ticket.key))
}

async function show(ticket: { readonly directory: string; readonly name: string; readonly key: string }, key: string) {
  const socket = connect(join(ticket.directory, ticket.name))
  const outcome = Promise.race([once(socket, 'data').then(() => 'let in'), once(socket, 'close').then(() => 'closed')])
  writeFrame(new Outbox(socket), kinds.hello, 0, Buffer.from(key))
  return { ticket, socket, outcome: await within('an outcome', outcome) }
}

describe('who may attach', () => {
  test('nobody without a ticket, or with one that was used', async (t) => {
    const { url } = await restartable(t)
    assert.equal((await shown(url, (key) => key.replaceAll(/\w/g, '0'))).outcome, 'closed')
    const { ticket, outcome, socket } = await shown(url)
    assert.equal(outcome, 'let in')
    socket.destroy()
    assert.equal((await show(ticket, ticket.key)).outcome, 'closed', 'a second time')
  })

  test('a call before the key ends the connection', async (t) => {
    const { data } = await restartable(t)
    const socket = connect(join(data, 'attach'))
    writeFrame(new Outbox(socket), kinds.call, 1, Buffer.from([1, 0x2f]))
    await within('the end', once(socket, 'close'))
  })

  test('with client certificates, who has one: tickets come over TLS only', async (t) => {
    const authority = issueAuthority('etcd-ca', newKey(), Date.now())
    const pair = issue(authority, { commonName: 'etcd', names: ['127.0.0.1'] }, Date.now())
    const tls = { cert: pair.certPem, key: pair.keyPem, clientCa: authority.certPem }
    const port = await freePort()
    await restartable(t, { ports: [{ host: '127.0.0.1', port, serves: 'clients', tls }] })
    const url = `https://127.0.0.1:${port}`
    const client = issue(authority, { commonName: 'apiserver' }, Date.now())
    const { store, carriers } = await openStore(t, url, { ca: authority.certPem, cert: client.certPem, key: client.keyPem })
    await carriers.reach('socket')
    await put(store, 'k')
    const stranger = { ca: authority.certPem, clock: hostClock, logger: silentLogger, timeouts: { start: 0, request: 2_000 } }
    await assert.rejects(openEtcdStore({ servers: [url], ...stranger }), { code: 'unavailable' })
  })
})

describe('calls stay with gRPC', () => {
  const staysWithGrpc = async (t: TestContext, url: string, why: RegExp) => {
    const { store, carriers } = await openStore(t, url)
    await put(store, 'k')
    await carriers.reach('gRPC')
    assert.match(carriers.lines.at(-1)?.why ?? '', why)
    await put(store, 'k')
    assert.equal(carriers.lines.length, 1)
  }

  test('on etcd', async (t) => {
    const etcd = await startEtcd()
    t.after(() => etcd.stop())
    await staysWithGrpc(t, etcd.servers[0] ?? '', /unknown service apiserver\.Attachment/)
  })

  test('on a server without a directory', async (t) => {
    const etcd = await startOwnEtcd()
    t.after(() => etcd.stop())
    await staysWithGrpc(t, etcd.url, /unknown service apiserver\.Attachment/)
  })

  test('behind a proxy', async (t) => {
    const { url } = await restartable(t)
    const proxy = await tcpProxy(Number(new URL(url).port))
    t.after(() => proxy.close())
    await staysWithGrpc(t, `http://127.0.0.1:${proxy.port}`, /a proxy is between/)
  })
})
