/** Explains why bytes are not JSON, in the words of Go's encoding/json, which clients know. Runs only after parsing has failed. */

const literals: { readonly [first: number]: string } = { 116: 'true', 102: 'false', 110: 'null' }
const escapes = new Set('"\\/bfnrt')

class SyntaxFault extends Error {}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
const isHex = (byte: number) => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)

function quoted(byte: number): string {
  if (byte === 0x27) return `'\\''`
  if (byte === 0x22) return `'"'`
  if (byte >= 0x20 && byte < 0x7f) return byte === 0x5c ? `'\\\\'` : `'${String.fromCharCode(byte)}'`
  const named: { readonly [code: number]: string } = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }
  if (named[byte] !== undefined) return `'\\${named[byte]}'`
  return byte > 0xa0 ? `'${String.fromCharCode(byte)}'` : `'\\${byte < 0x80 ? 'x' : 'u00'}${byte.toString(16).padStart(2, '0')}'`
}

class Scanner {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The next byte, which must exist. */
  #next(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new SyntaxFault('unexpected end of JSON input')
    return byte
  }

  #fail(where: string): never {
    throw new SyntaxFault(`invalid character ${quoted(this.#next())} ${where}`)
  }

  #space(): void {
    while (isSpace(this.#bytes[this.#at] ?? 0)) this.#at++
  }

  /** Uses its own stack, because the input may be nested too deeply for recursion. */
  document(): void {
    const open: number[] = []
    this.#space()
    this.#value(open)
    while (open.length > 0) {
      this.#space()
      const byte = this.#next()
      const object = open[open.length - 1] === 0x7b
      if (byte === (object ? 0x7d : 0x5d)) {
        this.#at++
        open.pop()
      } else if (byte === 0x2c) {
        this.#at++
        this.#space()
        if (object) this.#key()
        this.#value(open)
      } else this.#fail(object ? 'after object key:value pair' : 'after array element')
    }
    this.#space()
    if (this.#at < this.#bytes.length) this.#fail('after top-level value')
  }

  /** Reads a scalar, or the opening of a container and its first value. */
  #value(open: number[]): void {
    for (;;) {
      const byte = this.#next()
      if (byte !== 0x7b && byte !== 0x5b) {
        this.#scalar(byte)
        return
      }
      this.#at++
      this.#space()
      if (this.#next() === byte + 2) {
        this.#at++
        return
      }
      open.push(byte)
      if (byte === 0x7b) this.#key()
    }
  }

  #key(): void {
    if (this.#next() !== 0x22) this.#fail('looking for beginning of object key string')
    this.#string()
    this.#space()
    if (this.#next() !== 0x3a) this.#fail('after object key')
    this.#at++
    this.#space()
  }

  #scalar(byte: number): void {
    const literal = literals[byte]
    if (byte === 0x22) this.#string()
    else if (literal !== undefined) this.#literal(literal)
    else if (byte === 0x2d || isDigit(byte)) this.#number()
    else this.#fail('looking for beginning of value')
  }

  #literal(text: string): void {
    for (let index = 0; index < text.length; index++, this.#at++)
      if (this.#next() !== text.charCodeAt(index)) this.#fail(`in literal ${text} (expecting '${text[index]}')`)
  }

  #string(): void {
    this.#at++
    for (;;) {
      const byte = this.#next()
      if (byte < 0x20) this.#fail('in string literal')
      this.#at++
      if (byte === 0x22) return
      if (byte === 0x5c) this.#escape()
    }
  }

  #escape(): void {
    const byte = this.#next()
    if (byte === 0x75) {
      this.#at++
      for (let digit = 0; digit < 4; digit++, this.#at++) if (!isHex(this.#next())) this.#fail('in \\u hexadecimal character escape')
    } else if (escapes.has(String.fromCharCode(byte))) this.#at++
    else this.#fail('in string escape code')
  }

  #digits(): void {
    while (isDigit(this.#bytes[this.#at] ?? 0)) this.#at++
  }

  #number(): void {
    if (this.#next() === 0x2d) this.#at++
    if (!isDigit(this.#next())) this.#fail('in numeric literal')
    if (this.#bytes[this.#at] === 0x30) this.#at++
    else this.#digits()
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++
      if (!isDigit(this.#next())) this.#fail('after decimal point in numeric literal')
      this.#digits()
    }
    if (((this.#bytes[this.#at] ?? 0) | 0x20) !== 0x65) return
    this.#at++
    if (this.#next() === 0x2b || this.#bytes[this.#at] === 0x2d) this.#at++
    if (!isDigit(this.#next())) this.#fail('in exponent of numeric literal')
    this.#digits()
  }
}

/** The syntax error; undefined when the bytes are JSON. */
export function syntaxFault(bytes: Uint8Array): string | undefined {
  try {
    new Scanner(bytes).document()
    return undefined
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message
    throw error
  }
}
