import { randomNumbers as sequence } from '../../runtimes/testing/random.ts'
import { seed } from './seed.ts'

/** Pseudo-random numbers, the same in every run with the same seed; `own` selects an independent sequence. */
export function randomNumbers(own: number) {
  const numbers = sequence(own + seed)
  return { ...numbers, chance: (probability: number) => numbers.next() < probability }
}

export type RandomNumbers = ReturnType<typeof randomNumbers>
