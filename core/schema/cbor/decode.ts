/**
 * Decodes CBOR as JSON values, as the reference decodes unstructured objects (apimachinery, runtime/serializer/cbor): byte strings are texts, or in
 * base64 if a tag says so; the values of unknown tags count; integers have 64 bits; a map has no key twice.
 */

import { DecodeError } from '../decode-error.ts'
import { encodeBase64 } from '../formats/base64.ts'
import { decodeUtf8, repairUtf8 } from '../formats/utf8.ts'
import { quote } from '../go/quote.ts'
import { set } from '../json/members.ts'
import { exactInteger } from '../json/text.ts'
import type { Json, JsonObject } from '../model.ts'
import { HeadReader, indefinite, major, nameOf, unaccepted } from './head.ts'
import { epochTime, textTime } from './time.ts'
import { checkWellFormed, passItem } from './well-formed.ts'

/** Maximum depth of arrays and maps, as of JSON: what reads the values recurses. */
const maxDepth = 1000

/**
 * Errors, each of which takes microseconds, until what follows one is passed unread in maps, too, where a repeated key could still be the error.
 * In arrays the first error counts in any case.
 */
const maxErrors = 100

/** Tags of byte strings that are texts in another form in JSON (RFC 8949 section 3.4.5.2): base64url, base64, base16. */
type Encoding = 21 | 22 | 23
const isEncoding = (tag: number): tag is Encoding => tag >= 21 && tag <= 23
const [textTag, epochTag] = [0, 1]
const noBytes = new Uint8Array(0)

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const encodings: { readonly [encoding in Encoding]: (bytes: Uint8Array) => string } = {
  21: (bytes) => encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  22: encodeBase64,
  23: hex,
}

/** Go's name of what the keys of maps are decoded into, and of 64-bit integers. */
const [goText, goInteger] = ['string', 'int64']
const mismatch = (type: number, into: string, why = '') =>
  new DecodeError(`cbor: cannot unmarshal ${nameOf(type)} into Go value of type ${into}${why}`)

const [isFalse, isTrue, isNull] = [20, 21, 22]

/** An array or map whose end is not reached. As in the reference, its first error counts, but for a repeated key; what follows is read anyway. */
interface Open {
  readonly value: Json[] | JsonObject
  /** Of the byte strings in it. */
  readonly encoding: Encoding | undefined
  /** Items or pairs to come; negative: until a break. */
  left: number
  index: number
  key: string
  error: DecodeError | undefined
}

class Decoder {
  readonly #reader: HeadReader
  readonly #stack: Open[] = []
  #errors = 0

  constructor(bytes: Uint8Array) {
    this.#reader = new HeadReader(bytes)
  }

  /** The value of the item; nothing recurses. */
  decode(): Json {
    let encoding: Encoding | undefined
    for (;;) {
      let done = this.#attempt(encoding)
      for (;;) {
        const open = this.#stack.at(-1)
        if (done !== undefined) {
          if (open === undefined) {
            if (done instanceof DecodeError) throw done
            return done.value
          }
          this.#keep(open, done)
        }
        if (this.#hasMore(open as Open)) {
          encoding = (open as Open).encoding
          break
        }
        this.#stack.pop()
        done = (open as Open).error ?? { value: (open as Open).value }
      }
    }
  }

