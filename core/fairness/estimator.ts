import type { Exchange } from '../request/exchange.ts'
import { type Estimate, estimate, oneSeat } from './estimate.ts'
import { type ListMeasure, listSeats } from './list-estimate.ts'
import type { ObjectCounts } from './object-counts.ts'
import type { Usage } from './usage.ts'
import type { WatchCounts } from './watch-counts.ts'
import { writeEstimate } from './write-estimate.ts'

export interface EstimatorOptions {
  readonly objects: ObjectCounts
  readonly watches: WatchCounts
  readonly measure: ListMeasure
  /** Whether watches can ask for initial events (feature `WatchList`). */
  readonly watchList: boolean
}

/** Estimates the work of a request at a level that allows so many seats (0: any number). `now` in milliseconds. */
export type Estimator = (exchange: Exchange, maxSeats: number, usage: Usage, now: () => number) => Estimate

export function createEstimator({ objects, watches, measure, watchList }: EstimatorOptions): Estimator {
  const list = (exchange: Exchange, maxSeats: number, now: () => number): Estimate => {
    const { group, resource } = exchange.info
    const seats = listSeats(exchange, objects.get(group, resource, now()), maxSeats, measure)
    return seats === 1 ? oneSeat : estimate(seats)
  }
  return (exchange, maxSeats, usage, now) => {
    const { info } = exchange
    switch (info.verb) {
      case 'list':
        return list(exchange, maxSeats, now)
      case 'watch':
        return watchList ? list(exchange, maxSeats, now) : oneSeat
      case 'create':
      case 'update':
      case 'patch':
      case 'delete': {
        // New tokens are no events.
        if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat
        const count = watches.of(info)
        usage.watchCounts.add(count)
        return writeEstimate(count, maxSeats)
      }
      default:
        return oneSeat
    }
  }
}
