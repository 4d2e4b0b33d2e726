/** Writes to the database in the directory of its argument until it is killed; prints a line for each acknowledged write. */
import { writeSync } from 'node:fs'
import { bytes } from '../../../runtimes/testing/store/recorder.ts'
import { openSql } from './sql-engines.ts'

const store = openSql(process.argv[2] ?? '')

async function write(writer: number): Promise<never> {
  for (let count = 0; ; count++) {
    const key = `/crash/${writer}/${count % 8}`
    const { kv } = await store.get(key)
    const value = `${count}`
    const removes = kv !== undefined && count % 5 === 4
    const result = removes ? await store.delete(key, kv.modRevision) : await store.put(key, bytes(value), kv?.modRevision ?? 0)
    if (!result.ok) throw new Error(`swap of ${key} failed`)
    // A pipe takes a line at once or not at all, and the reader reads on.
    writeSync(1, `${result.revision} ${key} ${removes ? '-' : value}\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function compact(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    await store.compact(Math.max(1, (await store.currentRevision()) - 200))
  }
}

await Promise.all([...Array.from({ length: 16 }, (_, writer) => write(writer)), compact()])
