/** Small random changes of texts, the same in every run. */

import { randomNumbers } from '../../../support/random.ts'
import { trials } from '../../../support/soak.ts'

/** Integers from 0 up to, not including, a limit. */
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

/** The text with one to four changes: odd characters or parts of the text inserted, removed or replaced. */
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

/** Number of random cases in a run. */
export const caseCount = trials(1_000, 300_000)
