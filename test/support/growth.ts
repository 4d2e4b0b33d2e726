/** Checks the cost of work against the size of its input: time and memory per MiB, and the growth of time. */
import { calmer, processorTime, slowness } from './cost.ts'
import { peakMemory } from './memory.ts'
import { soak } from './soak.ts'

const mebibyte = 1024 * 1024

/** Limits per MiB of input. */
export interface Limits {
  /** Milliseconds of processor time on an idle machine. Default 250. */
  readonly time?: number
  /** MiB of live memory at the peak. Default 64. */
  readonly memory?: number
}
const defaultLimits = { time: 250, memory: 64 }
/** Allowance independent of size: milliseconds, and MiB, most of which is the young generation. */
const fixed = { time: 20, memory: 16 }

/**
 * Everything runs with an input of `bytes`; work below `harmless` milliseconds is not examined further. Quadratic work
 * that takes this long would take 4 s for one MiB (0.6 s in soak runs).
 */
const first = soak ? { bytes: mebibyte / 4, harmless: 40 } : { bytes: mebibyte / 16, harmless: 16 }
/** Limit for the factor of time when the input grows fourfold: 4 if linear, 16 if quadratic. */
const maxGrowth = 8
/** The same for small inputs, where constant parts matter. */
const suspiciousGrowth = 6
const rounds = 3
const maxLooks = 3

/**
 * Memory is measured with an input of `bytes`, for the slowest of every `oneIn` works, unless it takes less than `quick` milliseconds. In the
 * long run these are about the shapes of one schema node.
 */
const memory = soak ? { bytes: mebibyte, oneIn: 6, quick: 12 } : { bytes: mebibyte / 4, oneIn: 120, quick: 3 }

/** A prepared input. */
export interface Prepared {
  /** Size of the input. */
  readonly bytes: number
  readonly work: () => unknown
}
/** Prepares an input of about this size in bytes. */
export type Prepare = (bytes: number) => Prepared | Promise<Prepared>

/** Prepares work on a text. */
export const ofText = (text: string, work: (text: string) => unknown): Prepared => ({ bytes: text.length, work: () => work(text) })

/** Minimum of several runs, in milliseconds; garbage collection and other processes disturb single ones. */
async function best({ work }: Prepared, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds && least > enough; i++) least = Math.min(least, (await processorTime(work)).milliseconds)
  return least
}

let known = { until: 0, factor: 1 }
/** A value at most some seconds old. */
async function recentSlowness(): Promise<number> {
  if (performance.now() > known.until) known = { factor: await slowness(), until: performance.now() + 5_000 }
  return known.factor
}

const shown = ({ bytes }: Prepared, milliseconds: number) => `${(bytes / mebibyte).toFixed(2)} MiB ${Math.round(milliseconds)} ms`

/** The fault found by one measurement; `least`: time for an input of the first size. */
async function timeFault(prepare: Prepare, small: Prepared, least: number, limit: number): Promise<string | undefined> {
  const mayTake = ({ bytes }: Prepared, factor: number) => (fixed.time + (limit * bytes) / mebibyte) * factor
  // The only check for work that refuses larger inputs. Tolerant, as small inputs can't be measured well.
  const factorNow = await recentSlowness()
  if (least > 4 * mayTake(small, factorNow)) return `slow: ${shown(small, least)} (machine: ${factorNow.toFixed(1)})`
  const middle = soak ? small : await prepare(first.bytes * 4)
  if (!soak) {
    const enough = Math.min(least * suspiciousGrowth, mayTake(middle, await recentSlowness()) * 0.6)
    if ((await best(middle, enough)) <= enough) return undefined
  }
  const large = await prepare(mebibyte)
  const factor = await slowness()
  const most = mayTake(large, factor)
  const whole = await best(large, most / 3)
  const quarter = await best(middle, most / 3)
  // Work that refuses the large input may be slow on a smaller one.
  if (quarter > most) return `slow: ${shown(middle, quarter)} (machine: ${factor.toFixed(1)})`
  if (whole <= most / 3) return undefined
  const told = `${shown(middle, quarter)}, ${shown(large, whole)} (machine: ${factor.toFixed(1)})`
  if (whole > maxGrowth * quarter) return `grows: ${told}`
  return whole > most ? `slow: ${told}` : undefined
}

/**
 * The fault of the memory used; undefined if there is none. It must show in every measurement: code is compiled and tables are made when the first
 * needs them, and what earlier works left may be released late.
 */
async function memoryFault(prepare: Prepare, limit = defaultLimits.memory): Promise<string | undefined> {
  let least = Number.POSITIVE_INFINITY
  let size = 0
  for (let looks = 0; looks < maxLooks; looks++) {
    const { bytes, work } = await prepare(memory.bytes)
    const most = fixed.memory + (limit * Math.max(bytes, memory.bytes)) / mebibyte
    least = Math.min(least, (await peakMemory(work, most * mebibyte)) / mebibyte)
    if (least <= most) return undefined
    size = bytes / mebibyte
  }
  return `fills: ${size.toFixed(2)} MiB ${least.toFixed(1)} MiB`
}

/**
 * The fault of the time used, absent if there is none, and the least time measured, in milliseconds. A fault must show in every measurement, because other
 * processes disturb single ones.
 */
async function judge(prepare: Prepare, limit: number): Promise<{ least: number; fault?: string | undefined }> {
  let fault: string | undefined
  let least = 0
  for (let looks = 0; looks < maxLooks; looks++) {
    if (looks > 0) await calmer()
    const small = await prepare(first.bytes)
    least = (await processorTime(small.work)).milliseconds
    // Most end here, without a look at what the machine's other tenants do.
    if (least <= first.harmless) return { least }
    const factor = await recentSlowness()
    const harmless = first.harmless * factor
    if (least > harmless) least = Math.min(least, await best(small, harmless))
    fault = least > harmless ? await timeFault(prepare, small, least, limit) : undefined
    least /= factor
    if (fault === undefined) break
  }
  return { least, fault }
}

interface Named {
  readonly name: string
  readonly prepare: Prepare
}

/** Faults of named works; an exception is one. */
export async function faultsOf(works: Iterable<readonly [name: string, prepare: Prepare]>, limits: Limits = {}): Promise<string[]> {
  const { time, memory: mebibytes } = { ...defaultLimits, ...limits }
  const faults: string[] = []
  const look = async (name: string, find: () => Promise<string | undefined>) => {
    try {
      const fault = await find()
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    } catch (error) {
      faults.push(`${name}: ${(error as Error).stack}`)
    }
  }
  let slowest: (Named & { readonly least: number }) | undefined
  let count = 0
  const lookAtMemory = async () => {
    const chosen = slowest
    slowest = undefined
    if (chosen && chosen.least > memory.quick) await look(chosen.name, () => memoryFault(chosen.prepare, mebibytes))
  }
  for (const [name, prepare] of works) {
    await look(name, async () => {
      const { least, fault } = await judge(prepare, time)
      if (least > (slowest?.least ?? 0)) slowest = { name, prepare, least }
      return fault
    })
    if (++count % memory.oneIn === 0) await lookAtMemory()
  }
  await lookAtMemory()
  return faults
}
