import { histogram, type Recorded } from '../metrics.ts'

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Rules of schemas: those of a schema are compiled together, and evaluated on an object together. */
export const expressionRows = {
  compilations: histogram('apiserver_cel_compilation_duration_seconds', 'CEL compilation time in seconds.', { stability: 'BETA', buckets }),
  evaluations: histogram('apiserver_cel_evaluation_duration_seconds', 'CEL evaluation time in seconds.', { stability: 'BETA', buckets }),
}

export interface RuleMetrics extends Recorded<typeof expressionRows> {
  /** Milliseconds of the monotonic clock. */
  monotonic(): number
}
