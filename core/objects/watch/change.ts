import type { StoredObject } from '../storage/stored-object.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One change of one object, shared by all of its watchers. */
export class Change {
  readonly revision: number
  /** The current entry; after a deletion: the last content with the deletion's revision. */
  readonly entry: StoredObject
  /** The previous entry; absent for a creation. */
  readonly previous: StoredObject | undefined
  readonly deleted: boolean
  #frames: Map<string, Uint8Array> | undefined
  /** Called with the bytes by which cached frames have become more or less. */
  onFrame: ((bytes: number) => void) | undefined
  #departed: StoredObject | undefined

  constructor(entry: StoredObject, previous: StoredObject | undefined, deleted: boolean) {
    this.revision = entry.revision
    this.entry = entry
    this.previous = previous
    this.deleted = deleted
  }

  /** Bytes that only this change keeps in memory: the previous or deleted content, and frames. */
  get size(): number {
    let size = (this.previous?.size ?? 0) + (this.deleted ? this.entry.size : 0)
    if (this.#frames) for (const frame of this.#frames.values()) size += frame.length
    return size
  }

  /** The previous content with this change's revision: what a watcher gets when an object leaves its selector. */
  get departed(): StoredObject {
    if (this.deleted || this.previous === undefined) return this.entry
    this.#departed ??= this.previous.at(this.revision)
    return this.#departed
  }

  /** A cached frame; watchers with the same `name` (encoding) share it. */
  frame(name: string): Uint8Array | undefined {
    return this.#frames?.get(name)
  }

  /**
   * Forgets what has been encoded for watchers; it is made again for those that come later. It is most of what a change takes, and little of it is
   * read again: if it were kept as long as the change, it would be garbage of the engine's old generation, whose collections delay everything.
   */
  dropEncoded(): void {
    this.entry.forget()
    if (this.#frames === undefined) return
    let size = 0
    for (const { length } of this.#frames.values()) size += length
    this.#frames = undefined
    this.onFrame?.(-size)
  }

  keepFrame(name: string, bytes: Uint8Array): Uint8Array {
    this.#frames ??= new Map()
    this.#frames.set(name, bytes)
    this.onFrame?.(bytes.length)
    return bytes
  }
}

/** Event type of a change for a watcher with this selector; undefined: no event. */
export function eventTypeOf(change: Change, matches?: (entry: StoredObject) => boolean): EventType | undefined {
  const now = !change.deleted && (matches === undefined || matches(change.entry))
  const before = change.previous !== undefined && (matches === undefined || matches(change.previous))
  if (now) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}
