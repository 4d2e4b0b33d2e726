/** Collects the current values at the end of a log, without history. */
import { type Change, versionOf } from '../history.ts'
import type { Lease } from '../leases.ts'
import type { Entry } from './entry.ts'
import type { OpenFile, Sink } from './read.ts'

export class CurrentState implements Sink {
  /** Keys as bytes. */
  readonly keys = 'latin1'
  revision = 1
  readonly leases = new Map<bigint, Lease>()
  /** By key. */
  readonly #current = new Map<string, Change & { readonly version: number }>()

  begin({ header }: OpenFile): void {
    this.revision = Math.max(this.revision, header.revision)
  }

  entry(entry: Entry): void {
    if ('lease' in entry) this.leases.set(entry.lease.id, entry.lease)
    else if ('ended' in entry) this.leases.delete(entry.ended)
    else if ('change' in entry) this.#change(entry.change)
  }

  /** In revision order. */
  get changes(): readonly Change[] {
    return [...this.#current.values()].filter(({ value }) => value !== undefined).sort((a, b) => a.revision - b.revision)
  }

  #change(change: Change): void {
    this.revision = Math.max(this.revision, change.revision)
    const before = this.#current.get(change.key)
    if (!before || before.revision <= change.revision) this.#current.set(change.key, { ...change, version: versionOf(change, before) })
  }
}
