/** Pseudo-random numbers (mulberry32): the same sequence for the same seed. */
export function randomNumbers(seed: number) {
  let state = seed | 0
  /** In [0, 1). */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer in [0, limit). */
  const integer = (limit: number) => Math.floor(next() * limit)
  return { next, integer, pick: <T>(from: readonly T[]): T => from[integer(from.length)] as T }
}
