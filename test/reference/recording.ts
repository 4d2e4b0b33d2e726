/**
 * The reference's answers, kept as facts: for each part a compressed file with the answers to its bounded run, and one with the others.
 * A line is `[id, code, headers, layout, body]`; the same headers follow each other so often that compression leaves little of them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { Json } from '../../core/schema/model.ts'
import { root } from '../support/root.ts'
import { withoutTheirTexts } from './accepted.ts'
import type { Normal } from './normal.ts'
import { isBounded, type Outcome, type Side } from './run.ts'

const directory = join(root, 'test/reference/recorded')
const fileOf = (part: string, bounded: boolean) => join(directory, `${part}${bounded ? '' : '-rest'}.br`)
const versionFile = join(directory, 'version.txt')

/** Characters of an id that are kept: few enough to compress, enough to tell the requests of a part apart. */
const idLength = 6

type Line = readonly [id: string, code: number, headers: Normal['headers'], layout: string, body: Json]

/** Collects the answers of a part in the order of its requests. */
export class Recorder {
  private readonly lines = { bounded: [] as string[], rest: [] as string[] }

  add({ id, scene, part, call, reference }: Outcome): void {
    const { code, headers, layout, body } = withoutTheirTexts(reference, { part: part.name, call, ...scene })
    const line: Line = [id.slice(0, idLength), code, headers, layout, body]
    this.lines[isBounded(part, scene) ? 'bounded' : 'rest'].push(JSON.stringify(line))
  }

  /** Writes the files of the part; returns their bytes. */
  write(part: string): number {
    mkdirSync(directory, { recursive: true })
    return [true, false].reduce((sum, bounded) => {
      const text = Buffer.from(this.lines[bounded ? 'bounded' : 'rest'].join('\n'))
      if (text.length === 0) return sum
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants
      const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: text.length }
      const bytes = brotliCompressSync(text, { params })
      writeFileSync(fileOf(part, bounded), bytes)
      return sum + bytes.length
    }, 0)
  }
}

/** Keeps the version of the server that was recorded. */
export const writeVersion = (version: string): void => writeFileSync(versionFile, `${version}\n`)
/** Such as `v1.36.2`. */
export const recordedVersion = (): string => readFileSync(versionFile, 'utf8').trim()

const linesOf = (bytes: Buffer) => bytes.reduce((number, byte) => number + (byte === 10 ? 1 : 0), 1)

function read(part: string, bounded: boolean): Buffer | undefined {
  const file = fileOf(part, bounded)
  return existsSync(file) ? brotliDecompressSync(readFileSync(file)) : undefined
}

/** The recorded answers of a part; those beyond the bounded run only with `whole`. */
export class Recorded implements Side {
  private readonly known = new Map<string, Normal>()
  private readonly asked = new Set<string>()
  /** Number of answers beyond the bounded run; 0 with `whole`. */
  readonly beyond: number

  constructor(part: string, whole: boolean) {
    const rest = read(part, false)
    this.beyond = whole || rest === undefined ? 0 : linesOf(rest)
    for (const bytes of [read(part, true), whole ? rest : undefined]) {
      if (bytes === undefined) continue
      for (const text of bytes.toString().split('\n')) {
        const [id, code, headers, layout, body] = JSON.parse(text) as Line
        this.known.set(id, { code, headers, layout, body })
      }
    }
  }

  async answers(_scene: unknown, ids: readonly string[]): Promise<readonly Normal[] | undefined> {
    const keys = ids.map((id) => id.slice(0, idLength))
    for (const key of keys) this.asked.add(key)
    const found = keys.map((key) => this.known.get(key))
    return found.includes(undefined) ? undefined : (found as Normal[])
  }

  async prepare(): Promise<void> {}

  /** Number of answers whose requests nobody has made: after a run, of requests that are made no longer. */
  get unasked(): number {
    return [...this.known.keys()].filter((key) => !this.asked.has(key)).length
  }
}
