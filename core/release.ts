/**
 * Releases of the API. A release is its text, `1.36`, so that rows, flags and messages spell it alike: what came and went with a release
 * says so in its row.
 */
export type Release = `${number}.${number}`

/** The release that this server implements. */
export const ownRelease: Release = '1.36'

const pattern = /^(\d+)\.(\d+)$/

/** Parses `1.35`, without leading zeros in the result; undefined when malformed. */
export function parseRelease(text: string): Release | undefined {
  const [, major, minor] = pattern.exec(text) ?? []
  return major === undefined ? undefined : `${Number(major)}.${Number(minor)}`
}

/** Major and minor number. */
function partsOf(release: Release): readonly [major: number, minor: number] {
  const [major, minor] = release.split('.').map(Number)
  return [major ?? 0, minor ?? 0]
}

/** Positive when `a` is later. */
export function compareReleases(a: Release, b: Release): number {
  const [[major, minor], [otherMajor, otherMinor]] = [partsOf(a), partsOf(b)]
  return major - otherMajor || minor - otherMinor
}

/** Whether what came with a release is part of the release `at`. */
export const isReached = (release: Release, at: Release): boolean => compareReleases(release, at) <= 0

/** The release a number of minor releases earlier. */
export function releaseBefore(release: Release, count = 1): Release {
  const [major, minor] = partsOf(release)
  return `${major}.${minor - count}`
}
