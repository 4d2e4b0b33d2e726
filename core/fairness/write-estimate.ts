/** Work of writes: the watchers that they wake (apiserver/pkg/util/flowcontrol/request/mutating_work_estimator.go). */
import { type Estimate, estimate, oneSeat } from './estimate.ts'
import { millisecondsOf, workOf } from './work.ts'

const watchesPerSeat = 10
/** Milliseconds of a seat for so many watches. */
const eventDuration = 5
const maxWriteSeats = 10

/** `maxSeats`: the level's own maximum of seats, 0: none. */
export function writeEstimate(watches: number, maxSeats: number): Estimate {
  if (watches < watchesPerSeat) return oneSeat
  const seats = Math.ceil(watches / watchesPerSeat)
  const final = Math.min(seats, maxSeats === 0 ? maxWriteSeats : Math.min(maxSeats, maxWriteSeats))
  return estimate(1, final, millisecondsOf(workOf(seats, eventDuration), final))
}
