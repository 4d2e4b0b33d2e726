/** What a piece of work takes, told apart from what the machine's other tenants do. */

/** Milliseconds of processor time that this process uses for it, garbage collection included. */
export async function processorTime<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, milliseconds: (user + system) / 1000 }
}

const sample = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: 8_000 }, (_, index) => [`key-${(index * 7919) % 8_000}`, { number: index, texts: [`${index}`] }]),
  ),
)

/** Work of the kind that the server does: parsing, sorting, looking up, printing. */
function typicalWork(): number {
  const object = JSON.parse(sample) as { [key: string]: { number: number; texts: string[] } }
  const seen = new Map<string, number>()
  for (const key of Object.keys(object).sort()) for (const text of object[key]?.texts ?? []) seen.set(text, (seen.get(text) ?? 0) + 1)
  return JSON.stringify(object).length + seen.size
}

/** Milliseconds that typical work takes on the machine that the limits are meant for (2 cores at 2.5 GHz, Node 20) when it is quiet. */
const quiet = 8

/**
 * How many times slower than that machine this one is just now; at least 1. A neighbour on the same core costs processor time too: caches,
 * and the other half of the core.
 */
export async function slowness(): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 5; i++) times.push((await processorTime(typicalWork)).milliseconds)
  return Math.max(1, Math.min(...times) / quiet)
}

/**
 * Does the work and returns its result; fails when it takes more than so many milliseconds of processor time, as a quiet machine has them,
 * three times in a row: what a process next door costs passes.
 */
export async function assertCheap<T>(what: string, limit: number, work: () => T | Promise<T>): Promise<T> {
  const took: string[] = []
  for (let looks = 0; looks < 3; looks++) {
    const { result, milliseconds } = await processorTime(work)
    const allowed = limit * (milliseconds > limit ? await slowness() : 1)
    if (milliseconds <= allowed) return result
    took.push(`${Math.round(milliseconds)} of ${Math.round(allowed)} ms`)
  }
  throw new Error(`${what} takes too long: ${took.join(', ')}`)
}
