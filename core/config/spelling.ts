/** Spellings of flags: aliases of a platform, and suggestions for unknown flags. */
import { createPlatform, type Platform, platformNames } from '../platform.ts'
import { type FlagName, flags, isFlagName } from './flags/index.ts'

export interface Spelling {
  readonly name: FlagName
  /** True for a spelling that only some platforms accept. */
  readonly alias: boolean
}

/** The flag with this name on a platform; underscores count as dashes. */
export function findFlag(given: string, { flagAliases }: Platform): Spelling | undefined {
  const name = given.replaceAll('_', '-')
  if (isFlagName(name)) return { name, alias: false }
  for (const [ours, alias] of flagAliases) {
    const candidate = name.startsWith(alias) ? ours + name.slice(alias.length) : ''
    if (isFlagName(candidate)) return { name: candidate, alias: true }
  }
  return undefined
}

/** As `findFlag`, with the aliases of every platform. */
export function findFlagAnywhere(given: string): Spelling | undefined {
  for (const platform of platformNames) {
    const found = findFlag(given, createPlatform(platform))
    if (found) return found
  }
  return undefined
}

/** Aliases of a flag on a platform. */
export function aliasesOf(name: string, { flagAliases }: Platform): readonly string[] {
  return flagAliases.filter(([ours]) => name.startsWith(ours)).map(([ours, alias]) => alias + name.slice(ours.length))
}

/** Levenshtein distance of two texts, or more than `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? limit + 1
}

const longestName = Math.max(...Object.keys(flags).map((name) => name.length))

/** The flag with the most similar name, if any is similar. */
export function closestFlag(given: string): string | undefined {
  const name = given.replaceAll('_', '-')
  if (name.length > longestName + 3) return undefined
  const limit = name.length < 5 ? 1 : 3
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of Object.keys(flags)) {
    const edits = distance(name, candidate, limit)
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}
