/** Evaluates programs with a pause wherever one is possible, and measures the parts in between. */
import type { Evaluation, Program } from '../../../core/cel/program.ts'
import type { Bindings } from '../../../core/cel/run/frame.ts'
import { Pending } from '../../../core/cel/values/errors.ts'

export interface Probe {
  readonly evaluation: Evaluation
  /** Milliseconds of processor time of the longest part that could not be interrupted. */
  readonly longest: number
  /** Milliseconds of processor time of all parts. */
  readonly total: number
}

/** Slices that are always over. */
const hasty = { over: true, resumed() {}, next: async () => {} }

function once(program: Program, bindings: Bindings, costLimit: number | undefined): Probe {
  const running = program.start(bindings, { slices: hasty, ...(costLimit !== undefined && { costLimit }) })
  let [longest, total] = [0, 0]
  for (;;) {
    const before = process.cpuUsage()
    let evaluation: Evaluation | undefined
    try {
      evaluation = running.finish()
    } catch (error) {
      if (!(error instanceof Pending)) throw error
    }
    const { user, system } = process.cpuUsage(before)
    const took = (user + system) / 1000
    longest = Math.max(longest, took)
    total += took
    if (evaluation) return { evaluation, longest, total }
  }
}

/** Measures up to `times` times and takes the least, because other work on the machine disturbs single measurements; stops when `enough` says so. */
export function probe(program: Program, bindings: Bindings, enough: (probe: Probe) => boolean, costLimit?: number, times = 6): Probe {
  let best = once(program, bindings, costLimit)
  for (let time = 1; time < times && !enough(best); time++) {
    const { evaluation, longest, total } = once(program, bindings, costLimit)
    best = { evaluation, longest: Math.min(longest, best.longest), total: Math.min(total, best.total) }
  }
  return best
}
