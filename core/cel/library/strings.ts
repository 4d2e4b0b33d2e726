/** String functions (cel-go's ext.Strings, version 2). Positions count code points. */
import { goEscapes } from '../../schema/go/escapes.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { boundList, boundText } from '../limits.ts'
import { after, drained, type MaybeSteps, Pace, type Parts, Steps, unitsOf, within } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { bytesOf, hasPairs, isPair, lengthOf, lengthParts, pointAfter, scanTime } from '../values/maps.ts'
import type { Int } from '../values/numbers.ts'
import { search, searchBackwards } from '../values/search.ts'
import { traversal, traversed, traversesFirst, traversesKnown, traversesTwice } from './costs.ts'
import { format } from './format.ts'

const outOfRange = (index: Int): never => fail(`index out of range: ${index}`)

/** Position in code units of a code point, from a known one on; beyond the end: undefined. */
const offsetOf = (text: string, point: number, from: Match): number | undefined =>
  hasPairs(text) ? skip(text, point, from) : point <= text.length ? point : undefined

interface Match {
  readonly point: number
  readonly offset: number
}
const start: Match = { point: 0, offset: 0 }

function skip(text: string, point: number, from: Match): number | undefined {
  let { offset } = from
  for (let at = from.point; at < point; at++) {
    if (offset >= text.length) return undefined
    offset = pointAfter(text, offset)
  }
  return offset
}

/** As `offsetOf`, in steps. */
function* offsetParts(text: string, point: number, from = start): Parts<number | undefined> {
  if (point - from.point < fewPoints || !hasPairs(text)) return offsetOf(text, point, from)
  let at = from
  while (at.point < point) {
    const next = Math.min(point, at.point + pointsAtOnce)
    yield unitsOf((next - at.point) * nanosecondsPerPoint)
    const offset = skip(text, next, at)
    if (offset === undefined) return undefined
    at = { point: next, offset }
  }
  return at.offset
}
/** Code points that are skipped without steps, and in one; nanoseconds for each. */
const fewPoints = 256
const pointsAtOnce = 32 * 1024
const nanosecondsPerPoint = 6

/** Steps for long strings only. */
function unlessShort<T>(text: string, parts: Parts<T>): MaybeSteps<T> {
  const steps = new Steps(parts)
  return text.length < shortText ? drained(steps) : steps
}
const shortText = 1024

const charAt = (text: string, index: Int): MaybeSteps<string> => unlessShort(text, characterAt(text, index))

function* characterAt(text: string, index: Int): Parts<string> {
  const offset = index < 0 ? undefined : yield* offsetParts(text, Number(index))
  if (offset === undefined) return outOfRange(index)
  return text.slice(offset, pointAfter(text, offset))
}

/** Whether a position is between code points. */
const isBoundary = (text: string, at: number) => at === 0 || at >= text.length || !isPair(text, at - 1)

/** Finds whole code points: a match must not begin or end inside a pair. */
function* matching(text: string, part: string, from: number, by: 1 | -1): Parts<Int> {
  const find = by === 1 ? search : searchBackwards
  for (let at = yield* within(find(text, part, from)); at >= 0; at = yield* within(find(text, part, at + by))) {
    if (isBoundary(text, at) && isBoundary(text, at + part.length)) return yield* lengthParts(text.slice(0, at))
    if (at + by < 0) return -1
  }
  return -1
}

function indexOf(text: string, part: string, from: Int = 0): MaybeSteps<Int> {
  if (part === '') return from
  if (from < 0) outOfRange(from)
  return new Steps(firstIndex(text, part, from))
}

function* firstIndex(text: string, part: string, from: Int): Parts<Int> {
  const offset = yield* offsetParts(text, Number(from))
  return offset === undefined ? -1 : yield* matching(text, part, offset, 1)
}

function lastIndexOf(text: string, part: string, from?: Int): MaybeSteps<Int> {
  return new Steps(lastIndex(text, part, from))
}

function* lastIndex(text: string, part: string, from: Int | undefined): Parts<Int> {
  if (part === '') return from ?? (yield* lengthParts(text))
  if (from !== undefined && from < 0) outOfRange(from)
  const offset = from === undefined ? text.length - 1 : yield* offsetParts(text, Number(from))
  if (offset === undefined || offset >= text.length) return -1
  return yield* matching(text, part, offset, -1)
}

/** Time to create a string. */
const nanosecondsPerPart = 100

/**
 * Calls `take` with each piece of a string between occurrences of a separator, at most `limit`; an empty separator separates code points. Returns
 * their number.
 */
