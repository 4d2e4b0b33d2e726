/** Directives and tags as go-yaml v2 scans them (scannerc.go). */
import { type Cursor, isBlank, isBreakOrEnd, isSpace, isWord } from './cursor.ts'

/** A tag: the handle of a prefix, if it has one, and what follows it. */
export interface TagName {
  readonly handle: string
  readonly suffix: string
}

export type Directive =
  | { readonly name: 'YAML'; readonly version: string }
  | { readonly name: 'TAG'; readonly handle: string; readonly prefix: string }

const uriMarks = new Set([...";/?:@&=+$,.!~*'()[]%"].map((character) => character.charCodeAt(0)))
const maxVersionDigits = 2

function wordAt(cursor: Cursor): string {
  const start = cursor.at
  while (isWord(cursor.code())) cursor.at++
  return cursor.text.slice(start, cursor.at)
}

function skipBlanks(cursor: Cursor): void {
  while (isBlank(cursor.code())) cursor.at++
}

/** A handle: `!`, `!!` or `!word!`; in a tag also the start of what is none. */
function handleAt(cursor: Cursor, isDirective: boolean): string {
  if (cursor.code() !== 0x21) cursor.fail("did not find expected '!'")
  cursor.at++
  const handle = `!${wordAt(cursor)}`
  if (cursor.code() === 0x21) {
    cursor.at++
    return `${handle}!`
  }
  return isDirective && handle !== '!' ? cursor.fail("did not find expected '!'") : handle
}

/** One character of a URI as escaped octets. */
function escapedAt(cursor: Cursor): Uint8Array {
  const octets: number[] = []
  for (let left = 1; left > 0; left--) {
    const hex = cursor.text.slice(cursor.at, cursor.at + 3)
    if (!/^%[\da-f]{2}$/i.test(hex)) cursor.fail('did not find URI escaped octet')
    const octet = Number.parseInt(hex.slice(1), 16)
    if (octets.length > 0 && (octet & 0xc0) !== 0x80) cursor.fail('found an incorrect trailing UTF-8 octet')
    if (octets.length === 0) {
      left = octet < 0x80 ? 1 : octet < 0xc0 ? 0 : octet < 0xe0 ? 2 : octet < 0xf0 ? 3 : octet < 0xf8 ? 4 : 0
      if (left === 0) cursor.fail('found an incorrect leading UTF-8 octet')
    }
    octets.push(octet)
    cursor.at += 3
  }
  return Uint8Array.from(octets)
}

/** The characters of a URI. `head`: what the tag begins with, whose first character does not count. */
function uriAt(cursor: Cursor, head = ''): string {
  let uri = head.slice(1)
  const start = cursor.at
  for (let code = cursor.code(); isWord(code) || uriMarks.has(code); code = cursor.code()) {
    if (code === 0x25) uri += new TextDecoder('utf-8', { ignoreBOM: true }).decode(escapedAt(cursor))
    else uri += cursor.text.charAt(cursor.at++)
  }
  if (cursor.at === start && head === '') cursor.fail('did not find expected tag URI')
  return uri
}

function numberAt(cursor: Cursor): number {
  const start = cursor.at
  for (let code = cursor.code(); code >= 0x30 && code <= 0x39; code = cursor.code()) {
    if (cursor.at - start === maxVersionDigits) cursor.fail('found extremely long version number')
    cursor.at++
  }
  if (cursor.at === start) cursor.fail('did not find expected version number')
  return Number(cursor.text.slice(start, cursor.at))
}

function versionAt(cursor: Cursor): string {
  skipBlanks(cursor)
  const major = numberAt(cursor)
  if (cursor.code() !== 0x2e) cursor.fail("did not find expected digit or '.' character")
  cursor.at++
  return `${major}.${numberAt(cursor)}`
}

function prefixAt(cursor: Cursor): Directive {
  skipBlanks(cursor)
  const handle = handleAt(cursor, true)
  if (!isBlank(cursor.code())) cursor.fail('did not find expected whitespace')
  skipBlanks(cursor)
  const prefix = uriAt(cursor)
  if (!isSpace(cursor.code())) cursor.fail('did not find expected whitespace or line break')
  return { name: 'TAG', handle, prefix }
}

/** Scans the directive at the cursor, to the end of its line. Throws YamlError. */
export function directiveAt(cursor: Cursor): Directive {
  cursor.at++
  const name = wordAt(cursor)
  if (name === '') cursor.fail('could not find expected directive name')
  if (!isSpace(cursor.code())) cursor.fail('found unexpected non-alphabetical character')
  if (name !== 'YAML' && name !== 'TAG') cursor.fail('found unknown directive name')
  const directive: Directive = name === 'TAG' ? prefixAt(cursor) : { name: 'YAML', version: versionAt(cursor) }
  skipBlanks(cursor)
  if (cursor.code() === 0x23) while (!isBreakOrEnd(cursor.code())) cursor.at++
  if (!isBreakOrEnd(cursor.code())) cursor.fail('did not find expected comment or line break')
  return directive
}

/** Scans the tag at the cursor. Throws YamlError. */
export function tagAt(cursor: Cursor): TagName {
  const tag = cursor.code(1) === 0x3c ? verbatimAt(cursor) : shorthandAt(cursor)
  if (!isSpace(cursor.code())) cursor.fail('did not find expected whitespace or line break')
  return tag
}

function verbatimAt(cursor: Cursor): TagName {
  cursor.at += 2
  const suffix = uriAt(cursor)
  if (cursor.code() !== 0x3e) cursor.fail("did not find the expected '>'")
  cursor.at++
  return { handle: '', suffix }
}

function shorthandAt(cursor: Cursor): TagName {
  const handle = handleAt(cursor, false)
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: uriAt(cursor) }
  const suffix = uriAt(cursor, handle)
  return suffix === '' ? { handle: '', suffix: handle } : { handle: '!', suffix }
}
