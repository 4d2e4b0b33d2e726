/** Content of a store of the old engine: one record per revision, leases, and the oldest revision. */
import type { Change } from '../history.ts'
import type { State } from '../log/create.ts'
import type { LogFile } from '../log/files.ts'
import { decodeBase, decodeChange, decodeLease, keyRevision } from '../record.ts'
import type { Owner } from './owner.ts'
import { OldFile } from './pages.ts'

/** The meta table has an eight-byte version before each value. */
const versionBytes = 8

export interface OldStore extends State {
  readonly owner: Owner | undefined
}

/** All current values. @throws Error in one line when anything is damaged or missing. */
export function readOldStore(file: LogFile): OldStore {
  const old = new OldFile(file)
  const meta = new Map([...old.records('meta')].map(({ key, value }) => [key.toString(), value.subarray(versionBytes)]))
  const baseRecord = meta.get('history')
  const base = baseRecord && decodeBase(Buffer.from('history'), baseRecord)
  if (!base) throw new Error('the beginning of the history is missing or damaged (bad checksum)')
  const current = new Map<string, Change>()
  let [revision, kept] = [base.oldest, 0]
  for (const { key, value } of old.records('revisions')) {
    const change = decodeChange(key, value)
    if (!change) throw new Error(`revision ${keyRevision(key)} is damaged (bad checksum)`)
    if (change.revision <= base.oldest) kept++
    else if (change.revision !== ++revision) throw new Error(`revision ${revision} is missing`)
    if (change.value) current.set(change.key, change)
    else current.delete(change.key)
  }
  if (kept !== base.kept) throw new Error(`up to revision ${base.oldest} there are ${kept} records instead of ${base.kept}`)
  const leases = [...old.records('leases')].map(({ key, value }) => {
    const lease = decodeLease(key, value)
    if (!lease) throw new Error('a lease is damaged (bad checksum)')
    return lease
  })
  const owner = meta.get('owner')
  const changes = [...current.values()].sort((a, b) => a.revision - b.revision)
  return { revision, leases, changes, count: changes.length, owner: owner?.length ? (JSON.parse(owner.toString()) as Owner) : undefined }
}
