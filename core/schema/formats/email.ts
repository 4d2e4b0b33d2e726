/** Whether a text is one address as Go's mail.ParseAddress takes it: RFC 5322 with names, comments, quoted local parts and groups of one. */
import { parseAddress } from './ip.ts'

const atom = /[!#$%&'*+\-./0-9=?A-Z^_`a-z{|}~\u0080-\u{10ffff}]+/uy
const quoted = /"(?:[\t !#-[\]-~\u0080-\u{10ffff}]|\\[\t -~\u0080-\u{10ffff}])*"/uy
const domainLiteral = /\[([!-Z^-~\u0080-\u{10ffff}]*)\]/uy
const blanks = /[ \t]*/y
const encodedWord = /^=\?([^?]+)\?[bBqQ]\?[^?]*\?=$/
const knownCharset = /^(?:utf-8|iso-8859-1|us-ascii)$/i

/** An address in net/mail's limits of dots. */
const isDotAtom = (text: string) => !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')

class AddressParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isSingle(): boolean {
    return this.#addresses(true) === 1 && this.#comments() && this.#at === this.#text.length
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at += found[0].length
    return found
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  /** Skips white space and comments; false: a comment does not end. */
  #comments(): boolean {
    this.#take(blanks)
    while (this.#skip('(')) {
      if (!this.#comment()) return false
      this.#take(blanks)
    }
    return true
  }

  #comment(): boolean {
    let depth = 1
    for (; depth > 0 && this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at++
      else if (character === '(') depth++
      else if (character === ')') depth--
    }
    return depth === 0
  }

  /** Number of addresses; undefined: malformed. */
  #addresses(mayBeGroup: boolean): number | undefined {
    this.#take(blanks)
    if (this.#spec()) {
      this.#take(blanks)
      return this.#skip('(') && !this.#comment() ? undefined : 1
    }
    if (this.#text[this.#at] !== '<' && !this.#phrase()) return undefined
    this.#take(blanks)
    if (mayBeGroup && this.#skip(':')) return this.#group()
    return this.#skip('<') && this.#spec() && this.#skip('>') ? 1 : undefined
  }

  #group(): number | undefined {
    this.#take(blanks)
    let count = 0
    if (this.#skip(';')) return this.#comments() ? count : undefined
    for (;;) {
      const found = this.#addresses(false)
      if (found === undefined || !this.#comments()) return undefined
      count += found
      if (this.#skip(';')) return this.#comments() ? count : undefined
      if (!this.#skip(',')) return undefined
    }
  }

  /** `local@domain`; otherwise nothing is taken. */
  #spec(): boolean {
    const start = this.#at
    this.#take(blanks)
    const isWhole = this.#local() && this.#skip('@') && this.#domain()
    if (!isWhole) this.#at = start
    return isWhole
  }

  #local(): boolean {
    if (this.#text[this.#at] === '"') return (this.#take(quoted)?.[0].length ?? 0) > 2
    const local = this.#take(atom)?.[0]
    return local !== undefined && isDotAtom(local)
  }

  #domain(): boolean {
    this.#take(blanks)
    if (this.#text[this.#at] === '[') {
      const address = parseAddress(this.#take(domainLiteral)?.[1] ?? '')
      return address !== undefined && !address.leadingZeros
    }
    const domain = this.#take(atom)?.[0]
    return domain !== undefined && isDotAtom(domain)
  }

  /** The name before an address in angle brackets; false: it is missing. */
  #phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.#comments()) return false
      this.#take(blanks)
      const word = this.#take(this.#text[this.#at] === '"' ? quoted : atom)?.[0]
      const charset = encodedWord.exec(word ?? '')?.[1]
      // At the end of the text the phrase may be empty.
      if (word === undefined || (charset !== undefined && !knownCharset.test(charset))) return words > 0 || this.#at === this.#text.length
    }
  }
}

/** Maximum characters of an address that is parsed. */
const maxLength = 100_000

export const isEmail = (text: string): boolean => text.length <= maxLength && new AddressParser(text).isSingle()
