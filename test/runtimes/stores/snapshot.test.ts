import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'
import { type LogFile, nodeDirectory } from '../../../runtimes/stores/log/files.ts'
import { restoreSnapshot, saveSnapshot } from '../../../runtimes/stores/snapshot.ts'
import { bytes, text } from '../../../runtimes/testing/store/recorder.ts'
import { within } from '../../support/wait.ts'
import { hostClock, openAt, temporaryDirectory, warnings } from './helpers.ts'

/** The current content of a store, one line per key. */
async function contents(store: KeyValueStore): Promise<string[]> {
  const { items } = await store.list({ prefix: '' })
  return items.map(({ key, value, createRevision, modRevision }) => `${key} ${text(value)} ${createRevision} ${modRevision}`)
}

test('a restored store has the keys, revisions and leases, and continues from there', async () => {
  const { directory, remove } = await temporaryDirectory()
  const [from, to, file] = [join(directory, 'from'), join(directory, 'to'), join(directory, 'file')]
  const store = await openAt(from)
  for (let i = 0; i < 50; i++) await store.put(`k${i}`, bytes(`v${i}`), 0)
  for (let i = 0; i < 10; i++) await store.delete(`k${i}`, i + 2)
  await store.put('k20', bytes('changed'), 22)
  await store.compact(40)
  await store.put('leased', bytes('x'), 0, await store.grantLease(1))
  await store.delete('k49', 51)
  const expected = await contents(store)
  const revision = await store.currentRevision()
  assert.deepEqual(await saveSnapshot(from, file), { revision, objects: expected.length })
  assert.deepEqual(await restoreSnapshot(file, to), { revision, objects: expected.length })
  const restored = await openAt(to)
  assert.deepEqual(await contents(restored), expected)
  assert.equal(await restored.currentRevision(), revision)
  await assert.rejects(restored.get('k20', revision - 1), { code: 'compacted' })
  const ended = new Promise<void>((resolve) => {
    restored.watch('leased', revision, { events: () => resolve(), progress() {}, end() {} })
  })
  const { revision: next } = await restored.put('new', bytes('n'), 0)
  assert.equal(next, revision + 1)
  await within('the end of the lease', ended)
  await Promise.all([store.close(), restored.close()])
  const again = await openAt(to)
  assert.equal(text((await again.get('new')).kv?.value), 'n')
  await again.close()
  await remove()
})

test('an empty store is restored empty', async () => {
  const { directory, remove } = await temporaryDirectory()
  const store = await openAt(join(directory, 'from'))
  assert.deepEqual(await saveSnapshot(join(directory, 'from'), join(directory, 'file')), { revision: 1, objects: 0 })
  await restoreSnapshot(join(directory, 'file'), join(directory, 'to'))
  const restored = await openAt(join(directory, 'to'))
  assert.equal((await restored.put('a', bytes('a'), 0)).revision, 2)
  await Promise.all([store.close(), restored.close()])
  await remove()
})

test('an existing store is not replaced, and a missing one is not saved', async () => {
  const { directory, remove } = await temporaryDirectory()
  const [from, file] = [join(directory, 'from'), join(directory, 'file')]
  await assert.rejects(saveSnapshot(from, file), /^StoreError: .*from holds no embedded store$/)
  assert(!existsSync(from), 'nothing was created')
  const store = await openAt(from)
  await saveSnapshot(from, file)
  await assert.rejects(saveSnapshot(from, file), /file exists already$/)
  await assert.rejects(saveSnapshot(from, join(directory, 'no/such/file')), /no such file or directory$/)
  await assert.rejects(restoreSnapshot(file, from), /from holds a store already$/)
  await store.close()
  assert.deepEqual(readdirSync(directory).toSorted(), ['file', 'from'])
  await remove()
})

