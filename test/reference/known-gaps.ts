/**
 * Differences of the bounded run from the recorded answers that are known: `known-gaps.txt` has a line for each class with its number of
 * requests. It must match exactly, so that a new difference fails, and so does a row that is mended.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'
import type { Outcome } from './run.ts'

const file = join(root, 'test/reference/known-gaps.txt')

/** Number of requests by part, kind and class. */
export type Gaps = ReadonlyMap<string, number>

export class GapCounter {
  readonly gaps = new Map<string, number>()

  add({ part, scene, verdict, class: text }: Outcome): void {
    if (verdict !== 'differs') return
    const row = `${part.name} | ${scene.kind} | ${text.replaceAll(/[\s\p{C}]+/gu, ' ')}`
    this.gaps.set(row, (this.gaps.get(row) ?? 0) + 1)
  }
}

export function readGaps(): Gaps {
  const lines = readFileSync(file, 'utf8').split('\n')
  const rows = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    rows.map((row) => {
      const [, number = '', text = ''] = /^(\d+) (.*)$/.exec(row) ?? []
      return [text, Number(number)]
    }),
  )
}

export function writeGaps(gaps: Gaps): void {
  const rows = [...gaps].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([row, count]) => `${count} ${row}\n`)
  const head = '# Requests of the bounded run that differ from the reference. Made by: npm run test:reference -- --recorded --write-gaps\n'
  writeFileSync(file, head + rows.join(''))
}

/** Rows that differ more often than the file says, and those that differ less often. */
export function compareGaps(known: Gaps, found: Gaps): { readonly more: string[]; readonly less: string[] } {
  const rows = [...new Set([...known.keys(), ...found.keys()])]
  const change = (row: string) => (found.get(row) ?? 0) - (known.get(row) ?? 0)
  const tell = (row: string) => `${known.get(row) ?? 0} → ${found.get(row) ?? 0}: ${row}`
  return { more: rows.filter((row) => change(row) > 0).map(tell), less: rows.filter((row) => change(row) < 0).map(tell) }
}
