import { DecodeError } from '../decode-error.ts'

/** One record of a CSV text, and the line (from 1) on which it starts. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Parses CSV (RFC 4180) with any number of fields per record. Skips empty lines, and treats CRLF as LF.
 * @throws DecodeError with the line of a misplaced or unterminated quote.
 */
export function parseCsv(text: string): CsvRecord[] {
  const source = text.replaceAll('\r\n', '\n')
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < source.length) {
    if (source[at] === '\n') {
      at++
      line++
      continue
    }
    const start = line
    const fields: string[] = []
    for (let more = true; more; ) {
      const field = source[at] === '"' ? quoted(source, at, line) : plain(source, at, line)
      fields.push(field.value)
      line += field.lines
      more = source[field.end] === ','
      at = field.end + 1
    }
    line++
    records.push({ line: start, fields })
  }
  return records
}

interface Field {
  readonly value: string
  /** Index of the comma, line feed or end of text after the field. */
  readonly end: number
  readonly lines: number
}

function plain(source: string, start: number, line: number): Field {
  let end = start
  while (end < source.length && source[end] !== ',' && source[end] !== '\n') end++
  const value = source.slice(start, end)
  if (value.includes('"')) throw new DecodeError(`line ${line}: bare " in non-quoted field`)
  return { value, end, lines: 0 }
}

function quoted(source: string, start: number, line: number): Field {
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = source.indexOf('"', from)
    if (quote < 0) throw new DecodeError(`line ${line}: extraneous or missing " in quoted-field`)
    value += source.slice(from, quote)
    const next = source[quote + 1]
    if (next === undefined || next === ',' || next === '\n') return { value, end: quote + 1, lines: value.split('\n').length - 1 }
    if (next !== '"') throw new DecodeError(`line ${line}: extraneous or missing " in quoted-field`)
    value += '"'
    from = quote + 2
  }
}
