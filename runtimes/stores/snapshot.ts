/** Snapshots of the embedded store: all current keys at one revision, in one file. Encrypted values stay encrypted. */
import { existsSync, linkSync, readdirSync, rmSync } from 'node:fs'
import { StoreError } from '../../core/ports.ts'
import { makeDirectories, reasonOf } from '../atomic-file.ts'
import type { Change } from './history.ts'
import type { Lease } from './leases.ts'
import { createLog, type State } from './log/create.ts'
import { CurrentState } from './log/current.ts'
import { Damage, refusal } from './log/damage.ts'
import { type LogDirectory, nodeDirectory } from './log/files.ts'
import { baseName, logNames, restoringName, segmentName } from './log/names.ts'
import { ownerOf, takeOwnership } from './log/owner.ts'
import { readLog } from './log/read.ts'
import { type Base, decodeBase, decodeChange, decodeLease, encodeBase, encodeChange, encodeLease, leaseKey, revisionKey } from './record.ts'
import { type Frame, frameKinds, readFrames, SnapshotWriter } from './snapshot-file.ts'

export interface SnapshotInfo {
  readonly revision: number
  readonly objects: number
}

/** What a store holds, at one revision. Keys have a character for each byte. */
export type Saved = Pick<CurrentState, 'revision' | 'leases' | 'changes'>

/** Key of the last frame, which describes the file. */
const baseKey = Buffer.from('history')
/** Maximum restarts when a running server compacts its log during the read. */
const attempts = 10

/**
 * Saves the store in a directory to a new file, whether a server is running or not. It contains everything acknowledged when the save
 * begins, and does not block the server. `write`: writes a new file of another format, and syncs it.
 * @throws StoreError in one line; the file does not exist then.
 */
export async function saveSnapshot(directory: string, file: string, write = writeOwn): Promise<SnapshotInfo> {
  if (!holdsLog(directory)) throw new StoreError('unavailable', `${directory} holds no embedded store`)
  if (existsSync(file)) throw new StoreError('unavailable', `${file} exists already`)
  const draft = `${file}.${process.pid}.tmp`
  try {
    const state = readCurrent(directory, (await ownerOf(directory)) !== undefined)
    try {
      await write(state, draft)
      // Unlike a rename this never replaces a file.
      linkSync(draft, file)
      return { revision: state.revision, objects: state.changes.length }
    } finally {
      rmSync(draft, { force: true })
    }
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError('unavailable', `save ${file}: ${reasonOf(error)}`)
  }
}

function readCurrent(path: string, marked: boolean, attempt = 1): CurrentState {
  const directory = nodeDirectory(path, true)
  try {
    const state = new CurrentState()
    const { base, segments } = readLog(directory, state, { marked })
    for (const { file } of base ? [base, ...segments] : segments) file.close()
    return state
  } catch (error) {
    if (marked && attempt < attempts) return readCurrent(path, marked, attempt + 1)
    throw error instanceof Damage ? refusal(path, error) : error
  }
}

async function writeOwn(state: Saved, path: string): Promise<void> {
  const writer = new SnapshotWriter(path)
  try {
    writeAll(state, writer)
    writer.finish()
  } finally {
    writer.close()
  }
}

function writeAll({ revision, leases, changes }: Saved, writer: SnapshotWriter): void {
  for (const change of changes) {
    const key = revisionKey(change.revision)
    writer.add({ kind: frameKinds.revision, key, record: encodeChange(key, change) })
  }
  for (const lease of leases.values()) {
    const key = leaseKey(lease.id)
    writer.add({ kind: frameKinds.lease, key, record: encodeLease(key, lease) })
  }
  writer.add({ kind: frameKinds.end, key: baseKey, record: encodeBase(baseKey, { oldest: revision, kept: changes.length }) })
}

/**
 * Creates a store from a snapshot, in a directory without one. Verifies the file before it writes anything. When it is killed, no server starts
 * with what is there, until it has been run again. `target`: the files of the directory. `read`: reads and verifies a file of another format.
 */
export async function restoreSnapshot(
  file: string,
  directory: string,
  target = nodeDirectory(directory),
  read = readOwn,
): Promise<SnapshotInfo> {
  if (holdsLog(directory)) throw new StoreError('unavailable', `${directory} holds a store already`)
  try {
    const state = read(file)
    makeDirectories(directory)
    const owner = await takeOwnership(directory)
    try {
      await restore(state, target)
    } finally {
      await owner.release()
    }
    return { revision: state.revision, objects: state.count }
  } catch (error) {
    throw new StoreError('unavailable', `restore ${file}: ${reasonOf(error)}`)
  }
}

function readOwn(file: string): State {
  const { oldest: revision, kept: count } = check(file)
  const leases = [...framesOf(file, frameKinds.lease, decodeLease)]
  return { revision, count, leases, changes: framesOf(file, frameKinds.revision, decodeChange) }
}

async function restore(state: State, target: LogDirectory): Promise<void> {
  // Until it has gone, no server starts here.
  target.create(restoringName).close()
  await target.sync()
  // Left over from a restore that was killed.
  const { bases, segments, drafts } = logNames(target.names())
  for (const name of [...segments.map(segmentName), ...bases.map(baseName), ...drafts]) target.remove(name)
  await createLog(target, state)
  target.remove(restoringName)
  await target.sync()
}

/** Whether a directory has a store: that of a restore that was killed is none. */
function holdsLog(directory: string): boolean {
  const names = existsSync(directory) ? readdirSync(directory) : []
  return !names.includes(restoringName) && logNames(names).segments.length > 0
}

function* framesOf<T extends Change | Lease>(
  file: string,
  kind: number,
  decode: (key: Buffer, record: Buffer) => T | undefined,
): Generator<T> {
  for (const frame of readFrames(file)) {
    if (frame.kind !== kind) continue
    const decoded = decode(frame.key, frame.record)
    if (decoded === undefined) throw new Error('is damaged or truncated')
    yield decoded
  }
}

/** Reads and verifies a whole file. Throws when it is damaged. */
function check(file: string): Base {
  let objects = 0
  let last: Frame | undefined
  for (const frame of readFrames(file)) {
    if (frame.kind === frameKinds.revision) objects++
    last = frame
  }
  const base = last && decodeBase(last.key, last.record)
  if (base === undefined || base.kept !== objects) throw new Error('is damaged or truncated')
  return base
}
