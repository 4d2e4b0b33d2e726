/** Evaluates programs with a pause wherever one is possible, and measures the parts in between. */
import type { Evaluation, Program } from '../../core/cel/program.ts'
import type { Bindings } from '../../core/cel/run/frame.ts'
import { Pending } from '../../core/cel/values/errors.ts'

export interface Probe {
  readonly evaluation: Evaluation
  /** Milliseconds of processor time of the longest part that could not be interrupted. */
  readonly longest: number
  /** Milliseconds of processor time of all parts. */
  readonly total: number
}

/** Slices that are always over. */
const hasty = { over: true, resumed() {}, next: async () => {} }

interface Once {
  readonly evaluation: Evaluation
  /** Milliseconds of processor time of each part. */
  readonly parts: readonly number[]
}

function once(program: Program, bindings: Bindings, costLimit: number | undefined): Once {
  const running = program.start(bindings, { slices: hasty, ...(costLimit !== undefined && { costLimit }) })
  const parts: number[] = []
  for (;;) {
    const before = process.cpuUsage()
    let evaluation: Evaluation | undefined
    try {
      evaluation = running.finish()
    } catch (error) {
      if (!(error instanceof Pending)) throw error
    }
    const { user, system } = process.cpuUsage(before)
    parts.push((user + system) / 1000)
    if (evaluation) return { evaluation, parts }
  }
}

/**
 * Measures up to `times` times, because other work on the machine disturbs single measurements; stops when `enough` says so. The parts are the same
 * each time, so each counts with its least time: a virtual machine that is paused now and then would disturb one part of every long evaluation.
 */
export function probe(program: Program, bindings: Bindings, enough: (probe: Probe) => boolean, costLimit?: number, times = 6): Probe {
  let { evaluation, parts } = once(program, bindings, costLimit)
  const measured = (): Probe => ({
    evaluation,
    longest: parts.reduce((longest, each) => Math.max(longest, each), 0),
    total: parts.reduce((sum, each) => sum + each, 0),
  })
  for (let time = 1; time < times && !enough(measured()); time++) {
    const again = once(program, bindings, costLimit)
    evaluation = again.evaluation
    const known = parts
    // What an evaluation keeps for the next one, such as the size of an object, may spare a part.
    parts = again.parts.length === known.length ? again.parts.map((each, index) => Math.min(each, known[index] ?? each)) : again.parts
  }
  return measured()
}
