/** Small changes to texts, the same ones in every run. */

import { randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'

/** Whole numbers from 0 up to a limit. */
export const dice = (seed: number): ((below: number) => number) => randomNumbers(seed).integer

const odd = [
  '',
  ' ',
  ',',
  ', ',
  '"',
  '""',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '-',
  '-----',
  '=',
  '.',
  '%',
  '%2f',
  '%ff',
  '\x80',
  'ÿ',
  ':',
  '__proto__',
  'A'.repeat(300),
]

/** The text with one to four changes: something odd or another part of it put in, left out, or in the place of something else. */
export function mutate(text: string, roll: (below: number) => number): string {
  let changed = text
  for (let rounds = 1 + roll(4); rounds > 0; rounds--) {
    const at = roll(changed.length + 1)
    const span = roll(roll(4) === 0 ? changed.length - at + 1 : 4)
    const from = roll(changed.length + 1)
    const piece = [odd[roll(odd.length)] ?? '', changed.slice(from, from + roll(20)), String.fromCharCode(roll(256))][roll(3)] ?? ''
    changed = changed.slice(0, at) + (roll(4) === 0 ? '' : piece) + changed.slice(roll(2) === 0 ? at : at + span)
  }
  return changed
}

/** How many cases a run tries: enough to notice a mistake. */
export const caseCount = trials(1_000, 300_000)
