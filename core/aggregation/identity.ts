/** The user of a request in headers, which a server behind this one trusts because of its client certificate (client-go/transport). */
import type { User } from '../request/exchange.ts'

/** Header fields, each in a line of its own: a value may contain a comma. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** The user can't be named in headers. */
export class InvalidUserHeader extends Error {
  override readonly name = 'InvalidUserHeader'
}

const encoder = new TextEncoder()

/** One character per byte of UTF-8. */
const asBytes = (text: string) => Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('')

/** Characters of header names, but for the escape character. */
const legal = /[!#$&'*+\-.^_`|~0-9A-Za-z]/

/** A key in the name of a header: other characters as `%XX`. */
const escapedKey = (key: string) =>
  Array.from(asBytes(key), (char) => (legal.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)).join(
    '',
  )

/** Control characters, which no header has, and spaces at the ends, which a receiver drops: it would take the user for another one. */
const unspeakable = /[^\t -~\u0080-\u{10ffff}]|^[ \t]|[ \t]$/u

/** Header fields that name a user. Throws InvalidUserHeader. */
export function identityFields({ name, uid = '', groups, extra = {} }: User, withUid: boolean): Fields {
  const fields: Fields = [
    ['X-Remote-User', name],
    ...(withUid && uid !== '' ? [['X-Remote-Uid', uid] as const] : []),
    ...groups.map((group) => ['X-Remote-Group', group] as const),
    ...Object.entries(extra).flatMap(([key, values]) => values.map((value) => [`X-Remote-Extra-${escapedKey(key)}`, value] as const)),
  ]
  for (const [field, value] of fields) {
    if (unspeakable.test(value)) throw new InvalidUserHeader(`net/http: invalid header field value for ${JSON.stringify(field)}`)
  }
  return fields.map(([field, value]) => [field, asBytes(value)])
}
