/** Writes to the directory of its first argument until it is killed; prints a line for each acknowledged write. */
import { writeSync } from 'node:fs'
import { StoreError } from '../../../../core/ports.ts'
import { randomNumbers } from '../../../support/random.ts'
import { openAt } from '../helpers.ts'
import { seal } from './crash-values.ts'

const [directory = '', mode = 'write'] = process.argv.slice(2)
const random = randomNumbers(1)
const writers = 32
const keysOfWriter = 8

const store = await openAt(directory)
say('ready')
if (mode === 'hold') setInterval(() => {}, 1000)
else if (mode === 'fill') await fill()
else {
  await Promise.all([...Array.from({ length: writers }, (_, writer) => write(writer)), compact()])
}

async function write(writer: number): Promise<never> {
  for (;;) {
    const key = `/crash/${writer}/${random.integer(keysOfWriter)}`
    const { kv } = await store.get(key)
    const remove = kv !== undefined && random.chance(0.2)
    const size = random.chance(0.02) ? 200_000 : random.integer(2_000)
    const value = seal(size)
    const result = remove ? await store.delete(key, kv.modRevision) : await store.put(key, value, kv?.modRevision ?? 0)
    if (!result.ok) throw new Error(`swap of ${key} failed`)
    say(`${result.revision} ${key} ${remove ? '-' : value.toString('hex', 0, 8)}`)
  }
}

/** Writes until the disk is full; then reads and close must still work. */
async function fill(): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      await store.put(`/fill/${i}`, seal(20_000), 0)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      say(`${i} ${error.code} ${error.message}`)
      if ((await store.count('/fill/')) !== i) throw new Error('a failed write is visible')
      await store.close()
      return
    }
  }
}

async function compact(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const revision = await store.currentRevision()
    await store.compact(Math.max(1, revision - 500))
  }
}

/** Writes a line to stdout synchronously; waits while the pipe is full. */
function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
  }
}
