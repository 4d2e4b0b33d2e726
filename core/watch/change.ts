import type { Entry } from '../storage/entry.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One change of one object, shared by everybody who watches it. */
export class Change {
  readonly revision: number
  /** What is stored now; after a deletion: the last content under the deletion's revision. */
  readonly entry: Entry
  /** What was stored before; absent for a creation. */
  readonly previous: Entry | undefined
  readonly deleted: boolean
  #frames: Map<string, Uint8Array> | undefined
  /** Told of the bytes of each frame that is kept. */
  onFrame: ((bytes: number) => void) | undefined
  #departed: Entry | undefined

  constructor(entry: Entry, previous: Entry | undefined, deleted: boolean) {
    this.revision = entry.revision
    this.entry = entry
    this.previous = previous
    this.deleted = deleted
  }

  /** Bytes that nothing else keeps alive: what was there before, what was deleted, and frames. */
  get size(): number {
    let size = (this.previous?.size ?? 0) + (this.deleted ? this.entry.size : 0)
    if (this.#frames) for (const frame of this.#frames.values()) size += frame.length
    return size
  }

  /** The previous content under this change's revision: what a watcher sees when an object leaves its selector. */
  get departed(): Entry {
    if (this.deleted || this.previous === undefined) return this.entry
    this.#departed ??= this.previous.at(this.revision)
    return this.#departed
  }

  /** Bytes that were sent to a watcher, and are the same for all to whom they have this name. */
  frame(name: string): Uint8Array | undefined {
    return this.#frames?.get(name)
  }

  keepFrame(name: string, bytes: Uint8Array): Uint8Array {
    this.#frames ??= new Map()
    this.#frames.set(name, bytes)
    this.onFrame?.(bytes.length)
    return bytes
  }
}

/** What a change is to a watcher with this selector; undefined: nothing. */
export function eventTypeOf(change: Change, matches: ((entry: Entry) => boolean) | undefined): EventType | undefined {
  const now = !change.deleted && (matches === undefined || matches(change.entry))
  const before = change.previous !== undefined && (matches === undefined || matches(change.previous))
  if (now) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}
