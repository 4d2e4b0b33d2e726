/**
 * Bytes of a YAML stream as text, in UTF-8 or, with a byte order mark, UTF-16: the reader of go-yaml v2 (readerc.go). It refuses control
 * characters wherever they stand, and reads pieces of 512 bytes: what is wrong with one hides errors of the syntax in it, but not earlier ones.
 */
import { decodeUtf8 } from '../formats/utf8.ts'

export interface YamlInput {
  readonly text: string
  /** What is wrong with the bytes that follow the text. */
  readonly fault?: string
}

/** Bytes that are read at a time. */
const pieceSize = 512
const byteOrderMark = 0xfeff

/** Characters that YAML 1.1 does not allow. */
const forbidden = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** A character with its width in bytes, or what is wrong; without a character: the stream ends within it. */
type Character = { readonly code: number; readonly width: number } | string | { readonly cut: string }

type Encoding = (bytes: Uint8Array, at: number) => Character

/** Bytes of a character by its first byte; 0: no character starts so. */
const widthOf = (byte: number) => (byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 0)
const minCodes = [0, 0, 0x80, 0x800, 0x10000]

const utf8: Encoding = (bytes, at) => {
  const first = bytes[at] as number
  const width = widthOf(first)
  if (width === 0) return 'invalid leading UTF-8 octet'
  if (at + width > bytes.length) return { cut: 'incomplete UTF-8 octet sequence' }
  let code = width === 1 ? first : first & (0xff >> (width + 1))
  for (const byte of bytes.subarray(at + 1, at + width)) {
    if ((byte & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    code = (code << 6) | (byte & 0x3f)
  }
  if (code < (minCodes[width] as number)) return 'invalid length of a UTF-8 sequence'
  return (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff ? 'invalid Unicode character' : { code, width }
}

const utf16 =
  (low: 0 | 1): Encoding =>
  (bytes, at) => {
    const unit = (from: number) => (bytes[from + low] as number) | ((bytes[from + 1 - low] as number) << 8)
    if (at + 2 > bytes.length) return { cut: 'incomplete UTF-16 character' }
    const code = unit(at)
    if ((code & 0xfc00) === 0xdc00) return 'unexpected low surrogate area'
    if ((code & 0xfc00) !== 0xd800) return { code, width: 2 }
    if (at + 4 > bytes.length) return { cut: 'incomplete UTF-16 surrogate pair' }
    const second = unit(at + 2)
    if ((second & 0xfc00) !== 0xdc00) return 'expected low surrogate area'
    return { code: 0x10000 + ((code & 0x3ff) << 10) + (second & 0x3ff), width: 4 }
  }

const encodings: readonly { readonly mark: readonly number[]; readonly encoding: Encoding }[] = [
  { mark: [0xff, 0xfe], encoding: utf16(0) },
  { mark: [0xfe, 0xff], encoding: utf16(1) },
  { mark: [0xef, 0xbb, 0xbf], encoding: utf8 },
  { mark: [], encoding: utf8 },
]

/** The text of a YAML stream without its byte order mark, up to what can't be read. */
export function yamlInput(bytes: Uint8Array): YamlInput {
  const text = decodeUtf8(bytes)
  if (text !== undefined && !forbidden.test(text)) return { text: text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text }
  const { mark, encoding } = encodings.find((each) => each.mark.every((byte, at) => bytes[at] === byte)) as (typeof encodings)[number]
  const parts: string[] = []
  let piece = ''
  /** End of the current piece. A character that a piece cuts off is read with the next one. */
  let end = pieceSize
  for (let at = mark.length; at < bytes.length; ) {
    const character = encoding(bytes, at)
    if (typeof character === 'string') return { text: parts.join(''), fault: character }
    if ('cut' in character) return { text: parts.join('') + piece, fault: character.cut }
    if (at + character.width > end) {
      parts.push(piece)
      piece = ''
      end = at + pieceSize
    }
    const written = String.fromCodePoint(character.code)
    if (forbidden.test(written)) return { text: parts.join(''), fault: 'control characters are not allowed' }
    piece += written
    at += character.width
  }
  return { text: parts.join('') + piece }
}
