/** Texts quoted as Go's strconv.Quote and `%q` do: one line of printable characters, whatever a client sent. */
import { goEscapes } from './escapes.ts'

/** Control and format characters, unassigned ones, and all spaces but U+0020. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu
const special = /["\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu
/** Most texts: ASCII without characters to escape. */
const usual = /^[ !#-[\]-~]*$/

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')

function escaped(character: string): string {
  const known = goEscapes[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

export const quote = (text: string): string => `"${usual.test(text) ? text : text.replace(special, escaped)}"`

/** Escapes what is not printable but line breaks and tabs. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))
