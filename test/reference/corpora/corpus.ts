/** What the reference's own tests are about, kept as lines of JSON: `[kind, object]`, `[document, patch]`, or what `readEncoded` says. */
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

const read = <T>(name: string): T[] =>
  brotliDecompressSync(readFileSync(fileOf(name)))
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

/** Objects with their kinds. */
export const readCorpus = (name: 'printed' | 'objects' | 'pods') => read<readonly [kind: string, object: JsonObject]>(name)

/** Texts of documents, and of patches for them. */
export const readPatches = () => read<readonly [document: string, patch: string]>('patches')

/** Manifests: whole objects with kind and apiVersion. */
export const readManifests = () => read<JsonObject>('manifests')

/** An object with a value in every field, as kube-apiserver writes it: `group.version.Kind`, JSON, YAML, and protobuf in base64. */
export type Encoded = readonly [title: string, json: string, yaml: string, protobuf: string]

export const readEncoded = () => read<Encoded>('encoded')
