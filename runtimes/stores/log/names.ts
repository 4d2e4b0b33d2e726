/** Names of the log's files: a sequence number and a suffix for the type of file. */
const digits = 16
const pattern = new RegExp(`^(\\d{${digits}})\\.(log|base)$`)

export const segmentName = (number: number) => `${String(number).padStart(digits, '0')}.log`
export const baseName = (number: number) => `${String(number).padStart(digits, '0')}.base`
/** A file that is there while a snapshot is being restored into the directory: what it holds is not a whole store. */
export const restoringName = 'restoring'
/** Suffix of files that are being written. */
export const draftSuffix = '.tmp'

export interface LogNames {
  /** In ascending order, as are the bases. */
  readonly segments: readonly number[]
  readonly bases: readonly number[]
  /** Unfinished files. */
  readonly drafts: readonly string[]
}

export function logNames(names: readonly string[]): LogNames {
  const numbers = (kind: string) =>
    names.flatMap((name) => {
      const [, number, found] = pattern.exec(name) ?? []
      return found === kind ? [Number(number)] : []
    })
  const drafts = names.filter((name) => name.endsWith(draftSuffix) && pattern.test(name.slice(0, -draftSuffix.length)))
  const ascending = (a: number, b: number) => a - b
  return { segments: numbers('log').toSorted(ascending), bases: numbers('base').toSorted(ascending), drafts }
}
