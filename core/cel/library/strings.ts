/** String functions (cel-go's ext.Strings, version 2). Positions count code points. */
import { utf8Length } from '../../schema/bytes.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { fail } from '../values/errors.ts'
import { weightOf } from '../values/maps.ts'
import type { Int } from '../values/numbers.ts'
import { traversal, traversed, traversesFirst, traversesKnown, traversesTwice } from './costs.ts'
import { format } from './format.ts'

/** Maximum characters of a result: replacing letters by strings multiplies the length. */
const longest = 16 * 1024 * 1024

function within(length: number): void {
  if (length > longest) fail('the result of a function is too long')
}

/** The code points of a string; the string itself if it has no surrogates. */
const pointsOf = (text: string): string | readonly string[] => (/[\ud800-\udfff]/.test(text) ? [...text] : text)
const joined = (points: string | readonly string[]) => (typeof points === 'string' ? points : points.join(''))

const outOfRange = (index: Int): never => fail(`index out of range: ${index}`)

function charAt(text: string, index: Int): string {
  const points = pointsOf(text)
  if (index < 0 || index > points.length) outOfRange(index)
  return points[Number(index)] ?? ''
}

/** Whether `part` occurs at a position. */
function standsAt(points: string | readonly string[], part: string | readonly string[], at: number): boolean {
  for (let index = 0; index < part.length; index++) if (points[at + index] !== part[index]) return false
  return true
}

function indexOf(text: string, part: string, from: Int = 0): Int {
  if (part === '') return from
  if (from < 0) outOfRange(from)
  const points = pointsOf(text)
  if (Number(from) >= points.length) return -1
  if (typeof points === 'string') return points.indexOf(part, Number(from))
  const wanted = [...part]
  for (let at = Number(from); at <= points.length - wanted.length; at++) if (standsAt(points, wanted, at)) return at
  return -1
}

function lastIndexOf(text: string, part: string, from?: Int): Int {
  const points = pointsOf(text)
  const offset = from ?? points.length - 1
  if (part === '') return from ?? points.length
  if (from !== undefined && from < 0) outOfRange(from)
  if (Number(offset) >= points.length) return -1
  if (typeof points === 'string') return points.lastIndexOf(part, Number(offset))
  const wanted = [...part]
  for (let at = Math.min(Number(offset), points.length - wanted.length); at >= 0; at--) if (standsAt(points, wanted, at)) return at
  return -1
}

/** As Go's strings.Replace: an empty `old` matches before every code point and at the end. */
function replace(text: string, old: string, put: string, limit: Int = -1): string {
  if (limit === 0) return text
  const parts = old === '' ? ['', ...text, ''] : text.split(old)
  const most = limit < 0 ? parts.length - 1 : Math.min(Number(limit), parts.length - 1)
  within(text.length + most * put.length)
  const last = old === '' ? Math.min(most, parts.length - 1) : most
  return [parts.slice(0, last + 1).join(put), ...parts.slice(last + 1)].join(old)
}

function split(text: string, separator: string, limit: Int = -1): readonly string[] {
  if (limit === 0) return []
  const parts = separator === '' ? [...text] : text.split(separator)
  if (limit < 0 || parts.length <= Number(limit)) return parts
  const most = Number(limit) - 1
  return [...parts.slice(0, most), parts.slice(most).join(separator)]
}

function substring(text: string, start: Int, end?: Int): string {
  const points = pointsOf(text)
  if (end !== undefined && start > end) fail(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > points.length) outOfRange(start)
  if (end !== undefined && (end < 0 || end > points.length)) outOfRange(end)
  return joined(points.slice(Number(start), end === undefined ? undefined : Number(end)))
}

function join(list: readonly unknown[], separator = ''): string {
  let length = 0
  for (const each of list) {
    if (typeof each !== 'string') return fail('no such overload')
    length += each.length + separator.length
  }
  within(length)
  return list.join(separator)
}

const escapes: { readonly [character: string]: string | undefined } = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** Quotes a string, with the language's escapes. */
const quote = (text: string): string =>
  `"${[...text.replace(/[\ud800-\udfff]/gu, '\ufffd')].map((each) => escapes[each] ?? each).join('')}"`

/** As Go's strings.TrimSpace: Unicode white space. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text[start] as string)) start++
  while (end > start && isSpace(text[end - 1] as string)) end--
  return text.slice(start, end)
}

const isSpace = (character: string) => character !== '\ufeff' && /[\s\u0085]/.test(character)

const mapAscii = (from: RegExp, map: (text: string) => string) => (text: string) => text.replace(from, map)
const lowerAscii = mapAscii(/[A-Z]+/g, (part) => part.toLowerCase())
const upperAscii = mapAscii(/[a-z]+/g, (part) => part.toUpperCase())

/** Cost of searches: one traversal of the receiver. */
const searches = {
  cost: ([text]: readonly unknown[]) => (typeof text === 'string' ? Math.floor(utf8Length(text) * traversal) : 1),
  byName: true,
} as const
const joins = { cost: (_: readonly unknown[], result: unknown) => traversed(weightOf(result), 2), byName: true } as const

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
