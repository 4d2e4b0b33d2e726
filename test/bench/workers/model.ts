/**
 * What more cores bring, from measured parts (Amdahl's law with a serial part that grows): the main thread's time for an operation can't be divided,
 * the time of the other threads can, and each further worker adds its own work for every write, because every worker follows every event.
 */
import type { ThreadTimes } from './threads.ts'

/** Microseconds as `base + each × workers`. */
export interface Line {
  readonly base: number
  readonly each: number
}

export interface Cost {
  readonly main: Line
  readonly others: Line
}

/** The line of least squares through points of (workers, microseconds). */
function lineThrough(points: readonly (readonly [workers: number, micros: number])[]): Line {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([workers]) => workers)), mean(points.map(([, micros]) => micros))]
  const spread = points.reduce((sum, [workers]) => sum + (workers - x) ** 2, 0)
  const each = spread === 0 ? 0 : points.reduce((sum, [workers, micros]) => sum + (workers - x) * (micros - y), 0) / spread
  return { base: y - each * x, each }
}

/** The cost of an operation from what it took with several numbers of workers. */
export function costOf(measured: ReadonlyMap<number, ThreadTimes>): Cost {
  const points = [...measured]
  return {
    main: lineThrough(points.map(([workers, { main }]) => [workers, main])),
    others: lineThrough(points.map(([workers, { others }]) => [workers, others])),
  }
}

const at = ({ base, each }: Line, workers: number) => Math.max(0, base + each * workers)

/** Greatest number of operations per second with this many cores, and a worker for each: the main thread is full, or all cores are. */
export function maxRate({ main, others }: Cost, cores: number): number {
  const serial = at(main, cores)
  return 1e6 / Math.max(serial, (serial + at(others, cores)) / cores)
}

/** Cores that these operations per second keep busy with this many workers; `main`: of these, the share of the one that the main thread has. */
export function coresFor(
  load: readonly { readonly cost: Cost; readonly perSecond: number }[],
  workers: number,
): { main: number; all: number } {
  const busy = (part: keyof Cost) => load.reduce((sum, { cost, perSecond }) => sum + (at(cost[part], workers) * perSecond) / 1e6, 0)
  const main = busy('main')
  return { main, all: main + busy('others') }
}
