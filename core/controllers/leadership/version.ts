/** Versions of candidates, as the reference reads them: semantic versions, tolerantly (blang/semver, ParseTolerant). */

export interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  /** Pre-release identifiers; empty: a release. */
  readonly before: readonly string[]
}

/** The lowest version, which stands for a missing one. */
export const zero: Version = { numbers: [0n, 0n, 0n], before: [] }

const maxLength = 256
/** Numbers, pre-release identifiers, build identifiers. */
const pattern = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

const isNumber = (identifier: string) => /^\d+$/.test(identifier)

/** Undefined when malformed. White space around it, a leading `v`, leading zeros and missing numbers are accepted. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > maxLength) return undefined
  const [whole, major = '0', minor, patch, before = ''] = pattern.exec(text.trim().replace(/^v/, '')) ?? []
  if (whole === undefined) return undefined
  // Pre-releases and builds belong to complete versions only.
  if (patch === undefined && /[-+]/.test(whole)) return undefined
  const parts = before === '' ? [] : before.split('.')
  if (parts.some((each) => isNumber(each) && each.length > 1 && each.startsWith('0'))) return undefined
  return { numbers: [BigInt(major), BigInt(minor ?? 0), BigInt(patch ?? 0)], before: parts }
}

const sign = <T>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0)

/** Numbers are less than other identifiers (semver.org 2.0.0, 11.4). */
function compareIdentifiers(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return sign(BigInt(one), BigInt(other))
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1
  return sign(one, other)
}

/** Negative when `one` is lower, positive when it is higher. */
export function compareVersions(one: Version, other: Version): number {
  for (const index of [0, 1, 2] as const) {
    const result = sign(one.numbers[index], other.numbers[index])
    if (result !== 0) return result
  }
  // A pre-release is lower than its release.
  if (one.before.length === 0 || other.before.length === 0) return sign(other.before.length, one.before.length)
  for (const [index, identifier] of one.before.entries()) {
    const opposite = other.before[index]
    if (opposite === undefined) return 1
    const result = compareIdentifiers(identifier, opposite)
    if (result !== 0) return result
  }
  return sign(one.before.length, other.before.length)
}
