import { dirname, resolve } from 'node:path'
import { validateOptions } from '../../core/options/validate.ts'
import { type Clock, type KeyValueStore, type Logger, StoreError } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { makeDirectories } from '../atomic-file.ts'
import { Engine, type Journal } from './engine.ts'
import type { History } from './history.ts'
import type { KeyEncoding } from './log/entry.ts'
import { type LogDirectory, nodeDirectory, syncDirectory, unsyncedDirectory } from './log/files.ts'
import { Gatherer } from './log/gathering.ts'
import type { Log } from './log/log.ts'
import { restoringName } from './log/names.ts'
import { openLog } from './log/open.ts'
import { type Owner, takeOwnership } from './log/owner.ts'
import { recoverLog } from './log/recover.ts'
import { keyValueStore, viewableStore } from './mvcc.ts'
import { durableRows } from './option-rows.ts'

export interface DurableStoreOptions {
  /** Directory; created when missing. One process at a time can open it. */
  readonly directory: string
  /** Milliseconds to wait while another process owns the directory, which the log says; default 1,000. */
  readonly ownerTimeout?: number
  readonly clock: Clock
  readonly logger: Logger
  /** Damage to accept, as `file:offset`; see recoverLog. Default: none. */
  readonly recover?: string
  /** Size at which a segment of the log ends, in bytes; default 64 MiB. */
  readonly segmentBytes?: number
  /** Maximum bytes of replaced values to keep on disk between compactions; default 1 GiB. */
  readonly pastBytes?: number
  /** Values that are read at the start are in memory that threads can share, for `serveStore`. Default false. */
  readonly sharedMemory?: boolean
}

/**
 * A store in memory with a log on disk: a write is acknowledged, and visible to reads and watches, once it is synced. Rejects with a
 * StoreError: 'unavailable' when another process owns the directory, 'corrupt' when the log is damaged. Rejects with an OptionError
 * when an option is invalid or unknown.
 */
export async function openDurableStore(options: DurableStoreOptions): Promise<KeyValueStore> {
  validateOptions('openDurableStore', durableRows, options, { required: ['directory', 'clock', 'logger'] })
  return viewableStore(await openDurableEngine(options))
}

export interface DurableEngineOptions extends DurableStoreOptions {
  /** How the owner has keys; default UTF-8. */
  readonly keys?: KeyEncoding
  /** False: writes are not synced, and a loss of power may damage the store. Default true. */
  readonly synced?: boolean
}

/** The engine of the store in a directory; rejects as `openDurableStore` does. */
export async function openDurableEngine(options: DurableEngineOptions): Promise<Engine<History>> {
  const { directory: path, logger, recover = '', synced = true } = options
  const owner = await own(options)
  try {
    const directory = synced ? nodeDirectory(path) : unsyncedDirectory(nodeDirectory(path))
    if (directory.names().includes(restoringName)) throw unfinished(path)
    if (recover !== '') await recoverLog(directory, recover, logger)
    return await openEngineIn(directory, options, () => owner.release())
  } catch (error) {
    await owner.release()
    throw error instanceof StoreError ? error : refused(path, error)
  }
}

type EngineIn = Pick<DurableStoreOptions, 'clock' | 'logger' | 'segmentBytes' | 'pastBytes' | 'sharedMemory'> & {
  readonly keys?: KeyEncoding
}

/** The store in a directory that this process owns. */
export const openStoreIn = async (directory: LogDirectory, options: EngineIn): Promise<KeyValueStore> =>
  keyValueStore(await openEngineIn(directory, options))

/** `closed` is called when the store's files are closed. */
export async function openEngineIn(directory: LogDirectory, options: EngineIn, closed = async () => {}): Promise<Engine<History>> {
  const { log, ...loaded } = await openLog(directory, options)
  const { clock, pastBytes = 1024 * 1024 * 1024 } = options
  return new Engine({ clock, pastBytes, journal: journalOf(log, closed), ...loaded })
}

async function own({ directory: path, ownerTimeout: timeout, logger }: DurableStoreOptions): Promise<Owner> {
  const waiting = (pid: number) => {
    const what = 'the data directory is in use by another process; waiting for it to end'
    logger.warn({ directory: path, process: pid, ...(timeout !== undefined && { timeout }) }, what)
  }
  try {
    makeDirectory(path)
    return await takeOwnership(path, { waiting, ...(timeout !== undefined && { timeout }) })
  } catch (error) {
    throw refused(path, error)
  }
}

const refused = (path: string, error: unknown) =>
  new StoreError('unavailable', `open data directory ${path}: ${messageOf(error).replaceAll('\n', ' ')}`)

const unfinished = (path: string) =>
  new StoreError(
    'corrupt',
    `${path}/${restoringName}: a snapshot was being restored into this directory, and not to the end; ` +
      `restore it again (apiserver snapshot restore FILE --data-dir=${path}), or remove the directory`,
  )

/** Creates a directory and syncs its parents: without that a power cut could remove it, with the log. */
function makeDirectory(path: string): void {
  const first = makeDirectories(path)
  if (first === undefined) return
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) syncDirectory(dirname(made))
}

/** `closed` is called when the log is closed. */
export function journalOf(log: Log, closed: () => Promise<void>): Journal {
  return {
    gathering: new Gatherer(),
    append: (changes) => log.append(changes.map((change) => ({ change }))),
    grant: (lease) => log.append([{ lease }]),
    endLease: (id) => log.append([{ ended: id }]),
    compact: (oldest) => log.compact(oldest),
    size: () => log.size,
    async close() {
      await log.close()
      await closed()
    },
  }
}
