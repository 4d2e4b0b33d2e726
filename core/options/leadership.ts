/** Coordinated leader election (gate CoordinatedLeaderElection): which of several servers runs it. */
import { type Conflicts, option } from './option.ts'
import { milliseconds } from './types.ts'

export const leadershipOptions = {
  coordinatedLeaseDuration: option(milliseconds({ min: 1 }), {
    default: 15_000,
    description: 'Time after the last renewal when another server may take over coordinated leader election.',
  }),
  coordinatedRenewDeadline: option(milliseconds({ min: 1 }), {
    default: 10_000,
    description: 'Time without a renewal after which the server that runs coordinated leader election gives up.',
  }),
  coordinatedRetryPeriod: option(milliseconds({ min: 1 }), {
    default: 2_000,
    description: 'Time between tries to run coordinated leader election, and between renewals.',
  }),
}

/** Each of them is longer than the next. */
const descending = ['coordinatedLeaseDuration', 'coordinatedRenewDeadline', 'coordinatedRetryPeriod'] as const

export const leadershipConflicts: Conflicts<typeof leadershipOptions> = (options, named) =>
  descending.slice(1).flatMap((shorter, index) => {
    const at = descending[index]!
    return options[at] > options[shorter] ? [] : [{ at, message: `must be longer than ${named(shorter)}` }]
  })
