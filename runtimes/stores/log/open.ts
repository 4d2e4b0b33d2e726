import type { Clock, Logger } from '../../../core/ports.ts'
import type { History } from '../history.ts'
import type { Lease } from '../leases.ts'
import { Damage, refusal } from './damage.ts'
import type { KeyEncoding } from './entry.ts'
import type { LogDirectory } from './files.ts'
import { newStoreId } from './header.ts'
import { Log } from './log.ts'
import { baseName, logNames, segmentName } from './names.ts'
import { Parts } from './parts.ts'
import type { Places } from './places.ts'
import { readLog } from './read.ts'
import { Segment } from './segment.ts'
import { LoadedState } from './state.ts'

export interface LogOptions {
  readonly logger: Logger
  readonly clock: Clock
  /** Size in bytes at which a segment ends; default 64 MiB. */
  readonly segmentBytes?: number
  /** How the store's owner has keys; default UTF-8. */
  readonly keys?: KeyEncoding
  /** See `DurableStoreOptions`. */
  readonly sharedMemory?: boolean
}

export interface OpenLog {
  readonly log: Log
  readonly history: History
  readonly leases: readonly Lease[]
  /** Lease by key. */
  readonly attached: ReadonlyMap<string, bigint>
}

/**
 * Opens or creates the log of a directory that this process owns. Drops the torn end of an unacknowledged write, with a warning.
 * @throws StoreError 'corrupt' for any other damage.
 */
export async function openLog(directory: LogDirectory, options: LogOptions): Promise<OpenLog> {
  const { logger, clock, segmentBytes = 64 * 1024 * 1024, keys = 'utf8', sharedMemory } = options
  const { segments, bases } = removeDrafts(directory)
  if (segments.length === 0 && bases.length === 0)
    (await Segment.create(directory, { number: 1, store: newStoreId(), revision: 1 })).file.close()
  // The history reads values from the parts, which are set below.
  const opened: { parts?: Parts } = {}
  const state = new LoadedState((revision, key) => opened.parts!.read(revision, key), keys, sharedMemory)
  const { base, segments: read, mark, torn } = verified(directory, () => readLog(directory, state))
  const { history, leases, attached } = state
  const last = read.at(-1)!
  if (torn) {
    const fields = { file: `${directory.path}/${last.name}`, offset: last.end, revision: history.revision }
    logger.warn(fields, 'dropped the torn end of the log: a write that was never acknowledged')
    last.file.truncate(last.end)
  }
  // What was read may be only in the page cache: make it durable before it counts as acknowledged.
  await last.file.sync()
  const parts = [...(base ? [base] : []), ...read].map(({ name, header, file, end }, index) => {
    return { number: header.number, name, file, size: end, places: state.places[index] as Places }
  })
  const own = { base: base && parts[0], finished: parts.slice(base ? 1 : 0, -1), active: parts.at(-1)! }
  opened.parts = new Parts(directory, keys, own)
  removeObsolete(directory, base?.header.number ?? 0)
  const { number, store, seed } = last.header
  const { file, end, checksum } = last
  const segment = new Segment({ number, file, seed, end, checksum, revision: history.revision, slot: mark.slot })
  const log = new Log({ directory, logger, clock, segmentBytes, keys, store, history, leases, parts: opened.parts, segment })
  return { log, history, leases: [...leases.values()], attached }
}

function verified<T>(directory: LogDirectory, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Damage ? refusal(directory.path, error) : error
  }
}

function removeDrafts(directory: LogDirectory): ReturnType<typeof logNames> {
  const names = logNames(directory.names())
  for (const name of names.drafts) directory.remove(name)
  return names
}

/** Removes files that a newer base replaces. */
function removeObsolete(directory: LogDirectory, first: number): void {
  const { segments, bases } = logNames(directory.names())
  for (const number of segments) if (number < first) directory.remove(segmentName(number))
  for (const number of bases) if (number < first) directory.remove(baseName(number))
}
