/** Small, seeded changes of texts, for tests with malformed input. */
import { randomNumbers } from './random.ts'

export interface Random {
  /** An integer from 0 up to, but not including, the bound. */
  below(bound: number): number
  pick<T>(list: readonly T[]): T
}

/** The same sequence for the same seed. */
export function seeded(seed: number): Random {
  const { integer, pick } = randomNumbers(seed)
  return { below: integer, pick }
}

type Change = (text: string, random: Random, words: readonly string[]) => string

const cut = (text: string, at: number, length: number, put = '') => text.slice(0, at) + put + text.slice(at + length)

const changes: readonly Change[] = [
  (text, random, words) => cut(text, random.below(text.length + 1), 0, random.pick(words)),
  (text, random, words) => cut(text, random.below(text.length + 1), random.below(8), random.pick(words)),
  (text, random) => cut(text, random.below(text.length + 1), 1 + random.below(4)),
  (text, random) => cut(text, random.below(text.length + 1), 1, String.fromCharCode(random.below(256))),
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => {
    const at = random.below(text.length + 1)
    return cut(text, random.below(text.length + 1), 0, text.slice(at, at + random.below(32)))
  },
]

/** The text after one to three changes, some of which insert one of the words. */
export function mutate(text: string, random: Random, words: readonly string[]): string {
  let changed = text
  for (let count = 1 + random.below(3); count > 0; count--) changed = random.pick(changes)(changed, random, words)
  return changed
}
