/** Processor time of work in tests, corrected for other load on the machine. */
import { sleep } from './wait.ts'

/** Milliseconds of processor time that this process uses for the work, including garbage collection. */
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

/** Work typical of the server: parsing, sorting, look-ups, printing. */
function typicalWork(): number {
  const object = JSON.parse(sample) as { [key: string]: { number: number; texts: string[] } }
  const seen = new Map<string, number>()
  for (const key of Object.keys(object).sort()) for (const text of object[key]?.texts ?? []) seen.set(text, (seen.get(text) ?? 0) + 1)
  return JSON.stringify(object).length + seen.size
}

/** Milliseconds for typicalWork on the reference machine of all limits (2 cores at 2.5 GHz, Node 20) when idle. */
const quiet = 8

/**
 * How many times slower than the reference machine this one is at the moment; at least 1. Other processes on the same
 * core cost processor time too, through caches and the second hardware thread.
 */
export async function slowness(): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 5; i++) times.push((await processorTime(typicalWork)).milliseconds)
  return Math.max(1, Math.min(...times) / quiet)
}

/** A machine below this slowness disturbs measurements little, and the milliseconds to wait for that. */
const [calm, longestWait] = [1.6, 60_000]

/**
 * Waits, after a measurement that found a fault, until other processes disturb the next one less: large works lose more to them than `slowness` tells.
 * Gives up after a minute.
 */
export async function calmer(): Promise<void> {
  const end = performance.now() + longestWait
  while (performance.now() < end && (await slowness()) > calm) await sleep(1_000)
}

/**
 * Runs the work and returns its result. Fails if it takes more than `limit` milliseconds of processor time (of an idle
 * machine) three times in a row; a short disturbance by other processes does not count.
 */
export async function assertCheap<T>(what: string, limit: number, work: () => T | Promise<T>): Promise<T> {
  const took: string[] = []
  for (let looks = 0; looks < 3; looks++) {
    if (looks > 0) await calmer()
    const { result, milliseconds } = await processorTime(work)
    const allowed = limit * (milliseconds > limit ? await slowness() : 1)
    if (milliseconds <= allowed) return result
    took.push(`${Math.round(milliseconds)} of ${Math.round(allowed)} ms`)
  }
  throw new Error(`${what} takes too long: ${took.join(', ')}`)
}
