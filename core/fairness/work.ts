/** Work in seat-seconds, as whole hundred-millionths, so that sums are exact (apiserver/pkg/util/flowcontrol/request/seat_seconds.go). */
export type Work = number

const scale = 1e8
const perMillisecond = scale / 1000

/** The work of a number of seats for a time in milliseconds. */
export const workOf = (seats: number, milliseconds: number): Work => Math.round(seats * milliseconds * perMillisecond)

/** Milliseconds for which so many seats do this work. */
export const millisecondsOf = (work: Work, seats: number): number => work / seats / perMillisecond

export const seatSeconds = (work: Work): number => work / scale

/** As `12.34000000ss`. */
export const workText = (work: Work): string => `${Math.floor(work / scale)}.${String(((work % scale) + scale) % scale).padStart(8, '0')}ss`

/** Progress meters are wound back by this much before they get inexact. */
export const epoch: Work = 2 ** 52
