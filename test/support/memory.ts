/** Peak memory of work in tests. */
import { readFileSync } from 'node:fs'
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Resident memory of a process in MiB. */
export const residentMiB = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

/** Bytes of heap and external memory in use. */
function used(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const fullCollection = 'MarkSweepCompact'

interface Use {
  /** Maximum of bytes in use: after each garbage collection during the work, and at its end, including its result. */
  readonly most: number
  /** Whether a full collection happened meanwhile. */
  readonly full: boolean
}

async function useOf(work: () => unknown, collections: 'usual' | 'full'): Promise<Use> {
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
    .filter(({ gcType }) => !full || gcType === fullCollection)
    .map(({ afterGC: { heapStatistics } }) => heapStatistics.usedHeapSize + heapStatistics.externalMemory)
  return {
    most: result === left ? 0 : Math.max(after, ...left),
    full: statistics.some(({ gcType }) => gcType === fullCollection),
  }
}

/**
 * Live bytes at the peak of the work, above those before it, including its result. Makes every garbage collection a full
 * one and measures after each, so that neither garbage nor other processes count. Objects that live for less than one
 * filling of the young generation (16 MiB) may be missed. Full collections are slow: a peak up to `enough` bytes, as
 * left by ordinary collections, is returned without them; it is an upper bound.
 */
export async function peakMemory(work: () => unknown, enough = 0): Promise<number> {
  if (enough > 0) {
    collect({ type: 'minor' })
    const before = used()
    const { most, full } = await useOf(work, 'usual')
    // A full collection takes garbage of before away too, so that less seems to be added.
    if (!full && most - before <= enough) return most - before
  }
  collect()
  const before = used()
  const bound = enough > 0 ? (await useOf(work, 'usual')).most - before : Number.POSITIVE_INFINITY
  return bound <= enough ? bound : (await useOf(work, 'full')).most - before
}
