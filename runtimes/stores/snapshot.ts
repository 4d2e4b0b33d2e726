/** Snapshots of the embedded store: everything that is current at one revision, in one file. What is encrypted stays so. */
import { existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreError } from '../../core/ports.ts'
import { reasonOf } from '../atomic-file.ts'
import { baseKey, openTables, type Tables } from './journal.ts'
import { type Base, decodeBase, decodeChange, encodeBase, keyRevision } from './record.ts'
import { type Frame, frameKinds, readFrames, SnapshotWriter } from './snapshot-file.ts'

export interface SnapshotInfo {
  readonly revision: number
  readonly objects: number
}

/** Records written in one transaction of a restore. */
const restoreStep = 2_000

/**
 * Saves what a directory's store holds to a new file, while a server has it open or not: it reads inside one transaction of the engine,
 * so it sees one revision and holds nobody up.
 * @throws StoreError, in one line; then there is no such file.
 */
export function saveSnapshot(directory: string, file: string): SnapshotInfo {
  const data = join(directory, 'data.mdb')
  if (!existsSync(data)) throw new StoreError('unavailable', `${directory} holds no embedded store`)
  if (existsSync(file)) throw new StoreError('unavailable', `${file} exists already`)
  const draft = `${file}.${process.pid}.tmp`
  const tables = openTables(directory, true)
  try {
    const writer = new SnapshotWriter(draft)
    try {
      const info = copyAll(tables, data, writer)
      writer.finish()
      // Unlike a rename this never replaces a file.
      linkSync(draft, file)
      return info
    } finally {
      writer.close()
      rmSync(draft, { force: true })
    }
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError('unavailable', `save ${file}: ${reasonOf(error)}`)
  } finally {
    void tables.root.close()
  }
}

function copyAll({ root, revisions, leases, meta }: Tables, data: string, writer: SnapshotWriter): SnapshotInfo {
  const transaction = root.useReadTransaction()
  try {
    const record = meta.get(baseKey, { transaction })
    const base = record && decodeBase(baseKey, record)
    if (base === undefined) throw new StoreError('corrupt', `${data}: the beginning of the history is missing or damaged`)
    /** The revision that each key has now. */
    const current = new Map<string, number>()
    let revision = base.oldest
    for (const { key, value } of revisions.getRange({ transaction })) {
      const change = decodeChange(key, value)
      if (change === undefined) throw new StoreError('corrupt', `${data}: revision ${keyRevision(key)} is damaged (bad checksum)`)
      if (change.value) current.set(change.key, change.revision)
      else current.delete(change.key)
      revision = Math.max(revision, change.revision)
    }
    const kept = new Set(current.values())
    for (const { key, value } of revisions.getRange({ transaction }))
      if (kept.has(keyRevision(key))) writer.add({ kind: frameKinds.revision, key, record: value })
    for (const { key, value } of leases.getRange({ transaction })) writer.add({ kind: frameKinds.lease, key, record: value })
    writer.add({ kind: frameKinds.end, key: baseKey, record: encodeBase(baseKey, { oldest: revision, kept: kept.size }) })
    return { revision, objects: kept.size }
  } finally {
    transaction.done()
  }
}

/** Makes a store of a snapshot, in a directory that holds none yet. The file is checked before anything is written. */
export async function restoreSnapshot(file: string, directory: string): Promise<SnapshotInfo> {
  if (existsSync(join(directory, 'data.mdb'))) throw new StoreError('unavailable', `${directory} holds a store already`)
  try {
    const base = check(file)
    mkdirSync(dirname(directory), { recursive: true })
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const draft = mkdtempSync(join(directory, 'restore-'))
    try {
      await fill(draft, file)
      renameSync(join(draft, 'data.mdb'), join(directory, 'data.mdb'))
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    return { revision: base.oldest, objects: base.kept }
  } catch (error) {
    throw new StoreError('unavailable', `restore ${file}: ${reasonOf(error)}`)
  }
}

/** Reads a whole file. Throws when it is not what was saved. */
function check(file: string): Base {
  let objects = 0
  let last: Frame | undefined
  for (const frame of readFrames(file)) {
    if (frame.kind === frameKinds.revision) objects++
    last = frame
  }
  const base = last && decodeBase(last.key, last.record)
  if (base === undefined || base.kept !== objects) throw new Error('is damaged or cut short')
  return base
}

async function fill(directory: string, file: string): Promise<void> {
  const tables = openTables(directory)
  const write = ({ kind, key, record }: Frame) => {
    if (kind === frameKinds.revision) tables.revisions.putSync(key, record)
    else if (kind === frameKinds.lease) tables.leases.putSync(key, record)
    else tables.meta.putSync(baseKey, record, 1)
  }
  let step: Frame[] = []
  const commit = () => {
    tables.root.transactionSync(() => {
      for (const frame of step) write(frame)
    })
    step = []
  }
  for (const frame of readFrames(file)) {
    step.push(frame)
    if (step.length >= restoreStep) commit()
  }
  commit()
  await tables.root.flushed
  await tables.root.close()
}
