import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { text } from '../../../runtimes/testing/store/recorder.ts'
import { randomNumbers } from '../../support/random.ts'
import { nodeArguments } from '../../support/root.ts'
import { trials } from '../../support/soak.ts'
import { temporaryDirectory } from './helpers.ts'
import { engine, openSql, withoutSql } from './sql-engines.ts'

const program = nodeArguments(new URL('sql-crash-child.ts', import.meta.url))

/** Lines of a writer that is killed after so many of them. */
async function writeUntilKilled(directory: string, writes: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    seen += chunk.split('\n').length - 1
    if (seen >= writes) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  return output.split('\n').slice(0, -1)
}

describe(`SQL store with ${engine.name}: a killed writer`, { skip: withoutSql }, () => {
  test('keeps every acknowledged write, and none twice', async () => {
    const { directory, remove } = await temporaryDirectory()
    const random = randomNumbers(1)
    const latest = new Map<string, { readonly revision: number; readonly value: string }>()
    for (let round = 0; round < trials(5, 200); round++) {
      for (const line of await writeUntilKilled(directory, 50 + random.integer(500))) {
        const [revision = '', key = '', value = ''] = line.split(' ')
        latest.set(key, { revision: Number(revision), value })
      }
      const store = openSql(directory)
      const { items, revision: newest } = await store.list({ prefix: '/crash/' })
      const stored = new Map(items.map((kv) => [kv.key, kv]))
      assert.equal(new Set(items.map(({ modRevision }) => modRevision)).size, items.length)
      // Each key has one writer, so at most one write that was not acknowledged can follow the last acknowledged one.
      let unknown = 0
      for (const [key, { revision, value }] of latest) {
        assert(newest >= revision)
        const kv = stored.get(key)
        if (kv !== undefined && kv.modRevision === revision) assert.equal(text(kv.value), value, key)
        else if (kv !== undefined ? kv.modRevision > revision : value !== '-') unknown++
        else assert.equal(kv, undefined, key)
      }
      assert(unknown <= 16, `${unknown} keys differ, of 16 writers`)
      await store.close()
    }
    await remove()
  })
})
