/** YAML 1.1 scalars: plain, quoted, and block. */
import { type Cursor, isBlank, isBreak, isBreakOrEnd, isSpace } from './cursor.ts'

const flowEnds = new Set([...',?[]{}'].map((character) => character.charCodeAt(0)))

/** White space inside a scalar: folds line breaks. */
class Fold {
  #spaces = ''
  #first = ''
  #others = ''
  /** A line break was skipped. */
  broken = false

  /** Skips white space. `tabs` is called for each tab in the indentation of a line. */
  skip(cursor: Cursor, tabs?: () => void): void {
    let start = cursor.at
    for (let code = cursor.code(); ; code = cursor.code()) {
      if (isBlank(code)) {
        if (this.broken && code === 0x09) tabs?.()
        cursor.at++
      } else if (isBreak(code)) {
        if (this.broken) this.#others += cursor.takeBreak()
        else {
          this.#first = cursor.takeBreak()
          this.broken = true
        }
        start = cursor.at
      } else break
    }
    if (!this.broken) this.#spaces = cursor.text.slice(start, cursor.at)
  }

  /** The folded white space. */
  take(): string {
    let text = this.#spaces
    if (this.broken) {
      text = this.#first === '\n' && this.#others !== '' ? this.#others : this.#first === '\n' ? ' ' : this.#first + this.#others
    }
    this.#spaces = this.#first = this.#others = ''
    this.broken = false
    return text
  }
}

/** Parses a plain scalar. `indent`: minimum column of its lines. Returns the text, and whether a line break follows. */
export function plainText(cursor: Cursor, isFlow: boolean, indent: number): { readonly text: string; readonly broken: boolean } {
  const tab = () => {
    if (cursor.column < indent) cursor.fail('found a tab character that violates indentation')
  }
  let text = plainPart(cursor, isFlow)
  if (!isSpace(cursor.code()) || cursor.ended) return { text, broken: false }
  const fold = new Fold()
  for (;;) {
    fold.skip(cursor, tab)
    if ((!isFlow && cursor.column < indent) || cursor.isAtMarker || cursor.code() === 0x23) break
    const part = plainPart(cursor, isFlow)
    if (part === '') break
    text += fold.take() + part
    if (!isSpace(cursor.code()) || cursor.ended) break
  }
  return { text, broken: fold.broken }
}

/** Part of a plain scalar without white space. */
function plainPart(cursor: Cursor, isFlow: boolean): string {
  const start = cursor.at
  for (let code = cursor.code(); !isSpace(code); code = cursor.code()) {
    if ((code === 0x3a && isSpace(cursor.code(1))) || (isFlow && flowEnds.has(code))) break
    cursor.at++
  }
  return cursor.text.slice(start, cursor.at)
}

const escapes: { readonly [character: string]: string } = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}
const digitsOf: { readonly [character: string]: number } = { x: 2, u: 4, U: 8 }

/** Parses an escape sequence. The cursor is on the backslash. */
function escaped(cursor: Cursor): string {
  const character = cursor.text.charAt(cursor.at + 1)
  const simple = Object.hasOwn(escapes, character) ? escapes[character] : undefined
  cursor.at += 2
  if (simple !== undefined) return simple
  const digits = Object.hasOwn(digitsOf, character) ? (digitsOf[character] as number) : cursor.fail('found unknown escape character')
  const hex = cursor.text.slice(cursor.at, cursor.at + digits)
  if (hex.length < digits || !/^[\da-f]+$/i.test(hex)) cursor.fail('did not find expected hexdecimal number')
  const code = Number.parseInt(hex, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) cursor.fail('found invalid Unicode character escape code')
  cursor.at += digits
  return String.fromCodePoint(code)
}

/** Parses a quoted scalar, starting at the quote. */
export function quotedText(cursor: Cursor, quote: '"' | "'"): string {
  const mark = quote.charCodeAt(0)
  const fold = new Fold()
  let text = ''
  cursor.at++
  for (;;) {
    if (cursor.isAtMarker) cursor.fail('found unexpected document indicator')
    if (cursor.ended) cursor.fail('found unexpected end of stream')
    let start = cursor.at
    for (let code = cursor.code(); !isSpace(code); code = cursor.code()) {
      if (code === mark) {
        if (mark === 0x22 || cursor.code(1) !== mark) break
        text += cursor.text.slice(start, cursor.at + 1)
        cursor.at += 2
        start = cursor.at
      } else if (code === 0x5c && mark === 0x22) {
        text += cursor.text.slice(start, cursor.at)
        if (isBreak(cursor.code(1))) {
          cursor.at++
          cursor.takeBreak()
          fold.broken = true
          start = cursor.at
          break
        }
        text += escaped(cursor)
        start = cursor.at
      } else cursor.at++
    }
    text += cursor.text.slice(start, cursor.at)
    if (cursor.code() === mark) break
    fold.skip(cursor)
    text += fold.take()
  }
  cursor.at++
  return text
}

/** Parses a block header after `|` or `>`: chomping indicator, and indentation (0: that of the first line). */
function blockHeader(cursor: Cursor): { readonly chomping: string; readonly increment: number } {
  let chomping = ''
  let increment = 0
  for (let i = 0; i < 2; i++) {
    const character = cursor.text.charAt(cursor.at)
    if (chomping === '' && (character === '+' || character === '-')) chomping = character
    else if (increment === 0 && character >= '0' && character <= '9') {
      if (character === '0') cursor.fail('found an indentation indicator equal to 0')
      increment = Number(character)
    } else break
    cursor.at++
  }
  while (isBlank(cursor.code())) cursor.at++
  if (cursor.code() === 0x23) while (!isBreakOrEnd(cursor.code())) cursor.at++
  if (!isBreakOrEnd(cursor.code())) cursor.fail('did not find expected comment or line break')
  if (!cursor.ended) cursor.takeBreak()
  return { chomping, increment }
}

/** Parses a block scalar, starting at the indicator. `outer`: indentation of its parent, -1 at the top. */
export function blockText(cursor: Cursor, isLiteral: boolean, outer: number): string {
  cursor.at++
  const { chomping, increment } = blockHeader(cursor)
  let indent = increment === 0 ? 0 : Math.max(outer, 0) + increment

  /** Skips empty lines; determines the indentation of the following line. */
  const emptyLines = (): string => {
    let breaks = ''
    let deepest = 0
    for (;;) {
      while ((indent === 0 || cursor.column < indent) && cursor.code() === 0x20) cursor.at++
      deepest = Math.max(deepest, cursor.column)
      if ((indent === 0 || cursor.column < indent) && cursor.code() === 0x09)
        cursor.fail('found a tab character where an indentation space is expected')
      if (!isBreak(cursor.code())) break
      breaks += cursor.takeBreak()
    }
    if (indent === 0) indent = Math.max(deepest, outer + 1, 1)
    return breaks
  }

  const parts: string[] = []
  let breaks = emptyLines()
  let first = ''
  let wasBlank = false
  while (cursor.column === indent && !cursor.ended) {
    const startsBlank = isBlank(cursor.code())
    if (!isLiteral && !wasBlank && !startsBlank && first === '\n') parts.push(breaks === '' ? ' ' : '')
    else parts.push(first)
    const start = cursor.at
    while (!isBreakOrEnd(cursor.code())) cursor.at++
    parts.push(breaks, cursor.text.slice(start, cursor.at))
    wasBlank = startsBlank
    first = cursor.ended ? '' : cursor.takeBreak()
    breaks = emptyLines()
  }
  if (chomping !== '-') parts.push(first)
  if (chomping === '+') parts.push(breaks)
  return parts.join('')
}
