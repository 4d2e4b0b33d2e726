/** Keys and their versions: what a history consists of. */
import { type KeyValue, StoreError } from '../../core/ports.ts'

export interface Entry {
  readonly key: string
  /** See `byteOrder`. */
  readonly order: string
  head: Version | undefined
}

export const orderOf = ({ order }: Entry) => order

export interface Lineage {
  /** Number of changes since the creation, 1 or more; of a deletion 0. */
  readonly version: number
  /** 0n: none. */
  readonly lease: bigint
}

/** The newest version of a key. */
export interface Head extends Lineage {
  /** Absent: the key was deleted. */
  readonly kv: KeyValue | undefined
}

/** A key's state from `revision` on. */
export interface Version extends Head {
  readonly entry: Entry
  readonly revision: number
  readonly deleted: boolean
  /** Absent for a deletion, and for an old version whose value can be loaded. */
  kv: KeyValue | undefined
  older: Version | undefined
  /** Size in bytes of the replaced value. */
  readonly replaced: number
}

/** The newest version up to a revision. */
export function versionAt({ head }: Entry, revision: number): Version | undefined {
  let version = head
  while (version && version.revision > revision) version = version.older
  return version
}

export const isThere = (version: Version | undefined) => version !== undefined && !version.deleted

export function compacted(revision: number, oldest: number): StoreError {
  return new StoreError('compacted', `revision ${revision} has been compacted, the oldest one left is ${oldest}`, oldest)
}
