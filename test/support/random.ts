import { seed } from './seed.ts'

/** Pseudo-random numbers (mulberry32), the same in every run with the same seed; `own` selects an independent sequence. */
export function randomNumbers(own: number) {
  let state = (own + seed) | 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** In [0, 1). */
    next,
    chance: (probability: number) => next() < probability,
    /** An integer in [0, limit). */
    integer: (limit: number) => Math.floor(next() * limit),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
  }
}

export type RandomNumbers = ReturnType<typeof randomNumbers>
