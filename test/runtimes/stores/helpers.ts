import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, KeyValueStore, Logger } from '../../../core/ports.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'

export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** A logger that records warnings. */
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
