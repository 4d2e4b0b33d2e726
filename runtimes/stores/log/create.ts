/** Creates a store's files from a given state. */
import type { Change } from '../history.ts'
import type { Lease } from '../leases.ts'
import { writeBase } from './base.ts'
import { encodeEntry } from './entry.ts'
import type { LogDirectory } from './files.ts'
import { newStoreId } from './header.ts'
import { Segment } from './segment.ts'

export interface State {
  readonly revision: number
  readonly leases: readonly Lease[]
  /** Current values in revision order, with keys as bytes ('latin1'); iterated once. */
  readonly changes: Iterable<Change>
  /** Number of values. */
  readonly count: number
}

/**
 * Writes a base and an empty segment, durably. The segment is written last: a directory with a segment has a
 * complete store. It reserves no space: of many stores, most are never written to. Resolves to the store's id.
 */
export async function createLog(directory: LogDirectory, state: State, number = 1): Promise<string> {
  const { revision, leases, count } = state
  const header = { number, store: newStoreId(), revision }
  await writeBase(directory, header, recordsOf(state), leases.length + count)
  await createLogOn(directory, header)
  return header.store
}

/** Writes the empty segment of a store whose base is there. */
export async function createLogOn(directory: LogDirectory, base: { store: string; revision: number; number?: number }): Promise<void> {
  ;(await Segment.create(directory, { number: 1, ...base }, false)).file.close()
}

function* recordsOf({ leases, changes }: State): Generator<Buffer> {
  for (const lease of leases) yield encodeEntry({ lease }, 'latin1')
  for (const change of changes) yield encodeEntry({ change }, 'latin1')
}
