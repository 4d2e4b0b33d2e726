import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { linkOf } from '../../../runtimes/node/workers/link.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import type { Cells } from '../../../runtimes/stores/message/cells.ts'
import type { Link } from '../../../runtimes/stores/message/protocol.ts'
import { serveStore } from '../../../runtimes/stores/message/service.ts'
import { messageStore } from '../../../runtimes/stores/message.ts'
import { put } from '../../../runtimes/testing/store/calls.ts'
import { bytes, Recorder, text } from '../../../runtimes/testing/store/recorder.ts'
import { nodeArguments } from '../../support/root.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { hostClock, temporaryDirectory, warnings } from './helpers.ts'

const turns = { clock: hostClock, atTurnsEnd: (callback: () => void) => void setImmediate(callback) }

/** A link that delivers nothing between `begin` and `end`. */
function holding(link: Link) {
  let held: unknown[] | undefined
  let deliver: (message: unknown) => void = () => {}
  return {
    link: {
      send: link.send,
      receive(handle) {
        deliver = handle
        link.receive((message) => (held ? held.push(message) : handle(message)))
      },
    } satisfies Link,
    begin() {
      held = []
    },
    end() {
      const messages = held ?? []
      held = undefined
      for (const message of messages) deliver(message)
    },
  }
}

/** Clients of one store, through channels within this thread. */
function served({ copiesValues = false, maxUnread = 100_000 } = {}) {
  const store = memoryStore()
  const service = serveStore(store, { ...turns, maxUnread })
  const opened: MessagePort[] = []
  const connect = () => {
    const { port1, port2 } = new MessageChannel()
    opened.push(port1)
    const end = service.connect(linkOf(port1))
    const hold = holding(linkOf(port2))
    return {
      client: messageStore({ link: hold.link, cells: end.cells, ...turns, copiesValues }),
      end,
      hold,
      ports: [port1, port2] as const,
    }
  }
  const first = connect()
  return {
    ...first,
    store: first.client,
    own: store,
    connect,
    async close() {
      await first.client.close()
      service.close()
      for (const port of opened) port.close()
      await store.close()
    },
  }
}

storeConformance('message store', async () => served(), 50)
storeConformance('message store that copies values', async () => served({ copiesValues: true }), 5)

const program = nodeArguments(new URL('message-thread.ts', import.meta.url)).at(-1) as string
// Threads of Node 20 do not inherit the loader of TypeScript.
const thread = program.endsWith('.ts')
  ? new Worker(`require('tsx/cjs/api').register(); require(${JSON.stringify(program)})`, { eval: true })
  : new Worker(program)
after(() => thread.terminate())

storeConformance('store of another thread', async () => {
  const { port1, port2 } = new MessageChannel()
  const told = once(thread, 'message') as Promise<[{ readonly cells: Cells }]>
  thread.postMessage({ port: port1 }, [port1])
  const [{ cells }] = await told
  const store = messageStore({ link: linkOf(port2), cells, ...turns })
  return {
    store,
    async close() {
      await store.close()
      port2.close()
    },
  }
})

