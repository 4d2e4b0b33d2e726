/** The values of literal tokens. */
import { CelDouble, CelUint, intOf } from '../values/numbers.ts'
import type { Token } from './lexer.ts'

const plain: { readonly [letter: string]: string | undefined } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** `code` is a byte for `\x..` and octal escapes in bytes, otherwise a code point. */
interface Unescaped {
  readonly code: number
  readonly byte: boolean
}

function* unescaped(body: string, bytes: boolean): Iterable<Unescaped> {
  let at = 0
  while (at < body.length) {
    const code = body.codePointAt(at) ?? 0
    if (code !== 0x5c) {
      yield { code, byte: false }
      at += code > 0xffff ? 2 : 1
      continue
    }
    const letter = body[at + 1] ?? ''
    const digits = { x: 2, X: 2, u: 4, U: 8 }[letter]
    if (digits !== undefined) {
      if (bytes && digits > 2) throw new Error('unable to unescape string')
      yield { code: Number.parseInt(body.slice(at + 2, at + 2 + digits), 16), byte: bytes }
      at += 2 + digits
    } else if (/[0-3]/.test(letter)) {
      yield { code: Number.parseInt(body.slice(at + 1, at + 4), 8), byte: bytes }
      at += 4
    } else {
      yield { code: (plain[letter] ?? letter).charCodeAt(0), byte: false }
      at += 2
    }
  }
}

/** Throws an Error with the reason for an invalid escape. */
function quotedValue(token: string, bytes: boolean): string | Uint8Array {
  const marks = /^[bBrR]*/.exec(token)?.[0] ?? ''
  const quoted = token.slice(marks.length).replace(/\r\n?/g, '\n')
  const width = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1
  const body = quoted.slice(width, -width)
  if (/[rR]/.test(marks) || !body.includes('\\')) return bytes ? new TextEncoder().encode(body) : body
  const parts: number[] = []
  let text = ''
  for (const { code, byte } of unescaped(body, bytes)) {
    if (!byte && (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))) throw new Error('invalid unicode code point')
    if (!bytes) text += String.fromCodePoint(code)
    else if (byte) parts.push(code & 0xff)
    else parts.push(...new TextEncoder().encode(String.fromCodePoint(code)))
  }
  return bytes ? Uint8Array.from(parts) : text
}

/** The value of a literal token; `sign` precedes a number. Throws an Error with the reason when it is invalid. */
export function literalValue({ type, text }: Token, sign: '' | '-'): unknown {
  switch (type) {
    case 'int': {
      const value = BigInt(text) * (sign === '-' ? -1n : 1n)
      if (value < -(2n ** 63n) || value >= 2n ** 63n) throw new Error('invalid int literal')
      return intOf(value)
    }
    case 'uint': {
      const value = BigInt(text.slice(0, -1))
      if (value >= 2n ** 64n) throw new Error('invalid uint literal')
      return new CelUint(intOf(value))
    }
    case 'double': {
      const value = Number(sign + text)
      if (!Number.isFinite(value)) throw new Error('invalid double literal')
      return new CelDouble(value)
    }
    case 'bytes':
      return quotedValue(text, true)
    default:
      return quotedValue(text, false)
  }
}
