import type { Environment } from 'cel-js'

/** A semantic version (semver.org 2.0.0). */
class CelSemver {
  readonly numbers: readonly bigint[]
  /** Identifiers after `-`; none: a release. */
  readonly before: readonly string[]
  constructor(numbers: readonly bigint[], before: readonly string[]) {
    this.numbers = numbers
    this.before = before
  }
}

const longest = 256
const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** What people write for a version: `v1.2`, `01.2.3`. */
function normalized(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([^-+]*)(.*)$/s.exec(text) ?? []
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  while (parts.length < 3) parts.push('0')
  return parts.join('.') + rest
}

function read(text: string, normalize = false): CelSemver | undefined {
  const [matched, major, minor, patch, before] = text.length > longest ? [] : (form.exec(normalize ? normalized(text) : text) ?? [])
  if (matched === undefined) return undefined
  const identifiers = before?.split('.') ?? []
  if (identifiers.some((each) => /^0\d+$/.test(each))) return undefined
  return new CelSemver(
    [major, minor, patch].map((part) => BigInt(part ?? 0)),
    identifiers,
  )
}

function mustRead(text: string, normalize = false): CelSemver {
  const found = read(text, normalize)
  if (found === undefined)
    throw new Error(`No Major.Minor.Patch elements found, or others than a semantic version has: ${JSON.stringify(text)}`)
  return found
}

const order = <T extends bigint | number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
const isNumber = (text: string) => /^\d+$/.test(text)

/** Numbers come before words (semver.org 11). */
function compareIdentifiers(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return order(BigInt(a), BigInt(b))
  return isNumber(a) === isNumber(b) ? order(a, b) : isNumber(a) ? -1 : 1
}

function compare(a: CelSemver, b: CelSemver): number {
  for (const [index, number] of a.numbers.entries()) {
    const found = order(number, b.numbers[index] ?? 0n)
    if (found !== 0) return found
  }
  if (a.before.length === 0 || b.before.length === 0) return order(b.before.length, a.before.length)
  for (const [index, each] of a.before.entries()) {
    const other = b.before[index]
    const found = other === undefined ? 1 : compareIdentifiers(each, other)
    if (found !== 0) return found
  }
  return order(a.before.length, b.before.length)
}

/** Semantic versions as values (this API's library). */
export function registerVersions(environment: Environment): void {
  environment
    .registerType('Semver', CelSemver)
    .registerFunction('semver(string): Semver', (text: string) => mustRead(text))
    .registerFunction('semver(string, bool): Semver', mustRead)
    .registerFunction('isSemver(string): bool', (text: string) => read(text) !== undefined)
    .registerFunction('isSemver(string, bool): bool', (text: string, normalize: boolean) => read(text, normalize) !== undefined)
    .registerFunction('Semver.compareTo(Semver): int', (a: CelSemver, b: CelSemver) => BigInt(compare(a, b)))
    .registerFunction('Semver.isGreaterThan(Semver): bool', (a: CelSemver, b: CelSemver) => compare(a, b) > 0)
    .registerFunction('Semver.isLessThan(Semver): bool', (a: CelSemver, b: CelSemver) => compare(a, b) < 0)
    .registerOperator('Semver == Semver', (a: CelSemver, b: CelSemver) => compare(a, b) === 0)
  for (const [index, name] of ['major', 'minor', 'patch'].entries()) {
    environment.registerFunction(`Semver.${name}(): int`, ({ numbers }: CelSemver) => numbers[index] ?? 0n)
  }
}
