import { Cursor, isBreak, isBreakOrEnd, isSpace, isWord } from './cursor.ts'
import { type Directive, directiveAt, type TagName, tagAt } from './directives.ts'
import type { YamlInput } from './input.ts'
import { blockText, plainText, quotedText } from './texts.ts'

export interface Token {
  readonly type:
    | 'end'
    | 'directive'
    | 'document-start'
    | 'document-end'
    | 'block-list'
    | 'block-map'
    | 'block-end'
    | '['
    | ']'
    | '{'
    | '}'
    | ','
    | 'entry'
    | 'key'
    | 'value'
    | 'alias'
    | 'anchor'
    | 'tag'
    | 'scalar'
  readonly line: number
  /** Text of a scalar, name of an anchor, and so on. */
  readonly value: string
  /** A plain (unquoted) scalar. */
  readonly plain: boolean
  readonly directive?: Directive
  readonly tag?: TagName
}

/** A possible start of a key without `?`: it is a key if a `:` follows on its line. */
interface PossibleKey {
  /** Number of its first token. */
  readonly number: number
  /** Only a key is allowed here. */
  readonly required: boolean
  readonly at: number
  readonly line: number
  readonly column: number
}

/** Maximum characters between the start of a key without `?` and its colon. */
const maxKeyLength = 1024
/** Maximum nesting of collections; the reader recurses. */
const maxDepth = 250
/** Number of consumed tokens that are released at a time. */
const forgotten = 4096
const anchorEnds = new Set([...'?:,]}%@`'].map((character) => character.charCodeAt(0)))
const neverPlain = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map((character) => character.charCodeAt(0)))

/**
 * Tokenizes YAML 1.1 like the reference's parser (libyaml): blocks start and end by indentation, keys are
 * marked when their colon is found. Throws YamlError.
 */
export class YamlScanner {
  readonly #cursor: Cursor
  #queue: Token[] = []
  #head = 0
  /** Number of consumed tokens. */
  #taken = 0
  #indent = -1
  readonly #indents: number[] = []
  #keyAllowed = true
  /** The last possible key per flow level; the first entry is for blocks. */
  readonly #keys: (PossibleKey | undefined)[] = [undefined]
  /** Levels below this one have no possible key. */
  #lowest = 0
  #ended = false
  /** Whether the next token is final. */
  #ready = false

  constructor(input: YamlInput) {
    this.#cursor = new Cursor(input)
  }

  peek(): Token {
    if (!this.#ready) {
      while (this.#needsMore()) this.#fetch()
      this.#ready = true
    }
    return this.#queue[this.#head] as Token
  }

  take(): Token {
    const token = this.peek()
    this.#ready = false
    this.#head++
    this.#taken++
    if (this.#head === forgotten) {
      this.#queue = this.#queue.slice(forgotten)
      this.#head = 0
    }
    return token
  }

  /** Whether the next token is unknown, or may still turn out to be a key. */
  #needsMore(): boolean {
    if (this.#ended) return false
    if (this.#head === this.#queue.length) return true
    const keys = this.#keys
    while (this.#lowest < keys.length && keys[this.#lowest] === undefined) this.#lowest++
    const key = keys[this.#lowest]
    return key !== undefined && key.number === this.#taken && this.#isOpen(key)
  }

  get #isFlow(): boolean {
    return this.#keys.length > 1
  }

  #push(type: Token['type'], value = '', plain = false, line = this.#cursor.line): void {
    this.#queue.push({ type, line, value, plain })
  }

  #skip(type: Token['type'], length = 1): void {
    this.#push(type)
    this.#cursor.at += length
  }

  #insert(number: number, type: Token['type'], line: number): void {
    this.#queue.splice(number - this.#taken + this.#head, 0, { type, line, value: '', plain: false })
  }

  /** Whether a colon can still make it a key. */
  #isOpen(key: PossibleKey): boolean {
    if (key.line === this.#cursor.line && key.at + maxKeyLength >= this.#cursor.at) return true
    this.#drop(key)
    return false
  }

