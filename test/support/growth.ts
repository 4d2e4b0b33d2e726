/** Judges what a piece of work costs by the size of its input: how much for each MiB, and how it grows. */
import { processorTime, slowness } from './cost.ts'
import { soak } from './soak.ts'

const mebibyte = 1024 * 1024
/** Milliseconds of processor time for each MiB of input, at most, on a quiet machine. */
export const mostPerMebibyte = 250
/** What a request may cost whatever its size. */
const fixed = 20
/** Bytes of the input that everything is tried with, and milliseconds below which it is not looked at further. */
export const [size, harmless] = soak ? [256 * 1024, 60] : [24 * 1024, 12]
/** Inputs that are judged: n and 4n. Bodies may have 3 MiB. */
const judged = [256 * 1024, mebibyte] as const
/** Four times the input may take so many times as long: 4 when it is linear, 16 when it is quadratic. */
const mostGrowth = 9
const rounds = 3
const mostLooks = 3

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

async function cost({ work }: Prepared): Promise<number> {
  return (await processorTime(work)).milliseconds
}

/** The least of some tries: the others met garbage or neighbours. */
async function best(prepared: Prepared, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds && least > enough; i++) least = Math.min(least, await cost(prepared))
  return least
}

let known = { until: 0, factor: 1 }
/** As it was some seconds ago at most. */
async function recentSlowness(): Promise<number> {
  if (performance.now() > known.until) known = { factor: await slowness(), until: performance.now() + 5_000 }
  return known.factor
}

/** What one look at the work's cost finds wrong. */
async function look(prepare: Prepare, perMebibyte: number): Promise<string | undefined> {
  const enough = harmless * (await recentSlowness())
  if ((await best(await prepare(size), enough)) < enough) return undefined
  const large = await prepare(judged[1])
  const factor = await slowness()
  const limit = (fixed + (perMebibyte * large.bytes) / mebibyte) * factor
  const most = await best(large, limit / 3)
  if (most < limit / 3) return undefined
  const least = await best(await prepare(judged[0]), 0)
  const told = `${Math.round(least)} ms, with ${(large.bytes / mebibyte).toFixed(1)} MiB ${Math.round(most)} ms (machine: ${factor.toFixed(1)})`
  if (most > mostGrowth * least) return `grows: ${told}`
  return most > limit ? `slow: ${told}` : undefined
}

/**
 * What is wrong with the work's cost; undefined: nothing. `perMebibyte`: milliseconds that it may take for each MiB. Neighbours come and go;
 * what is wrong is so whenever it is looked at.
 */
export async function costFault(prepare: Prepare, perMebibyte = mostPerMebibyte): Promise<string | undefined> {
  let fault: string | undefined
  for (let looks = 0; looks < mostLooks; looks++) {
    fault = await look(prepare, perMebibyte)
    if (fault === undefined) return undefined
  }
  return fault
}

/** Faults of named pieces of work; a failure of the work is one. */
export async function faultsOf(works: Iterable<readonly [name: string, prepare: Prepare]>, perMebibyte?: number): Promise<string[]> {
  const faults: string[] = []
  for (const [name, prepare] of works) {
    try {
      const fault = await costFault(prepare, perMebibyte)
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    } catch (error) {
      faults.push(`${name}: ${(error as Error).stack}`)
    }
  }
  return faults
}
