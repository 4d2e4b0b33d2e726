/** Semantic versions as values (library `semver` of the API server; semver.org 2.0.0). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { abstractType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { intOf, maxUint } from '../values/numbers.ts'
import { CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'

export const semverType = abstractType('kubernetes.Semver')

class CelSemver extends CelOpaque {
  readonly celType = semverType
  readonly numbers: readonly bigint[]
  /** Pre-release identifiers; none: a release. */
  readonly before: readonly string[]
  constructor(numbers: readonly bigint[], before: readonly string[]) {
    super()
    this.numbers = numbers
    this.before = before
  }
  override equals(other: unknown): boolean {
    return other instanceof CelSemver && compare(this, other) === 0
  }
}

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/
const maxDigits = 20

/** Splits at the first two dots. */
function threeParts(text: string): readonly string[] {
  const first = text.indexOf('.')
  if (first < 0) return [text]
  const second = text.indexOf('.', first + 1)
  if (second < 0) return [text.slice(0, first), text.slice(first + 1)]
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

/** Normalizes `v1.2` or `01.2.3`. Undefined: a short version with suffixes. */
function normalized(text: string): string | undefined {
  const parts = threeParts(text.replace(/^v/, ''))
  const plain = parts.map((part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part))
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? '')) return undefined
  while (plain.length < 3) plain.push('0')
  return plain.join('.')
}

function read(text: string, normalize = false): CelSemver | string {
  const plain = normalize ? normalized(text) : text
  if (plain === undefined) return 'short version cannot contain PreRelease/Build meta data'
  if (plain === '') return 'Version string empty'
  const [matched, major = '', minor = '', patch = '', before] = form.exec(plain) ?? []
  if (matched === undefined) return threeParts(plain).length < 3 ? 'No Major.Minor.Patch elements found' : numberProblem(plain)
  const identifiers = before?.split('.') ?? []
  const padded = identifiers.find((each) => /^0\d+$/.test(each))
  if (padded !== undefined) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(padded)}`
  const large = identifiers.find((each) => isNumber(each) && (each.length > maxDigits || BigInt(each) > maxUint))
  if (large !== undefined) return `strconv.ParseUint: parsing ${JSON.stringify(large)}: value out of range`
  const numbers = [major, minor, patch]
  if (numbers.some((each) => each.length > maxDigits)) return 'No Major.Minor.Patch elements found'
  return new CelSemver(numbers.map(BigInt), identifiers)
}

/** Names the invalid number. */
function numberProblem(text: string): string {
  const numbers = text.split('.', 3)
  for (const [index, name] of ['major', 'minor'].entries()) {
    const number = numbers[index] ?? ''
    const label = name === 'major' ? 'Major' : 'Minor'
    if (!/^\d+$/.test(number)) return `Invalid character(s) found in ${name} number ${JSON.stringify(number)}`
    if (/^0\d/.test(number)) return `${label} number must not contain leading zeroes ${JSON.stringify(number)}`
  }
  const patch = /^[^-+]*/.exec(numbers[2] ?? '')?.[0] ?? ''
  if (/^0\d/.test(patch)) return `Patch number must not contain leading zeroes ${JSON.stringify(patch)}`
  return `Invalid character(s) found in patch number ${JSON.stringify(patch)}`
}

function semver(text: string, normalize = false): CelSemver {
  const found = read(text, normalize)
  return typeof found === 'string' ? fail(found) : found
}

const order = <T extends bigint | number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
const isNumber = (text: string) => /^\d+$/.test(text)

/** Numeric identifiers sort before others (semver.org 11). */
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

const isSemver = (text: string, normalize = false) => typeof read(text, normalize) !== 'string'

const rows: readonly Row[] = [
  ['string_to_semver', 'semver(string): Semver', (text: string) => semver(text), traversesFirst],
  ['string_bool_to_semver', 'semver(string, bool): Semver', semver, traversesFirst],
  ['is_semver_string', 'isSemver(string): bool', (text: string) => isSemver(text), traversesFirst],
  ['is_semver_string_bool', 'isSemver(string, bool): bool', isSemver, traversesFirst],
  ['semver_is_greater_than', 'Semver.isGreaterThan(Semver): bool', (a: CelSemver, b: CelSemver) => compare(a, b) > 0],
  ['semver_is_less_than', 'Semver.isLessThan(Semver): bool', (a: CelSemver, b: CelSemver) => compare(a, b) < 0],
  ['semver_compare_to', 'Semver.compareTo(Semver): int', compare],
  ...['major', 'minor', 'patch'].map(
    (name, index): Row => [`semver_${name}`, `Semver.${name}(): int`, ({ numbers }: CelSemver) => intOf(numbers[index] ?? 0n)],
  ),
]

export const versionLibrary = (): readonly FunctionDeclaration[] => declare(rows, { Semver: semverType })
