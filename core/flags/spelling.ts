/** Spellings of flags: aliases of a platform, and suggestions for unknown flags. */

import { closest } from '../config/closest.ts'
import { createPlatform, type Platform, platformNames } from '../platform.ts'
import { type FlagName, flags, isFlagName } from './rows/index.ts'

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

/** The spelling of a flag, on any platform, that is most similar, if any is. */
export function closestFlag(given: string): string | undefined {
  const names = Object.keys(flags)
  const aliases = platformNames.flatMap((platform) => names.flatMap((name) => aliasesOf(name, createPlatform(platform))))
  return closest(given.replaceAll('_', '-'), [...names, ...aliases])
}
