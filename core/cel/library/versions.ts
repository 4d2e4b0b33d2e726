/** Semantic versions as values (library `semver` of the API server; semver.org 2.0.0). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { after, Pace, type Parts, Steps } from '../steps.ts'
import { abstractType } from '../types.ts'
import { commonStart } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { intOf, maxUint } from '../values/numbers.ts'
import { CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'
import { quoted } from './quoted.ts'

export const semverType = abstractType('kubernetes.Semver')

class CelSemver extends CelOpaque {
  readonly celType = semverType
  readonly numbers: readonly bigint[]
  /** Pre-release identifiers with dots in between; empty: a release. */
  readonly before: string
  constructor(numbers: readonly bigint[], before: string) {
    super()
    this.numbers = numbers
    this.before = before
  }
  override equals(other: unknown): boolean {
    return other instanceof CelSemver && compare(this, other) === 0
  }
}

/** Digits of the largest number. */
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

/** Time to read an identifier. */
const nanosecondsPerIdentifier = 150
/** Time to read a character. */
const nanosecondsPerCharacter = 4

/** What is wrong with a text. */
type Fault = () => string

/** Reads `major.minor.patch-before+build`. */
function* readParts(given: string, normalize: boolean): Parts<CelSemver | Fault> {
  const pace = new Pace()
  if (pace.due(given.length * nanosecondsPerCharacter)) yield pace.units
  const text = normalize ? normalized(given) : given
  if (text === undefined) return () => 'short version cannot contain PreRelease/Build meta data'
  if (text === '') return () => 'Version string empty'
  const [major, minor, rest] = threeParts(text)
  if (major === undefined || minor === undefined || rest === undefined) return () => 'No Major.Minor.Patch elements found'
  const plus = rest.indexOf('+')
  const [withBefore, build] = plus < 0 ? [rest] : [rest.slice(0, plus), rest.slice(plus + 1)]
  const minus = withBefore.indexOf('-')
  const [patch, before] = minus < 0 ? [withBefore] : [withBefore.slice(0, minus), withBefore.slice(minus + 1)]
  const fault =
    numberFault('major', major) ??
    numberFault('minor', minor) ??
    numberFault('patch', patch) ??
    (before === undefined ? undefined : yield* identifiersFault(before, beforeFault, pace)) ??
    (build === undefined ? undefined : yield* identifiersFault(build, buildFault, pace))
  return fault ?? new CelSemver([major, minor, patch].map(BigInt), before ?? '')
}

const read = (text: string, normalize: boolean) => new Steps(readParts(text, normalize))

const isNumber = (text: string) => /^\d+$/.test(text)
const isPadded = (text: string) => /^0\d/.test(text)
const isTooLarge = (text: string) => text.length > maxDigits || BigInt(text) > maxUint
const tooLarge = (text: string) => `strconv.ParseUint: parsing ${quoted(text)}: value out of range`

function numberFault(name: string, text: string): Fault | undefined {
  if (text === '') return () => 'strconv.ParseUint: parsing "": invalid syntax'
  if (!isNumber(text)) return () => `Invalid character(s) found in ${name} number ${quoted(text)}`
  if (isPadded(text)) return () => `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quoted(text)}`
  return isTooLarge(text) ? () => tooLarge(text) : undefined
}

/** The first fault of identifiers with dots in between. */
function* identifiersFault(text: string, faultOf: (identifier: string) => Fault | undefined, pace: Pace): Parts<Fault | undefined> {
  for (let from = 0; ; ) {
    if (pace.due(nanosecondsPerIdentifier)) yield pace.units
    const dot = text.indexOf('.', from)
    const fault = faultOf(text.slice(from, dot < 0 ? text.length : dot))
    if (fault || dot < 0) return fault
    from = dot + 1
  }
}

function beforeFault(text: string): Fault | undefined {
  if (text === '') return () => 'Prerelease is empty'
  if (!isNumber(text)) return isIdentifier(text) ? undefined : () => `Invalid character(s) found in prerelease ${quoted(text)}`
  if (isPadded(text)) return () => `Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`
  return isTooLarge(text) ? () => tooLarge(text) : undefined
}

function buildFault(text: string): Fault | undefined {
  if (text === '') return () => 'Build meta data is empty'
  return isIdentifier(text) ? undefined : () => `Invalid character(s) found in build meta data ${quoted(text)}`
}

const isIdentifier = (text: string) => /^[0-9A-Za-z-]+$/.test(text)

const semver = (text: string, normalize = false) =>
  after(read(text, normalize), (found) => (found instanceof CelSemver ? found : fail(found())))
const isSemver = (text: string, normalize = false) => after(read(text, normalize), (found) => found instanceof CelSemver)

const order = <T extends bigint | number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

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
  if (a.before === '' || b.before === '') return order(b.before.length, a.before.length)
  if (a.before === b.before) return 0
  const from = a.before.lastIndexOf('.', commonStart(a.before, b.before) - 1) + 1
  const [mine, other] = [a, b].map(({ before }) => before.slice(from, endOf(before, from))) as [string, string]
  return mine === other ? order(a.before.length, b.before.length) : compareIdentifiers(mine, other)
}

/** The end of the identifier that starts at `from`. */
function endOf(before: string, from: number): number {
  const dot = before.indexOf('.', from)
  return dot < 0 ? before.length : dot
}

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
