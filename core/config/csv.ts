/** One record of comma-separated values (RFC 4180), as flags of type `strings` take them. */
import { DecodeError } from '../schema/decode-error.ts'

/**
 * The fields of one line; an empty text has none.
 * @throws DecodeError when quotes don't pair.
 */
export function parseCsv(text: string): string[] {
  if (text === '') return []
  if (!text.includes('"')) {
    if (/[\r\n]/.test(text)) throw new DecodeError('must be one line')
    return text.split(',')
  }
  const fields: string[] = []
  for (let at = 0; ; ) {
    let field = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new DecodeError('has a quote (") that is not closed')
        if (text[at] !== '"') field += text[at]
        else if (text[at + 1] === '"') field += text[at++]
        else break
      }
      at++
      if (at < text.length && text[at] !== ',') throw new DecodeError('has text after a closing quote (")')
    } else {
      const end = text.indexOf(',', at)
      field = end === -1 ? text.slice(at) : text.slice(at, end)
      if (field.includes('"')) throw new DecodeError('has a quote (") inside a field that is not quoted')
      if (/[\r\n]/.test(field)) throw new DecodeError('must be one line')
      at += field.length
    }
    fields.push(field)
    if (at >= text.length) return fields
    at++
  }
}
