/** What a piece of work holds in memory. */
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

/** Bytes that are in use. */
function used(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Bytes in use above what was before the work, at most: after each collection of garbage that it causes, and at its end, its result
 * included. `exact`: every collection is a full one, so that garbage does not count.
 */
async function peak(work: () => unknown, exact: boolean): Promise<number> {
  collect()
  const before = used()
  const profiler = new GCProfiler()
  profiler.start()
  if (exact) setFlagsFromString('--gc-global')
  let result: unknown
  try {
    result = await work()
  } finally {
    if (exact) setFlagsFromString('--no-gc-global')
  }
  collect(exact ? undefined : { type: 'minor' })
  const after = used()
  const { statistics } = profiler.stop()
  const left = statistics
    .filter(({ gcType }) => !exact || gcType === 'MarkSweepCompact')
    .map(({ afterGC: { heapStatistics } }) => heapStatistics.usedHeapSize + heapStatistics.externalMemory)
  return result === left ? 0 : Math.max(after, ...left) - before
}

/**
 * Bytes that are live at the peak of the work, above what was before it, its result included; what the machine's other tenants do does not
 * count. What lives for less than one filling of the young generation (16 MiB) may be missed.
 */
export const peakMemory = (work: () => unknown): Promise<number> => peak(work, true)

/** At least `peakMemory` of the same work, with some of its garbage, in a third of the time. */
export const mostMemory = (work: () => unknown): Promise<number> => peak(work, false)
