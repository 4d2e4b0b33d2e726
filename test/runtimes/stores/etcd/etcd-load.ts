import assert from 'node:assert/strict'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { bytes, type Recorder, text } from '../../../../runtimes/testing/store/recorder.ts'
import { sleep } from '../../../support/wait.ts'

/** Writers that increment a number, each under its own key, whatever happens to the store. */
export interface Load {
  /** Acknowledged writes: revision → `key=value`. */
  readonly acknowledged: ReadonlyMap<number, string>
  readonly failures: readonly StoreError[]
  /** Resolves after this many more acknowledged writes. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

export function startLoad(store: KeyValueStore, prefix: string, writers = 8): Load {
  const acknowledged = new Map<number, string>()
  const failures: StoreError[] = []
  let wake = () => {}
  let stopped = false

  async function write(key: string): Promise<void> {
    let revision = 0
    for (let value = 1; !stopped; ) {
      try {
        const result = await store.put(key, bytes(String(value)), revision)
        if (result.ok) {
          acknowledged.set(result.revision, `${key}=${value}`)
          revision = result.revision
        } else {
          // The previous write failed with an unknown outcome, but took effect.
          assert.equal(text(result.current?.value), String(value), 'a single writer per key')
          revision = result.current?.modRevision ?? 0
        }
        value++
        wake()
      } catch (error) {
        assert(error instanceof StoreError, String(error))
        failures.push(error)
        await sleep(20)
      }
    }
  }

  const running = Promise.all(Array.from({ length: writers }, (_, i) => write(`${prefix}${i}`)))
  running.catch(() => wake())
  return {
    acknowledged,
    failures,
    async more(count) {
      const wanted = acknowledged.size + count
      const reached = new Promise<void>((resolve) => {
        wake = () => {
          if (acknowledged.size >= wanted) resolve()
        }
      })
      await Promise.race([reached, running])
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

/** Asserts that every revision after the first was seen once, in order, and that acknowledged writes are among them. */
export function assertComplete({ received, log }: Recorder, load: Load, after: number, last: number): void {
  assert.deepEqual(
    log,
    Array.from({ length: last - after }, (_, i) => after + 1 + i),
  )
  const seen = new Map(
    received.flatMap((event) => (event.type === 'put' ? [[event.kv.modRevision, `${event.kv.key}=${text(event.kv.value)}`]] : [])),
  )
  for (const [revision, line] of load.acknowledged) assert.equal(seen.get(revision), line)
  const values = new Map<string, number>()
  for (const event of received) {
    if (event.type !== 'put') continue
    const value = Number(text(event.kv.value))
    const before = values.get(event.kv.key) ?? 0
    assert.equal(value, before + 1, `${event.kv.key} goes from ${before} to ${value}`)
    assert.equal(Number(text(event.previous?.value) ?? 0), before)
    values.set(event.kv.key, value)
  }
}
