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

/** Bytes in use, at most: after each collection of garbage that the work causes, and at its end, its result included. */
async function most(work: () => unknown, collections: 'usual' | 'full'): Promise<number> {
  const full = collections === 'full'
  const profiler = new GCProfiler()
  profiler.start()
  if (full) setFlagsFromString('--gc-global')
  let result: unknown
  try {
    result = await work()
  } finally {
    if (full) setFlagsFromString('--no-gc-global')
  }
  collect(full ? undefined : { type: 'minor' })
  const after = used()
  const { statistics } = profiler.stop()
  const left = statistics
    .filter(({ gcType }) => !full || gcType === 'MarkSweepCompact')
    .map(({ afterGC: { heapStatistics } }) => heapStatistics.usedHeapSize + heapStatistics.externalMemory)
  return result === left ? 0 : Math.max(after, ...left)
}

/**
 * Bytes that are live at the peak of the work, above what was before it, its result included. Every collection of garbage is made a full one,
 * and what each leaves is looked at: so garbage does not count, nor does what the machine's other tenants do. What lives for less than one
 * filling of the young generation (16 MiB) may be missed. Full collections take long: up to `enough` bytes, what usual ones leave is told,
 * which is not less.
 */
export async function peakMemory(work: () => unknown, enough = 0): Promise<number> {
  collect()
  const before = used()
  const bound = enough > 0 ? (await most(work, 'usual')) - before : Number.POSITIVE_INFINITY
  return bound <= enough ? bound : (await most(work, 'full')) - before
}
