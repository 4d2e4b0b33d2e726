/** Judges what a piece of work costs by the size of its input: time and memory for each MiB, and how the time grows. */
import { processorTime, slowness } from './cost.ts'
import { peakMemory } from './memory.ts'
import { soak } from './soak.ts'

const mebibyte = 1024 * 1024

/** What work may take for each MiB of its input. */
export interface Limits {
  /** Milliseconds of processor time on a quiet machine. Default 250. */
  readonly time?: number
  /** MiB that are live at the peak. Default 64. */
  readonly memory?: number
}
const defaultLimits = { time: 250, memory: 64 }
/** What a request may take whatever its size: milliseconds, and MiB, of which the young generation of the collector is most. */
const fixed = { time: 20, memory: 16 }

/**
 * Everything is tried with an input of `bytes`; what takes less than `harmless` milliseconds is not looked at further. Quadratic work that
 * takes as long as that takes 4 s for a MiB (in the long run 0.6 s).
 */
const first = soak ? { bytes: mebibyte / 4, harmless: 40 } : { bytes: mebibyte / 16, harmless: 16 }
/** Four times the input may take so many times as long: 4 when it is linear, 16 when it is quadratic. */
const mostGrowth = 8
/** The same for inputs so small that what does not grow counts. */
const suspiciousGrowth = 6
const rounds = 3
const mostLooks = 3

/** Memory is looked at with an input of `bytes`, of the slowest in so many works, unless that is too quick to fill any (milliseconds). */
const memory = soak ? { bytes: mebibyte, oneIn: 1, quick: 12 } : { bytes: mebibyte / 4, oneIn: 120, quick: 3 }

/** An input that is ready. */
export interface Prepared {
  /** Its size. */
  readonly bytes: number
  readonly work: () => unknown
}
/** Makes an input of about so many bytes. */
export type Prepare = (bytes: number) => Prepared | Promise<Prepared>

/** What is made of a body. */
export const ofText = (text: string, work: (text: string) => unknown): Prepared => ({ bytes: text.length, work: () => work(text) })

/** The least of some tries, in milliseconds: the others met garbage or neighbours. */
async function best({ work }: Prepared, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds && least > enough; i++) least = Math.min(least, (await processorTime(work)).milliseconds)
  return least
}

let known = { until: 0, factor: 1 }
/** As it was some seconds ago at most. */
async function recentSlowness(): Promise<number> {
  if (performance.now() > known.until) known = { factor: await slowness(), until: performance.now() + 5_000 }
  return known.factor
}

const shown = ({ bytes }: Prepared, milliseconds: number) => `${(bytes / mebibyte).toFixed(2)} MiB ${Math.round(milliseconds)} ms`

/** What one look at the work's time finds wrong; `least` is what an input of the first size takes. */
async function timeFault(prepare: Prepare, small: Prepared, least: number, limit: number): Promise<string | undefined> {
  const mayTake = ({ bytes }: Prepared, factor: number) => (fixed.time + (limit * bytes) / mebibyte) * factor
  // What is refused when it is larger is judged by this alone, and small inputs are not measured well.
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
  // What is refused when it is large may take long when it is not.
  if (quarter > most) return `slow: ${shown(middle, quarter)} (machine: ${factor.toFixed(1)})`
  if (whole <= most / 3) return undefined
  const told = `${shown(middle, quarter)}, ${shown(large, whole)} (machine: ${factor.toFixed(1)})`
  if (whole > mostGrowth * quarter) return `grows: ${told}`
  return whole > most ? `slow: ${told}` : undefined
}

/** What is wrong with the memory that the work takes. */
export async function memoryFault(prepare: Prepare, limit = defaultLimits.memory): Promise<string | undefined> {
  const { bytes, work } = await prepare(memory.bytes)
  const most = fixed.memory + (limit * Math.max(bytes, memory.bytes)) / mebibyte
  const live = (await peakMemory(work, most * mebibyte)) / mebibyte
  return live > most ? `fills: ${(bytes / mebibyte).toFixed(2)} MiB ${live.toFixed(1)} MiB` : undefined
}

/** What is wrong with the work's time; undefined: nothing. Neighbours come and go; what is wrong is so whenever it is looked at. */
export async function costFault(prepare: Prepare, limit = defaultLimits.time): Promise<string | undefined> {
  return (await judge(prepare, limit)).fault
}

async function judge(prepare: Prepare, limit: number): Promise<{ least: number; fault?: string | undefined }> {
  let fault: string | undefined
  let least = 0
  for (let looks = 0; looks < mostLooks; looks++) {
    const factor = await recentSlowness()
    const small = await prepare(first.bytes)
    least = await best(small, first.harmless * factor)
    if (least > first.harmless * factor) fault = await timeFault(prepare, small, least, limit)
    least /= factor
    if (fault === undefined) break
  }
  return { least, fault }
}

interface Named {
  readonly name: string
  readonly prepare: Prepare
}

/** Faults of named pieces of work; a failure of the work is one. */
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
