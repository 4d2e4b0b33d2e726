/** The thread that encodes items of long lists: it is started on demand, answers in order, and is started again when it dies. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { Packed } from '../../../core/ports.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { ProtobufEncoder } from '../../../core/schema/protobuf.ts'
import { createItemEncoder } from '../../../runtimes/node/item-encoder.ts'
import { bundle } from '../../support/daemon.ts'

const definition = builtInResources.findIndex(({ kind, version }) => kind === 'ConfigMap' && version === 'v1')
const task = { form: 'protobuf', definition } as const

const json = (name: string) =>
  new TextEncoder().encode(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: name } }))
const expected = (name: string) => new ProtobufEncoder().encode(builtInResources[definition]!.schema, json(name))

function itemsOf(names: readonly string[]): Packed {
  const values = names.map(json)
  let size = 0
  const ends = Uint32Array.from(values, ({ length }) => (size += length))
  return { bytes: Uint8Array.from(values.flatMap((value) => [...value])), ends }
}
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const joined = (names: readonly string[]) => names.map((name) => hex(expected(name))).join('')

const started: Worker[] = []
function startThread(): Worker {
  const worker = new Worker(bundle, { argv: ['--items'], execArgv: [] })
  started.push(worker)
  return worker
}
const encoder = createItemEncoder(startThread)
after(() => Promise.all(started.map((worker) => worker.terminate())))

test('answers in order', async () => {
  const all = [['a', 'b'], ['c'], ['d', 'e', 'f']]
  const found = await Promise.all(all.map((names) => encoder.encode(task, itemsOf(names))))
  assert.deepEqual(
    found.map(({ bytes }) => hex(bytes)),
    all.map(joined),
  )
  assert.deepEqual(
    [...found[2]!.ends],
    ['d', 'e', 'f'].map((_, index, names) => names.slice(0, index + 1).reduce((sum, name) => sum + expected(name).length, 0)),
  )
  assert.equal(started.length, 1)
})

test('items that can not be encoded are an error, and the thread goes on', async () => {
  await assert.rejects(encoder.encode(task, { bytes: new TextEncoder().encode('{"metadata"'), ends: Uint32Array.of(11) }), /colon/)
  assert.equal(hex((await encoder.encode(task, itemsOf(['g']))).bytes), joined(['g']))
  assert.equal(started.length, 1)
})

test('a thread that dies is replaced', async () => {
  const dying = "require('node:worker_threads').parentPort.on('message', () => process.exit(3))"
  let isFirst = true
  const other = createItemEncoder(() => {
    if (!isFirst) return startThread()
    isFirst = false
    return new Worker(dying, { eval: true })
  })
  const all = await Promise.allSettled([other.encode(task, itemsOf(['h'])), other.encode(task, itemsOf(['i']))])
  for (const each of all) assert.match(String((each as PromiseRejectedResult).reason), /the thread exited with 3/)
  assert.equal(hex((await other.encode(task, itemsOf(['j']))).bytes), joined(['j']))
})