  /** The next value, or why it is none; undefined: it is an array or map, which has been opened. */
  #attempt(encoding: Encoding | undefined): { readonly value: Json } | DecodeError | undefined {
    try {
      const value = this.#value(encoding)
      return value === undefined ? undefined : { value }
    } catch (error) {
      if (error instanceof DecodeError) return error
      throw error
    }
  }

  #fail(open: Open, error: DecodeError): void {
    open.error ??= error
    this.#errors++
  }

  #keep(open: Open, done: { readonly value: Json } | DecodeError): void {
    if (done instanceof DecodeError) this.#fail(open, done)
    else if (Array.isArray(open.value)) open.value.push(done.value)
    else if (Object.hasOwn(open.value, open.key)) {
      open.error = new DecodeError(`cbor: found duplicate map key ${quote(open.key)} at map element index ${open.index - 1}`)
      while (this.#advance(open)) {
        passItem(this.#reader)
        passItem(this.#reader)
      }
      open.left = 0
    } else set(open.value, open.key, done.value)
  }

  #advance(open: Open): boolean {
    if (open.left === 0) return false
    if (open.left < 0 && this.#reader.atBreak) {
      this.#reader.at++
      return false
    }
    if (open.left > 0) open.left--
    open.index++
    return true
  }

  /** Whether there is another value; reads the key before it. Values whose keys are none are passed. */
  #hasMore(open: Open): boolean {
    while (this.#advance(open)) {
      const isList = Array.isArray(open.value)
      if (open.error !== undefined && (isList || this.#errors > maxErrors)) {
        for (let items = isList ? 1 : 2; items > 0; items--) passItem(this.#reader)
        continue
      }
      if (isList) return true
      try {
        open.key = this.#key(open)
        return true
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
        this.#fail(open, error)
        passItem(this.#reader)
      }
    }
    return false
  }

  /** Reads tags and the head behind them; the last tag, and how byte strings are encoded. Throws for content that a tag does not allow. */
  #head(given: Encoding | undefined): { tag: number | undefined; encoding: Encoding | undefined } {
    const reader = this.#reader
    let [encoding, tag]: [Encoding | undefined, number | undefined] = [given, undefined]
    reader.read()
    while (reader.type === major.tag) {
      tag = reader.argument
      if (isEncoding(tag)) encoding = tag
      const fault = contentFault(tag, reader.bytes[reader.at] as number)
      if (fault !== undefined) {
        passItem(reader)
        throw fault
      }
      reader.read()
    }
    return { tag, encoding }
  }

  /** Undefined: an array or map was opened. */
  #value(given: Encoding | undefined): Json | undefined {
    const { tag, encoding } = this.#head(given)
    const reader = this.#reader
    if (tag === epochTag) return epochTime(reader)
    switch (reader.type) {
      case major.unsigned:
      case major.negative:
        return this.#integer(goInteger)
      case major.bytes:
        return this.#byteText(encoding)
      case major.text:
        return tag === textTag ? textTime(this.#text()) : this.#text()
      case major.simple:
        return reader.info > 24 ? reader.float : simpleValue(reader)
      default:
        if (this.#stack.length < maxDepth) {
          this.#stack.push(this.#opened(encoding))
          return undefined
        }
        this.#passRest()
        throw new DecodeError('exceeded max depth')
    }
  }

  #opened(encoding: Encoding | undefined): Open {
    const { type, info, argument } = this.#reader
    const left = info === indefinite ? -1 : argument
    return { value: type === major.array ? [] : {}, encoding, left, index: 0, key: '', error: undefined }
  }

  /** A key, which is a string. Null is read as Go does: it leaves what was read before. */
  #key(open: Open): string {
    const { encoding } = this.#head(open.encoding)
    const reader = this.#reader
    const { type } = reader
    if (type === major.bytes) return this.#byteText(encoding)
    if (type === major.text) return this.#text()
    if (type === major.simple && reader.info <= 24 && simpleValue(reader) === null) return open.key
    if (type === major.negative) this.#integer(goText)
    if (type === major.array || type === major.map) this.#passRest()
    throw mismatch(type, goText)
  }

  /** Passes the items of an array or map whose head was read. */
  #passRest(): void {
    const { type, info, argument } = this.#reader
    const rest = this.#opened(undefined)
    rest.left = info === indefinite ? -1 : argument * (type === major.map ? 2 : 1)
    while (this.#advance(rest)) passItem(this.#reader)
  }

  /** The integer of a head. Throws when it has more than 64 bits with its sign. */
  #integer(into: string): Json {
    const { type, argument, info } = this.#reader
    const isNegative = type === major.negative
    if (info < 27) return isNegative ? -1 - argument : argument
    const exact = this.#reader.exact
    const value = isNegative ? -1n - exact : exact
    if (this.#reader.overflows) throw mismatch(type, into, ` (${value} overflows Go's int64)`)
    return exactInteger(value)
  }

  /** The bytes behind a head. */
  #take(): Uint8Array {
    const reader = this.#reader
    reader.at += reader.argument
    return reader.argument === 0 ? noBytes : reader.bytes.subarray(reader.at - reader.argument, reader.at)
  }

  /** The parts of a string of indefinite length. */
  *#chunks(): Generator<Uint8Array> {
    const reader = this.#reader
    for (; !reader.atBreak; yield this.#take()) reader.read()
    reader.at++
  }

  #isWhole(): boolean {
    return this.#reader.info !== indefinite
  }

  #text(): string {
    let text: string | undefined = ''
    // Each part is valid by itself, and all are passed.
    for (const chunk of this.#isWhole() ? [this.#take()] : this.#chunks()) {
      const part = decodeUtf8(chunk)
      text = text === undefined || part === undefined ? undefined : text + part
    }
    if (text === undefined) throw new DecodeError('cbor: invalid UTF-8 string')
    return text
  }

  #byteText(encoding: Encoding | undefined): string {
    const bytes = this.#isWhole() ? this.#take() : joined(this.#chunks())
    if (bytes.length === 0) return ''
    return encoding === undefined ? (decodeUtf8(bytes) ?? repairUtf8(bytes)) : encodings[encoding](bytes)
  }
}

/** Keeps no list of the chunks: a body may have millions of empty ones. A single one is not copied. */
function joined(chunks: Iterable<Uint8Array>): Uint8Array {
  let bytes = new Uint8Array(0)
  let length = 0
  for (const chunk of chunks) {
    const needed = length + chunk.length
    if (length === 0) bytes = chunk as typeof bytes
    else if (needed > bytes.length) {
      const grown = new Uint8Array(2 * needed)
      grown.set(bytes.subarray(0, length))
      bytes = grown
    }
    if (length > 0) bytes.set(chunk, length)
    length = needed
  }
  return bytes.subarray(0, length)
}

/** Why a tag can't be followed by an item that begins with this byte; undefined: it can. */
function contentFault(tag: number, first: number): DecodeError | undefined {
  const type = first >> 5
  const fault = (expected: string) => new DecodeError(`cbor: tag number ${tag} must be followed by ${expected}, got ${nameOf(type)}`)
  if (tag === textTag && type !== major.text) return fault('text string')
  const isNumber = type === major.unsigned || type === major.negative || (first >= 0xf9 && first <= 0xfb)
  return tag === epochTag && !isNumber ? fault('integer or floating-point number') : undefined
}

function simpleValue({ argument }: HeadReader): boolean | null {
  if (argument === isNull) return null
  if (argument === isFalse || argument === isTrue) return argument === isTrue
  throw unaccepted(major.simple, `simple value ${argument} is not recognized`)
}

/** Decodes one item. Throws DecodeError with the reference's text. */
export function decodeCbor(bytes: Uint8Array): Json {
  checkWellFormed(bytes)
  return new Decoder(bytes).decode()
}