  #drop(key: PossibleKey): void {
    if (key.required) this.#cursor.fail("could not find expected ':'")
    this.#keys[this.#keys.lastIndexOf(key)] = undefined
  }

  #dropKey(): void {
    const key = this.#keys.at(-1)
    if (key !== undefined) this.#drop(key)
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return
    const { at, line, column } = this.#cursor
    this.#dropKey()
    const number = this.#taken + this.#queue.length - this.#head
    const key = { number, required: !this.#isFlow && this.#indent === column, at, line, column }
    const level = this.#keys.length - 1
    this.#keys[level] = key
    this.#lowest = Math.min(this.#lowest, level)
  }

  /** Starts a block if the column is deeper. `number`: the token in front of which it starts; default: the next one. */
  #indentTo(column: number, type: 'block-list' | 'block-map', number?: number, line = this.#cursor.line): void {
    if (this.#isFlow || this.#indent >= column) return
    this.#indents.push(this.#indent)
    this.#indent = column
    this.#boundDepth()
    if (number === undefined) this.#push(type)
    else this.#insert(number, type, line)
  }

  /** Ends blocks deeper than the column. */
  #outdentTo(column: number): void {
    if (this.#isFlow) return
    while (this.#indent > column) {
      this.#push('block-end')
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  #boundDepth(): void {
    if (this.#indents.length + this.#keys.length > maxDepth) this.#cursor.fail('exceeded max depth')
  }

  /** Skips white space and comments. */
  #toNext(): void {
    const cursor = this.#cursor
    for (;;) {
      for (let code = cursor.code(); code === 0x20 || (code === 0x09 && (this.#isFlow || !this.#keyAllowed)); code = cursor.code())
        cursor.at++
      if (cursor.code() === 0x23) while (!isBreakOrEnd(cursor.code())) cursor.at++
      if (!isBreak(cursor.code())) return
      cursor.takeBreak()
      if (!this.#isFlow) this.#keyAllowed = true
    }
  }

  #fetch(): void {
    const cursor = this.#cursor
    this.#toNext()
    this.#outdentTo(cursor.column)
    const code = cursor.code()
    if (cursor.ended) this.#end()
    else if (cursor.column === 0 && code === 0x25) this.#directive()
    else if (cursor.isAtMarker) this.#marker(code === 0x2d ? 'document-start' : 'document-end')
    else if (!this.#indicator(code, isSpace(cursor.code(1)))) this.#plain(code)
  }

  /** Scans the token of an indicator; false: the character starts a plain scalar, or is the end. */
  #indicator(code: number, beforeSpace: boolean): boolean {
    if (code === 0x5b || code === 0x7b) this.#open(code === 0x5b ? '[' : '{')
    else if (code === 0x5d || code === 0x7d) this.#close(code === 0x5d ? ']' : '}')
    else if (code === 0x2c) this.#comma()
    else if (code === 0x2d && beforeSpace) this.#entry()
    else if (code === 0x3f && (this.#isFlow || beforeSpace)) this.#key()
    else if (code === 0x3a && (this.#isFlow || beforeSpace)) this.#value()
    else if (code === 0x2a || code === 0x26) this.#anchor(code === 0x2a ? 'alias' : 'anchor')
    else if (code === 0x21) this.#tag()
    else if ((code === 0x7c || code === 0x3e) && !this.#isFlow) this.#block(code === 0x7c)
    else if (code === 0x22 || code === 0x27) this.#quoted(code === 0x22 ? '"' : "'")
    else return false
    return true
  }

  #comma(): void {
    this.#dropKey()
    this.#keyAllowed = true
    this.#skip(',')
  }

  #end(): void {
    // The end is on a line of its own.
    if (this.#cursor.column > 0) this.#cursor.line++
    this.#outdentTo(-1)
    this.#dropKey()
    this.#keyAllowed = false
    this.#push('end')
    this.#ended = true
  }

  #directive(): void {
    const cursor = this.#cursor
    this.#outdentTo(-1)
    this.#dropKey()
    this.#keyAllowed = false
    const { line } = cursor
    this.#queue.push({ type: 'directive', line, value: '', plain: false, directive: directiveAt(cursor) })
  }

  #marker(type: 'document-start' | 'document-end'): void {
    this.#outdentTo(-1)
    this.#dropKey()
    this.#keyAllowed = false
    this.#skip(type, 3)
  }

  #open(type: '[' | '{'): void {
    this.#saveKey()
    this.#keys.push(undefined)
    this.#boundDepth()
    this.#keyAllowed = true
    this.#skip(type)
  }

  #close(type: ']' | '}'): void {
    this.#dropKey()
    if (this.#isFlow) this.#keys.pop()
    this.#lowest = Math.min(this.#lowest, this.#keys.length)
    this.#keyAllowed = false
    this.#skip(type)
  }

  #entry(): void {
    if (!this.#isFlow && !this.#keyAllowed) this.#cursor.fail('block sequence entries are not allowed in this context')
    this.#indentTo(this.#cursor.column, 'block-list')
    this.#dropKey()
    this.#keyAllowed = true
    this.#skip('entry')
  }

  #key(): void {
    if (!this.#isFlow && !this.#keyAllowed) this.#cursor.fail('mapping keys are not allowed in this context')
    this.#indentTo(this.#cursor.column, 'block-map')
    this.#dropKey()
    this.#keyAllowed = !this.#isFlow
    this.#skip('key')
  }

  #value(): void {
    const key = this.#keys.at(-1)
    if (key !== undefined && this.#isOpen(key)) {
      this.#insert(key.number, 'key', key.line)
      this.#indentTo(key.column, 'block-map', key.number, key.line)
      this.#keys[this.#keys.length - 1] = undefined
      this.#keyAllowed = false
    } else {
      if (!this.#isFlow && !this.#keyAllowed) this.#cursor.fail('mapping values are not allowed in this context')
      this.#indentTo(this.#cursor.column, 'block-map')
      this.#keyAllowed = !this.#isFlow
    }
    this.#skip('value')
  }

  #anchor(type: 'alias' | 'anchor'): void {
    const cursor = this.#cursor
    this.#saveKey()
    this.#keyAllowed = false
    const start = cursor.at + 1
    for (cursor.at++; isWord(cursor.code()); ) cursor.at++
    if (cursor.at === start || !(isSpace(cursor.code()) || anchorEnds.has(cursor.code())))
      cursor.fail('did not find expected alphabetic or numeric character')
    this.#push(type, cursor.text.slice(start, cursor.at))
  }

  #tag(): void {
    const cursor = this.#cursor
    this.#saveKey()
    this.#keyAllowed = false
    const { line } = cursor
    this.#queue.push({ type: 'tag', line, value: '', plain: false, tag: tagAt(cursor) })
  }

  #block(isLiteral: boolean): void {
    const { line } = this.#cursor
    this.#dropKey()
    this.#keyAllowed = true
    this.#push('scalar', blockText(this.#cursor, isLiteral, this.#indent), false, line)
  }

  #quoted(quote: '"' | "'"): void {
    const { line } = this.#cursor
    this.#saveKey()
    this.#keyAllowed = false
    this.#push('scalar', quotedText(this.#cursor, quote), false, line)
  }

  #plain(code: number): void {
    const { line } = this.#cursor
    const mayBegin = !isSpace(this.#cursor.code(1)) && (code === 0x2d || (!this.#isFlow && (code === 0x3f || code === 0x3a)))
    if (isSpace(code) || (neverPlain.has(code) && !mayBegin)) this.#cursor.fail('found character that cannot start any token')
    this.#saveKey()
    this.#keyAllowed = false
    const { text, broken } = plainText(this.#cursor, this.#isFlow, this.#indent + 1)
    this.#push('scalar', text, true, line)
    if (broken) this.#keyAllowed = true
  }
}