describe('several clients of one store', () => {
  test('a write that is answered is in all revisions read later, and its event precedes progress to them', async () => {
    const { client, connect, close } = served()
    const { client: other } = connect()
    const recorder = new Recorder()
    const watch = other.watch('', await other.currentRevision(), recorder)
    let last = 0
    for (let i = 0; i < 200; i++) {
      last = await put(client, `k${i}`, 'v', 0)
      const revision = await other.currentRevision()
      assert(revision >= last, `${revision} after ${last}`)
      watch.requestProgress(revision)
      await recorder.until(({ progressed }) => (progressed.at(-1) ?? 0) >= last)
      assert.equal(recorder.log.at(-1), last)
    }
    await other.close()
    await close()
  })

  test('a client knows whether it has received the events of all answered writes', async () => {
    const { client, connect, close } = served()
    const { client: other, hold } = connect()
    const recorder = new Recorder()
    const watch = other.watch('', await other.currentRevision(), recorder)
    await recorder.caughtUp(other, watch)
    assert.equal(other.received(), undefined)
    hold.begin()
    const written = await put(client, 'k', 'v', 0)
    const late = other.received()
    assert(late)
    hold.end()
    await late
    assert.equal(recorder.log.at(-1), written)
    await other.close()
    await close()
  })

  test('progress needs no message when everything has arrived', async () => {
    const { client, ports, close } = served()
    const recorder = new Recorder()
    const watch = client.watch('a/', await client.currentRevision(), recorder)
    watch.requestProgress()
    await recorder.until(({ progressed }) => progressed.length === 1)
    const revision = await put(client, 'elsewhere', 'v', 0)
    let messages = 0
    for (const port of ports) port.on('message', () => messages++)
    watch.requestProgress(revision)
    await recorder.until(({ progressed }) => progressed.length === 2)
    assert.deepEqual([recorder.progressed.at(-1), messages], [revision, 0])
    await close()
  })

  test('values are in memory that clients share', async () => {
    const { client, own, connect, close } = served()
    const { client: other } = connect()
    await put(client, 'written', 'by a client', 0)
    await put(own, 'held', 'by the store', 0)
    for (const key of ['written', 'held']) {
      const [one, two] = await Promise.all([client.get(key), other.get(key)])
      assert(one.kv && two.kv && one.kv.value.buffer instanceof SharedArrayBuffer)
      one.kv.value.set(bytes('B'))
      assert.equal(text(two.kv.value)?.[0], 'B', 'the same memory')
    }
    await other.close()
    await close()
  })

  test('values that a durable store reads at its start are in memory that threads share', async () => {
    const { directory, remove } = await temporaryDirectory()
    const options = { directory, clock: hostClock, logger: warnings(), sharedMemory: true }
    const first = await openDurableStore(options)
    await put(first, 'small', 'x', 0)
    await put(first, 'large', 'x'.repeat(10_000), 0)
    await first.close()
    const store = await openDurableStore(options)
    for (const key of ['small', 'large']) {
      const { kv } = await store.get(key)
      assert(kv?.value.buffer instanceof SharedArrayBuffer && text(kv.value)?.startsWith('x'))
    }
    await store.close()
    await remove()
  })

  test('a client that ends leaves nothing behind, and its writes are carried out', async () => {
    const { client, own, connect, close } = served()
    const gone = connect()
    const recorder = new Recorder()
    gone.client.watch('', await gone.client.currentRevision(), recorder)
    await put(gone.client, 'before', 'v', 0)
    const answered = gone.client.put('last', bytes('v'), 0)
    await recorder.until(({ log }) => log.length === 1)
    const written = new Recorder()
    own.watch('last', 1, written)
    await written.until(({ log }) => log.length === 1)
    gone.end.close()
    gone.ports[0].close()
    await put(client, 'after', 'v', 0)
    assert.equal(recorder.log.includes(await client.currentRevision()), false)
    void answered.catch(() => {})
    await close()
  })

  test('watches of a client that does not read end, and those of others do not', async () => {
    const { client, connect, close } = served({ maxUnread: 10 })
    const slow = connect()
    const recorder = new Recorder()
    slow.client.watch('', await slow.client.currentRevision(), recorder)
    await put(slow.client, 'first', 'v', 0)
    await recorder.until(({ log }) => log.length === 1)
    const other = new Recorder()
    client.watch('', await client.currentRevision(), other)
    slow.hold.begin()
    for (let i = 0; i < 20; i++) await put(client, `k${i}`, 'v', 0)
    await other.until(({ log }) => log.length === 20)
    slow.hold.end()
    await recorder.until(({ ended }) => ended !== undefined)
    assert.equal(recorder.ended?.error?.code, 'unavailable')
    assert(recorder.log.length < 15, `${recorder.log.length} events`)
    await slow.client.close()
    await close()
  })

  test('the revision does not advance for a failed write', async () => {
    const { client, close } = served()
    const revision = await put(client, 'k', 'v', 0)
    const failed = await client.put('k', bytes('x'), 0)
    assert.deepEqual([failed.ok, await client.currentRevision()], [false, revision])
    await close()
  })
})
