/** Divides seats among levels (apiserver/pkg/util/flowcontrol/conc_alloc.go, KEP-1040). */
import { greatest, least } from '../common/lists.ts'

/** A level to allocate seats to: `target ≥ lower ≥ 0` and `upper ≥ lower`. */
export interface Claim {
  readonly target: number
  readonly lower: number
  readonly upper: number
}

export interface Allocation {
  /** Seats for each claim, not rounded. */
  readonly seats: readonly number[]
  /** Seats per unit of target where no bound applies. */
  readonly fairShare: number
}

const leastTarget = 0.001
const epsilon = 1e-7

/** The same proportion of each target, within bounds, that adds up to `sum`; undefined when no proportion does. */
export function allocate(sum: number, claims: readonly Claim[]): Allocation | undefined {
  const targets = claims.map(({ target }) => Math.max(target, leastTarget))
  const total = (values: readonly number[]) => values.reduce((first, second) => first + second, 0)
  const lowest = total(claims.map(({ lower }) => lower))
  const highest = total(claims.map(({ upper }) => upper))
  const isValid = claims.every(({ target, lower, upper }) => lower >= 0 && target >= lower && upper >= lower)
  if (sum < 0 || !isValid || lowest - sum > epsilon || sum - highest > epsilon) return undefined
  if (sum === 0) return { seats: claims.map(() => 0), fairShare: 0 }
  const lowers = claims.map(({ lower }, index) => lower / targets[index]!)
  const uppers = claims.map(({ upper }, index) => upper / targets[index]!)
  if (lowest - sum > -epsilon) return { seats: claims.map(({ lower }) => lower), fairShare: least(lowers) }
  if (sum - highest > -epsilon) return { seats: claims.map(({ upper }) => upper), fairShare: greatest(uppers) }
  const unbounded = sum / total(targets)
  const isFree = greatest(lowers) <= unbounded && unbounded <= least(uppers)
  const fairShare = isFree ? unbounded : boundedShare(sum, lowest, targets, lowers, uppers)
  const seats = claims.map(({ lower, upper }, index) => Math.max(lower, Math.min(upper, fairShare * targets[index]!)))
  return { seats, fairShare }
}

/**
 * Raises the proportion from the least bound on. A claim grows with it between its two bounds, so the sum grows by `growing` until the next
 * bound.
 */
function boundedShare(sum: number, lowest: number, targets: readonly number[], lowers: readonly number[], uppers: readonly number[]) {
  const bounds = [
    ...lowers.map((at, index) => ({ at, change: targets[index]! })),
    ...uppers.map((at, index) => ({ at, change: -targets[index]! })),
  ].sort((first, second) => first.at - second.at)
  let reached = lowest
  let share = least(lowers)
  let growing = 0
  for (const { at, change } of bounds) {
    if (at > share) {
      if (growing > epsilon) {
        const needed = share + (sum - reached) / growing
        if (needed <= at) return needed
        reached += (at - share) * growing
      }
      share = at
    }
    growing += change
  }
  return share
}
