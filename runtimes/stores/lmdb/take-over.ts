import { type Logger, StoreError } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { createLog } from '../log/create.ts'
import type { LogDirectory } from '../log/files.ts'
import { baseName, logNames } from '../log/names.ts'
import { oldDataFile } from './names.ts'
import { type OldStore, readOldStore } from './old-store.ts'
import { alive } from './owner.ts'

const oldFiles = [oldDataFile, 'lock.mdb']
const takenSuffix = '.taken-over'

/**
 * Migrates a store of the old engine (lmdb): writes its current values to a log, and renames the old files. Does nothing without such a
 * store. History is not migrated: watches and lists at old revisions get 410.
 * @throws StoreError 'corrupt' for damage, 'unavailable' when a process of an earlier version has the store open.
 */
export async function takeOver(directory: LogDirectory, logger: Logger): Promise<void> {
  const names = directory.names()
  if (!names.includes(oldDataFile)) return
  const { segments, bases } = logNames(names)
  // With a segment the log is complete; only the rename is missing.
  if (segments.length === 0) {
    for (const number of bases) directory.remove(baseName(number))
    const state = read(directory)
    await createLog(directory, state)
    logger.info(
      { revision: state.revision, keys: state.count },
      `converted the store of an earlier version; its files were renamed to *${takenSuffix}`,
    )
  }
  for (const name of oldFiles) if (names.includes(name)) directory.rename(name, `${name}${takenSuffix}`)
  await directory.sync()
}

function read(directory: LogDirectory): OldStore {
  const file = directory.open(oldDataFile)
  try {
    const state = readOldStore(file)
    if (state.owner && alive(state.owner))
      throw new StoreError('unavailable', `${directory.path}: in use by process ${state.owner.pid}, of an earlier version`)
    return state
  } catch (error) {
    if (error instanceof StoreError) throw error
    const what = `${directory.path}/${oldDataFile}: ${messageOf(error)}`
    throw new StoreError('corrupt', `${what}; restore a snapshot into another directory (apiserver snapshot restore FILE --data-dir=DIR)`)
  } finally {
    file.close()
  }
}
