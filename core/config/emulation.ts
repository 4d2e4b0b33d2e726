/** Releases: this one, and those that can be emulated (KEP-4330). */
import { major, minor } from './version.ts'

/** A release such as 1.35. */
export interface Release {
  readonly major: number
  readonly minor: number
}

export const own: Release = { major, minor }
/** The oldest release that can be emulated. */
export const oldest: Release = { major, minor: minor - 3 }

export const releaseText = (release: Release) => `${release.major}.${release.minor}`

/** Parses `1.35`; malformed parts are 0. */
export function parseRelease(text: string): Release {
  const [majorPart = 0, minorPart = 0] = text.split('.').map((part) => Number(part) || 0)
  return { major: majorPart, minor: minorPart }
}

/** Positive when `a` is later. */
export const compareReleases = (a: Release, b: Release) => a.major - b.major || a.minor - b.minor
