/** Objects of the reference's own tests, kept as lines of JSON: `[kind, object]`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { JsonObject } from '../../../core/schema/model.ts'
import { root } from '../../support/root.ts'

const fileOf = (name: string) => join(root, 'test/reference/corpora', `${name}.br`)

/** Returns the bytes written. */
export function writeCorpus(name: string, lines: readonly string[]): number {
  const bytes = brotliCompressSync(lines.join('\n'))
  writeFileSync(fileOf(name), bytes)
  return bytes.length
}

export const readCorpus = (name: string): (readonly [kind: string, object: JsonObject])[] =>
  brotliDecompressSync(readFileSync(fileOf(name)))
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, JsonObject])