function* eachPiece(text: string, separator: string, limit: number, take: (piece: string) => void): Parts<number> {
  const pace = new Pace()
  let count = 0
  let from = 0
  while (count < limit - 1) {
    if (pace.due(nanosecondsPerPart)) yield pace.units
    let at: number
    if (separator !== '') {
      const found = search(text, separator, from)
      at = found instanceof Steps ? yield* found.parts : found
    } else {
      at = pointAfter(text, from)
      if (at >= text.length) at = -1
    }
    if (at < 0) break
    take(text.slice(from, at))
    count++
    from = at + separator.length
  }
  if (separator === '' && text === '') return count
  take(text.slice(from))
  return count + 1
}

/** Joins strings, of which the total length is known to be within the bound. */
function* joined(parts: readonly string[], separator: string): Parts<string> {
  const pace = new Pace()
  let text = ''
  for (let at = 0; at < parts.length; at += partsAtOnce) {
    if (pace.due(partsAtOnce * nanosecondsPerPart)) yield pace.units
    text += (at > 0 ? separator : '') + parts.slice(at, at + partsAtOnce).join(separator)
  }
  return text
}
const partsAtOnce = 256

/** Joins strings that come one by one. */
class Joiner {
  readonly #separator: string
  #text = ''
  #parts: string[] = []
  #length = 0
  constructor(separator: string) {
    this.#separator = separator
  }
  /** Throws a Cancelled when the text would be too long. */
  readonly add = (part: string): void => {
    this.#length += part.length + this.#separator.length
    boundText(this.#length - this.#separator.length)
    if (this.#parts.length < partsAtOnce) this.#parts.push(part)
    else {
      this.#text += this.#parts.join(this.#separator) + this.#separator
      this.#parts = [part]
    }
  }
  get text(): string {
    return this.#text + this.#parts.join(this.#separator)
  }
}

const limited = (limit: Int) => (limit < 0 ? Number.POSITIVE_INFINITY : Number(limit))

/** As Go's strings.Replace: an empty `old` matches before every code point and at the end. */
function replace(text: string, old: string, put: string, limit: Int = -1): MaybeSteps<string> {
  return limit === 0 ? text : new Steps(replaced(text, old, put, limited(limit)))
}

function* replaced(text: string, old: string, put: string, limit: number): Parts<string> {
  const joiner = new Joiner(put)
  if (old !== '') {
    yield* eachPiece(text, old, limit + 1, joiner.add)
    return joiner.text
  }
  const count = yield* eachPiece(text, '', limit, joiner.add)
  if (count === 0) return put
  boundText(joiner.text.length + 2 * put.length)
  // Before each of the code points, and at the end if the limit allows.
  return put + joiner.text + (count < limit ? put : '')
}

function split(text: string, separator: string, limit: Int = -1): MaybeSteps<readonly string[]> {
  return limit === 0 ? [] : new Steps(splitted(text, separator, limited(limit)))
}

function* splitted(text: string, separator: string, limit: number): Parts<readonly string[]> {
  const pieces: string[] = []
  yield* eachPiece(text, separator, limit, (piece) => {
    boundList(pieces.length)
    pieces.push(piece)
  })
  return pieces
}

const substring = (text: string, first: Int, end?: Int): MaybeSteps<string> => unlessShort(text, partOf(text, first, end))

function* partOf(text: string, first: Int, end: Int | undefined): Parts<string> {
  if (end !== undefined && first > end) fail(`invalid substring range. start: ${first}, end: ${end}`)
  const from = first < 0 ? undefined : yield* offsetParts(text, Number(first))
  if (from === undefined) return outOfRange(first)
  if (end === undefined) return text.slice(from)
  const to = yield* offsetParts(text, Number(end), { point: Number(first), offset: from })
  return to === undefined ? outOfRange(end) : text.slice(from, to)
}

const join = (list: readonly unknown[], separator = '') => new Steps(joinedItems(list, separator))

function* joinedItems(list: readonly unknown[], separator: string): Parts<string> {
  const pace = new Pace()
  let length = 0
  for (const each of list) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    if (typeof each !== 'string') return fail('no such overload')
    length += each.length + separator.length
  }
  boundText(length)
  return yield* joined(list as readonly string[], separator)
}

/** Time to look at an item of a list. */
const nanosecondsPerItem = 20

/** Applies a function to a string in pieces, each of which ends between code points. */
function* inPieces(text: string, map: (piece: string) => string): Parts<string> {
  let result = ''
  for (let from = 0, to: number; from < text.length; from = to) {
    to = Math.min(from + pieceLength, text.length)
    if (!isBoundary(text, to)) to++
    yield unitsOf((to - from) * nanosecondsPerMapped)
    result += map(text.slice(from, to))
    boundText(result.length)
  }
  return result
}
const pieceLength = 4096
/** Time to replace a character. */
const nanosecondsPerMapped = 50

/** A function that maps the characters of a string. Short strings are mapped at once. */
export const mapping =
  (map: (piece: string) => string) =>
  (text: string): MaybeSteps<string> =>
    text.length < pieceLength / 64 ? map(text) : new Steps(inPieces(text, map))

const escaped = mapping((piece) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escaped
  piece.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/[\x07-\x0d"\\]/g, (each) => goEscapes[each] ?? each),
)
/** Quotes a string, with the language's escapes. */
const quote = (text: string) => after(escaped(text), (inner) => `"${inner}"`)

/** As Go's strings.TrimSpace: Unicode white space. */
function trim(text: string): MaybeSteps<string> {
  if (!isSpace(text.charAt(0)) && !isSpace(text.charAt(text.length - 1))) return text
  return new Steps(trimmed(text))
}

function* trimmed(text: string): Parts<string> {
  const pace = new Pace()
  let start = 0
  let end = text.length
  for (; start < end && isSpace(text.charAt(start)); start++) if (pace.due(nanosecondsPerMapped)) yield pace.units
  for (; end > start && isSpace(text.charAt(end - 1)); end--) if (pace.due(nanosecondsPerMapped)) yield pace.units
  return text.slice(start, end)
}

const isSpace = (character: string) => character !== '\ufeff' && /[\s\u0085]/.test(character)

const mapAscii = (from: RegExp, map: (text: string) => string) => mapping((text) => text.replace(from, map))
const lowerAscii = mapAscii(/[A-Z]+/g, (part) => part.toLowerCase())
const upperAscii = mapAscii(/[a-z]+/g, (part) => part.toUpperCase())

/** Cost of searches: one traversal of the receiver. */
const searches = {
  cost: ([text]: readonly unknown[]) => (typeof text === 'string' ? after(bytesOf(text), (bytes) => Math.floor(bytes * traversal)) : 1),
  byName: true,
} as const
/** Two traversals of the result; 1 for a call that fails. */
const joins = { cost: (args: readonly unknown[]) => new Steps(joinCost(args)), byName: true } as const

function* joinCost([list, separator]: readonly unknown[]): Parts<number> {
  const pace = new Pace()
  const between = typeof separator === 'string' ? lengthOf(separator) : 0
  if (!Array.isArray(list)) return 1
  let length = Math.max(0, list.length - 1) * between
  for (const each of list) {
    if (typeof each !== 'string') return 1
    if (pace.due(nanosecondsPerItem + scanTime(each))) yield pace.units
    length += lengthOf(each)
  }
  return traversed(length, 2)
}

const rows: readonly Row[] = [
  ['string_char_at_int', 'string.charAt(int): string', charAt],
  ['string_index_of_string', 'string.indexOf(string): int', (text: string, part: string) => indexOf(text, part), searches],
  ['string_index_of_string_int', 'string.indexOf(string, int): int', indexOf, searches],
  ['string_last_index_of_string', 'string.lastIndexOf(string): int', (text: string, part: string) => lastIndexOf(text, part), searches],
  ['string_last_index_of_string_int', 'string.lastIndexOf(string, int): int', lastIndexOf, searches],
  ['string_lower_ascii', 'string.lowerAscii(): string', lowerAscii, traversesFirst],
  [
    'string_replace_string_string',
    'string.replace(string, string): string',
    (text: string, old: string, put: string) => replace(text, old, put),
    traversesTwice,
  ],
  ['string_replace_string_string_int', 'string.replace(string, string, int): string', replace, traversesTwice],
  ['string_split_string', 'string.split(string): list<string>', (text: string, by: string) => split(text, by), traversesTwice],
  ['string_split_string_int', 'string.split(string, int): list<string>', split, traversesTwice],
  ['string_substring_int', 'string.substring(int): string', (text: string, start: Int) => substring(text, start), traversesFirst],
  ['string_substring_int_int', 'string.substring(int, int): string', substring, traversesFirst],
  ['string_trim', 'string.trim(): string', trim, traversesFirst],
  ['string_upper_ascii', 'string.upperAscii(): string', upperAscii, traversesFirst],
  ['string_format', 'string.format(list<dyn>): string', format, traversesKnown],
  ['strings_quote', 'strings.quote(string): string', quote, traversesKnown],
  ['list_join', 'list<string>.join(): string', (list: readonly unknown[]) => join(list), joins],
  ['list_join_string', 'list<string>.join(string): string', join, joins],
]

export const stringLibrary = (): readonly FunctionDeclaration[] => declare(rows)