test('a truncated or modified file is refused, and creates no store', async () => {
  const { directory, remove } = await temporaryDirectory()
  const [from, to, file] = [join(directory, 'from'), join(directory, 'to'), join(directory, 'file')]
  const store = await openAt(from)
  for (let i = 0; i < 20; i++) await store.put(`k${i}`, bytes('v'), 0)
  await saveSnapshot(from, file)
  await store.close()
  const whole = readFileSync(file)
  const refused = async (what: string) => {
    await assert.rejects(restoreSnapshot(file, to), /^StoreError: restore [^\n]*: is (not a snapshot|damaged or truncated)$/, what)
    assert(!existsSync(to), what)
  }
  for (const length of [0, 5, 30, whole.length >> 1, whole.length - 33, whole.length - 1]) {
    writeFileSync(file, whole)
    truncateSync(file, length)
    await refused(`cut to ${length}`)
  }
  for (let at = 0; at < whole.length; at += 7) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 0x10
    writeFileSync(file, changed)
    await refused(`changed at ${at}`)
  }
  writeFileSync(file, Buffer.concat([whole, Buffer.from('x')]))
  await refused('longer')
  await assert.rejects(restoreSnapshot(join(directory, 'none'), to), /no such file or directory$/)
  writeFileSync(file, whole)
  assert.equal((await restoreSnapshot(file, to)).objects, 20)
  await remove()
})

test('a restore that is killed leaves nothing or everything: a half is refused by name, and can be restored again', async (t) => {
  const { directory, remove } = await temporaryDirectory()
  const [from, to, file] = [join(directory, 'from'), join(directory, 'to'), join(directory, 'file')]
  const store = await openAt(from)
  for (let i = 0; i < 20; i++) await store.put(`k${i}`, bytes(`v${i}`), 0)
  await store.grantLease(100)
  const expected = await contents(store)
  await saveSnapshot(from, file)
  await store.close()
  // What kill -9 leaves is what has been done before each operation.
  const left: string[] = []
  const before =
    <A extends unknown[], R>(act: (...args: A) => R) =>
    (...args: A): R => {
      const copy = join(directory, `killed-${left.length}`)
      cpSync(to, copy, { recursive: true, filter: (path) => !basename(path).startsWith('owner.') })
      left.push(copy)
      return act(...args)
    }
  const watchedFile = (opened: LogFile): LogFile => ({
    read: (target, position) => opened.read(target, position),
    size: () => opened.size(),
    write: before((content: Uint8Array, position: number) => opened.write(content, position)),
    sync: before(() => opened.sync()),
    truncate: before((length: number) => opened.truncate(length)),
    close: before(() => opened.close()),
  })
  const real = nodeDirectory(to)
  const info = await restoreSnapshot(file, to, {
    path: to,
    names: () => real.names(),
    open: (name) => watchedFile(real.open(name)),
    create: before((name: string) => watchedFile(real.create(name))),
    rename: before((a: string, b: string) => real.rename(a, b)),
    remove: before((name: string) => real.remove(name)),
    sync: before(() => real.sync()),
  })
  const outcomes = { nothing: 0, refused: 0, everything: 0 }
  for (const [index, copy] of left.entries()) {
    if (readdirSync(copy).length === 0) outcomes.nothing++
    else if (existsSync(join(copy, 'restoring'))) {
      outcomes.refused++
      for (const recover of ['', '0000000000000001.log:0'])
        await assert.rejects(
          openDurableStore({ directory: copy, clock: hostClock, logger: warnings(), recover }),
          /^StoreError: .*\/restoring: a snapshot was being restored into this directory, and not to the end; restore it again [^\n]*$/,
          `killed before operation ${index}`,
        )
      assert.deepEqual(await restoreSnapshot(file, copy), info)
    } else outcomes.everything++
    if (readdirSync(copy).length === 0) continue
    const restored = await openAt(copy)
    assert.deepEqual(await contents(restored), expected, `killed before operation ${index}`)
    await restored.close()
  }
  t.diagnostic(JSON.stringify(outcomes))
  assert.equal(outcomes.nothing, 1)
  assert.ok(outcomes.refused > 10 && outcomes.everything > 0)
  await remove()
})
