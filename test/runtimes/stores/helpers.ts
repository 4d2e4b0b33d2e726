import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, KeyValueStore, Logger } from '../../../core/ports.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'

export const hostClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that a test moves; `advance` runs the timers that come due, in order. */
export class ManualClock implements Clock {
  #now = 1_000_000
  #timers: { readonly at: number; readonly callback: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.#now = next.at
      next.callback()
    }
    this.#now = end
  }
}

/** A logger that keeps its warnings. */
export function warnings(): Logger & { readonly warned: { fields: object; message: string }[] } {
  const warned: { fields: object; message: string }[] = []
  return { warned, debug() {}, info() {}, error() {}, warn: (fields, message) => void warned.push({ fields, message }) }
}

export async function temporaryDirectory(): Promise<{ directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'))
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

export function openAt(directory: string, clock: Clock = hostClock, logger: Logger = warnings()): Promise<KeyValueStore> {
  return openDurableStore({ directory, clock, logger })
}
