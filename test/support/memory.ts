/** What a piece of work holds in memory. */
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that are in use. */
function used(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Bytes that are live at the peak of the work, above what was before it, its result included. Every collection of garbage is made a full one,
 * and what each leaves is looked at: so garbage does not count, nor does what the machine's other tenants do. What lives for less than one
 * filling of the young generation (16 MiB) may be missed.
 */
export async function peakMemory(work: () => unknown): Promise<number> {
  collect()
  const before = used()
  const profiler = new GCProfiler()
  profiler.start()
  setFlagsFromString('--gc-global')
  let result: unknown
  try {
    result = await work()
  } finally {
    setFlagsFromString('--no-gc-global')
  }
  collect()
  const after = used()
  const { statistics } = profiler.stop()
  const live = statistics
    .filter(({ gcType }) => gcType === 'MarkSweepCompact')
    .map(({ afterGC: { heapStatistics } }) => heapStatistics.usedHeapSize + heapStatistics.externalMemory)
  return result === live ? 0 : Math.max(after, ...live) - before
}
