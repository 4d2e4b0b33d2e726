/** The reference's events for the requests, one JSON per line, compressed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { root } from '../../support/root.ts'
import type { Event } from './normal.ts'

const file = join(root, 'test/reference/audit/events.br')

export const readFacts = (): Event[] =>
  brotliDecompressSync(readFileSync(file))
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as Event)

/** Returns the number of bytes. */
export function writeFacts(events: readonly Event[]): number {
  const bytes = brotliCompressSync(events.map((event) => JSON.stringify(event)).join('\n'))
  writeFileSync(file, bytes)
  return bytes.length
}
