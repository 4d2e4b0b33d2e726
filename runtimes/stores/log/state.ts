/** Replays a log's entries in order into the history and the leases. */
import { type Change, History, type Load } from '../history.ts'
import type { Lease } from '../leases.ts'
import { Damage } from './damage.ts'
import type { Entry, KeyEncoding } from './entry.ts'
import { Places } from './places.ts'
import type { OpenFile, Sink } from './read.ts'
import { SharedBuffers } from './shared-buffers.ts'

export class LoadedState implements Sink {
  #history = new History()
  readonly leases = new Map<bigint, Lease>()
  /** Lease by key. */
  readonly attached = new Map<string, bigint>()
  /** Record offsets of each file, in reading order. */
  readonly places: Places[] = []
  readonly copy: SharedBuffers['copy']
  readonly keys: KeyEncoding
  readonly #load: Load
  /** Revision that the first file begins after. */
  #first = 0

  /** `keys`: how the store's owner has them. `threads`: values are in memory that threads can share. */
  constructor(load: Load, keys: KeyEncoding, threads = false) {
    this.#load = load
    this.keys = keys
    this.copy = new SharedBuffers(threads).copy
  }

  get history(): History {
    return this.#history
  }

  begin({ header }: OpenFile): void {
    if (this.places.length === 0) {
      this.#history = new History(header.revision, this.#load)
      this.#first = header.revision
    }
    this.places.push(new Places())
  }

  entry(entry: Entry, open: OpenFile, offset: number): void {
    if ('lease' in entry) this.leases.set(entry.lease.id, entry.lease)
    else if ('ended' in entry) this.leases.delete(entry.ended)
    else if ('compacted' in entry) this.#history.compact(Math.min(entry.compacted, this.#history.revision))
    // A segment can begin before the revision of its base.
    else if (open.header.kind === 'base' || entry.change.revision > this.#first) this.#change(entry.change, open, offset)
  }

  #change(change: Change, { name, header }: OpenFile, offset: number): void {
    if (header.kind === 'base') this.#history.restore(change)
    // A transaction has several changes of one revision.
    else if (change.revision === this.#history.revision + 1 || change.revision === this.#history.revision) this.#history.replay(change)
    else throw new Damage(name, offset, `revision ${this.#history.revision + 1} is missing before revision ${change.revision}`)
    this.places.at(-1)?.add(change.revision, offset)
    if (change.lease !== 0n) this.attached.set(change.key, change.lease)
    else this.attached.delete(change.key)
  }
}
