/** Semantic versions as values (library `semver` of the API server; semver.org 2.0.0). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { after, Pace, type Parts, Steps, within } from '../steps.ts'
import { abstractType } from '../types.ts'
import { commonStart } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { intOf, maxUint } from '../values/numbers.ts'
import { search, searchPattern } from '../values/search.ts'
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

/** Time to read an identifier, and one of its characters. */
const nanosecondsPerIdentifier = 150
const nanosecondsPerCharacter = 4
/** Time to copy a character. */
const nanosecondsPerCopy = 1
/** Length up to which an identifier is looked at at once. */
const maxAtOnce = 512

/** Splits at the first `max` separators. */
function* split(text: string, separator: string, max: number): Parts<readonly string[]> {
  const found: string[] = []
  let rest = text
  while (found.length < max) {
    const at = yield* within(search(rest, separator, 0))
    if (at < 0) break
    found.push(rest.slice(0, at))
    rest = rest.slice(at + 1)
  }
  return [...found, rest]
}

/** Which characters a text has: digits only, those of identifiers, or others too. */
type Characters = 'digits' | 'identifier' | 'other'
const charactersOf = (text: string): Characters => (!/\D/.test(text) ? 'digits' : !/[^0-9A-Za-z-]/.test(text) ? 'identifier' : 'other')

/** As `charactersOf`, in parts. */
function* charactersIn(text: string): Parts<Characters> {
  if ((yield* within(searchPattern(text, /[^0-9A-Za-z-]/))) >= 0) return 'other'
  return (yield* within(searchPattern(text, /\D/))) < 0 ? 'digits' : 'identifier'
}

/** Normalizes the parts of `1.2` or `01.2.3`. Undefined: a short version with suffixes. */
function* normalized(parts: readonly string[]): Parts<readonly string[] | undefined> {
  const plain: string[] = []
  for (const part of parts) {
    const first = yield* within(searchPattern(part, /[^0]/))
    const digits = first < 0 ? '' : part.slice(first)
    plain.push(part.length <= 1 ? part : /^\d/.test(digits) ? digits : `0${digits}`)
  }
  const last = plain.at(-1) ?? ''
  if (plain.length < 3 && ((yield* split(last, '+', 1)).length > 1 || (yield* split(last, '-', 1)).length > 1)) return undefined
  while (plain.length < 3) plain.push('0')
  return plain
}

/** What is wrong with a text. */
type Fault = () => string

/** Reads `major.minor.patch-before+build`. */
function* readParts(given: string, normalize: boolean): Parts<CelSemver | Fault> {
  const pace = new Pace()
  if (pace.due(given.length * nanosecondsPerCopy)) yield pace.units
  if (given === '' && !normalize) return () => 'Version string empty'
  const dotted = yield* split(normalize && given.startsWith('v') ? given.slice(1) : given, '.', 2)
  const parts = normalize ? yield* normalized(dotted) : dotted
  if (parts === undefined) return () => 'short version cannot contain PreRelease/Build meta data'
  const [major, minor, rest] = parts
  if (major === undefined || minor === undefined || rest === undefined) return () => 'No Major.Minor.Patch elements found'
  const [withBefore = '', build] = yield* split(rest, '+', 1)
  const [patch = '', before] = yield* split(withBefore, '-', 1)
  const fault =
    (yield* numberFault('major', major)) ??
    (yield* numberFault('minor', minor)) ??
    (yield* numberFault('patch', patch)) ??
    (before === undefined ? undefined : yield* identifiersFault(before, beforeFault, pace)) ??
    (build === undefined ? undefined : yield* identifiersFault(build, buildFault, pace))
  return fault ?? new CelSemver([major, minor, patch].map(BigInt), before ?? '')
}

const read = (text: string, normalize: boolean) => new Steps(readParts(text, normalize))

const isPadded = (text: string) => /^0\d/.test(text)
const isTooLarge = (text: string) => text.length > maxDigits || BigInt(text) > maxUint
const tooLarge = (text: string) => `strconv.ParseUint: parsing ${quoted(text)}: value out of range`

function* numberFault(name: string, text: string): Parts<Fault | undefined> {
  if (text === '') return () => 'strconv.ParseUint: parsing "": invalid syntax'
  if ((yield* within(searchPattern(text, /\D/))) >= 0) return () => `Invalid character(s) found in ${name} number ${quoted(text)}`
  if (isPadded(text)) return () => `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quoted(text)}`
  return isTooLarge(text) ? () => tooLarge(text) : undefined
}

/** The first fault of identifiers with dots in between. */
function* identifiersFault(
  text: string,
  faultOf: (identifier: string, characters: Characters) => Fault | undefined,
  pace: Pace,
): Parts<Fault | undefined> {
  for (let from = 0; ; ) {
    const found = search(text, '.', from)
    const dot = found instanceof Steps ? yield* found.parts : found
    const identifier = text.slice(from, dot < 0 ? text.length : dot)
    if (pace.due(nanosecondsPerIdentifier + identifier.length * nanosecondsPerCharacter)) yield pace.units
    const fault = faultOf(identifier, identifier.length > maxAtOnce ? yield* charactersIn(identifier) : charactersOf(identifier))
    if (fault || dot < 0) return fault
    from = dot + 1
  }
}

function beforeFault(text: string, characters: Characters): Fault | undefined {
  if (text === '') return () => 'Prerelease is empty'
  if (characters === 'other') return () => `Invalid character(s) found in prerelease ${quoted(text)}`
  if (characters === 'identifier') return undefined
  if (isPadded(text)) return () => `Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`
  return isTooLarge(text) ? () => tooLarge(text) : undefined
}

function buildFault(text: string, characters: Characters): Fault | undefined {
  if (text === '') return () => 'Build meta data is empty'
  return characters === 'other' ? () => `Invalid character(s) found in build meta data ${quoted(text)}` : undefined
}

const semver = (text: string, normalize = false) =>
  after(read(text, normalize), (found) => (found instanceof CelSemver ? found : fail(found())))
const isSemver = (text: string, normalize = false) => after(read(text, normalize), (found) => found instanceof CelSemver)

const order = <T extends bigint | number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

/** Numbers have no more digits than that, so a long identifier is not searched for other characters. */
const isNumber = (identifier: string) => identifier.length <= maxDigits && charactersOf(identifier) === 'digits'

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
