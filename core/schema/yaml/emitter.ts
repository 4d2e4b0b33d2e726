/** Text of a YAML document with the position in its line, as go-yaml v2 keeps it (emitterc.go). */
import { type ScalarStyle, scalarStyle } from './scalar-style.ts'

/** A space beyond this column becomes a line break, where the style allows it. */
const width = 80
/** Maximum bytes of a key without `?`. */
const maxKeyLength = 128

const escapes: { readonly [character: string]: string } = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\u2028': 'L',
  '\u2029': 'P',
}
/** Characters that double quotes escape. */
const escaped = /[^ !#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u

function escapeOf(character: string): string {
  const letter = escapes[character]
  if (letter !== undefined) return `\\${letter}`
  const code = character.codePointAt(0) as number
  const [mark, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8]
  return `\\${mark}${code
    .toString(16)
    .toUpperCase()
    .padStart(digits as number, '0')}`
}

const utf8 = new TextEncoder()

const lineBreak = /[\n\r\x85\u2028\u2029]/

/** Line breaks that are written as such; the others are escaped. */
const writtenBreak = /([\n\u2028\u2029])/

/** Whether a key fits in front of its colon. */
export const isShortKey = (key: string): boolean =>
  !lineBreak.test(key) && (key.length * 3 <= maxKeyLength || (key.length <= maxKeyLength && utf8.encode(key).length <= maxKeyLength))

export class Emitter {
  readonly #out: string[] = []
  #column = 0
  /** The last character is white space, or none is needed. */
  #blank = true
  /** The line has only indentation and indicators of blocks. */
  #indenting = true
  /** Columns of the current block; -1 outside of all. */
  indent = -1

  get text(): string {
    return this.#out.join('')
  }

  get isIndenting(): boolean {
    return this.#indenting
  }

  #put(text: string): void {
    this.#out.push(text)
    this.#column += text.length
  }

  #break(character = '\n'): void {
    this.#out.push(character)
    this.#column = 0
  }

  /** Goes to the indentation of the block, on a new line unless the current one can continue. */
  line(indent = Math.max(0, this.indent)): void {
    if (!this.#indenting || this.#column > indent || (this.#column === indent && !this.#blank)) this.#break()
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column))
    this.#blank = true
    this.#indenting = true
  }

  /** `-`, `?`, `:` and empty collections. `opens`: a block may follow on the same line. */
  indicator(text: string, spaced: boolean, opens = false): void {
    if (spaced && !this.#blank) this.#put(' ')
    this.#put(text)
    this.#blank = false
    this.#indenting &&= opens
  }

  /** Numbers, booleans and null. */
  literal(text: string): void {
    if (!this.#blank) this.#put(' ')
    this.#put(text)
    this.#blank = false
    this.#indenting = false
  }

  /** A string; as a key it is not folded. */
  string(text: string, isKey = false): void {
    const style = scalarStyle(text)
    const folds = !isKey && this.#column + text.length >= width && text.includes(' ')
    if (style === 'plain' && !folds) this.literal(text)
    else if (style === 'literal') this.#block(text)
    else this.#flow(text, style, !isKey)
  }

  #block(text: string): void {
    const indent = Math.max(0, this.indent) + 2
    const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : ''
    const chomping = !/[\n\u2028\u2029]$/.test(text) ? '-' : /(?:^|[\n\u2028\u2029])[\n\u2028\u2029]$/.test(text) ? '+' : ''
    this.indicator(`|${hint}${chomping}`, true)
    this.#break()
    this.#indenting = true
    this.#blank = true
    for (const part of text.split(writtenBreak)) {
      if (part === '') continue
      const isBreak = writtenBreak.test(part)
      if (isBreak) this.#break(part)
      else {
        this.line(indent)
        this.#put(part)
      }
      this.#indenting = isBreak
    }
  }

  /** A string without line feeds, folded where it is too long. */
  #flow(text: string, style: Exclude<ScalarStyle, 'literal'>, mayFold: boolean): void {
    const indent = Math.max(0, this.indent) + 2
    const quote = style === 'plain' ? '' : style === 'single' ? "'" : '"'
    if (!this.#blank) this.#put(' ')
    this.#put(quote)
    const characters = [...text]
    // As in the reference, which looks for the mark at the start of the text instead of at the character.
    const escapesAll = text.startsWith('\ufeff')
    let afterSpace = false
    let afterBreak = false
    for (const [index, character] of characters.entries()) {
      const last = characters.length - 1
      if (character === ' ' && !escapesAll) {
        const beforeSpace = characters[index + 1] === ' '
        const inside = style === 'plain' || (index > 0 && index < last)
        if (mayFold && !afterSpace && this.#column > width && inside && (style === 'double' || !beforeSpace)) {
          this.#indenting = false
          this.line(indent)
          if (beforeSpace) this.#put('\\')
        } else this.#put(character)
        afterSpace = true
        continue
      }
      afterSpace = false
      if (style === 'single' && writtenBreak.test(character)) {
        this.#break(character)
        this.#indenting = true
        afterBreak = true
        continue
      }
      if (afterBreak) this.line(indent)
      afterBreak = false
      this.#indenting = false
      if (style === 'double' && (escapesAll || escaped.test(character))) this.#put(escapeOf(character))
      else {
        this.#out.push(character === "'" && style === 'single' ? "''" : character)
        this.#column += character === "'" && style === 'single' ? 2 : 1
      }
    }
    this.#put(quote)
    this.#blank = false
    this.#indenting = false
  }
}
