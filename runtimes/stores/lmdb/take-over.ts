import { type Logger, StoreError } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { createLog } from '../log/create.ts'
import type { LogDirectory } from '../log/files.ts'
import { baseName, logNames } from '../log/names.ts'
import { type OldStore, readOldStore } from './old-store.ts'
import { alive } from './owner.ts'

export const oldDataFile = 'data.mdb'
const oldFiles = [oldDataFile, 'lock.mdb']
const takenSuffix = '.taken-over'

/**
 * Takes over a store of the old engine: writes what is current to a log, and renames the old files. Does nothing where there is none. The
 * history before is not taken: watches and lists at old revisions begin anew.
 * @throws StoreError: 'corrupt' when anything in it is damaged, 'unavailable' when a process of an earlier version has it open.
 */
export async function takeOver(directory: LogDirectory, logger: Logger): Promise<void> {
  const names = directory.names()
  if (!names.includes(oldDataFile)) return
  const { segments, bases } = logNames(names)
  // With a segment the log was whole before the old files could be renamed.
  if (segments.length === 0) {
    for (const number of bases) directory.remove(baseName(number))
    const state = read(directory)
    await createLog(directory, state)
    logger.info(
      { revision: state.revision, keys: state.count },
      `the store of an earlier version was taken over; its files end with ${takenSuffix} now`,
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
