/** Coordinated leader election (gate CoordinatedLeaderElection): which of several servers runs it. */
import { type Given, option } from './option.ts'
import { milliseconds, type OptionProblem } from './types.ts'

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

/** Problems of combinations; each option is valid by itself. */
export function leadershipConflicts(given: Given<typeof leadershipOptions>): readonly OptionProblem[] {
  const {
    coordinatedLeaseDuration: lease = 15_000,
    coordinatedRenewDeadline: renew = 10_000,
    coordinatedRetryPeriod: retry = 2_000,
  } = given
  return [
    ...(lease > renew ? [] : [{ at: 'coordinatedLeaseDuration', message: 'must be longer than coordinatedRenewDeadline' }]),
    ...(renew > retry ? [] : [{ at: 'coordinatedRenewDeadline', message: 'must be longer than coordinatedRetryPeriod' }]),
  ]
}
