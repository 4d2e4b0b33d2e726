/**
 * What objects take from a shared stock, such as addresses and ports: taken before the object is stored, given back when it is not, or
 * when it goes. A crash in between leaves too much taken, never too little; `start` puts that right.
 */
import { StoreError } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { WriteRequest } from './request.ts'

/** What one try of a write has taken. Neither of the two ends rejects: what can't be given back now is found again later. */
export interface Reservation {
  /** The object is stored: gives back what it no longer uses. */
  commit(): Promise<void>
  /** It is not: gives back what was taken for it. */
  rollback(): Promise<void>
}

/** The part of a write request that reservations look at. A dry run chooses and checks, but takes nothing. */
export type ReservingWrite = Pick<WriteRequest, 'context' | 'dryRun'>

export interface Reservations {
  /** Takes what a new object needs and writes it into the object. Throws an ApiError; nothing stays taken then. */
  create(object: ApiObject, write: ReservingWrite): Promise<Reservation>
  /** The same for an update of the main resource; what the client left out is filled in from `old`. */
  update(object: ApiObject, old: ApiObject, write: ReservingWrite): Promise<Reservation>
  /** Gives back everything of an object that is gone. Never rejects. */
  release(old: ApiObject, write: ReservingWrite): Promise<void>
  /** Brings the stock in line with what is stored, and keeps it so until the returned function is called. */
  start(): Promise<() => void>
}

/** The store does not know, or can't say, whether the write happened. */
const isUnknown = (error: unknown) => error instanceof StoreError && (error.code === 'timeout' || error.code === 'unavailable')

/**
 * Tries a write with what was reserved for it: keeps that when `written` says so, and else gives it back. When the outcome is unknown
 * everything stays taken, as the object may be stored: `start` finds what is not used.
 */
export function settle<T>(reservation: Reservation | undefined, write: () => Promise<T>, written: (result: T) => boolean): Promise<T> {
  return reservation === undefined ? write() : settled(reservation, write, written)
}

async function settled<T>(reservation: Reservation, write: () => Promise<T>, written: (result: T) => boolean): Promise<T> {
  let result: T
  try {
    result = await write()
  } catch (error) {
    if (!isUnknown(error)) await reservation.rollback()
    throw error
  }
  await (written(result) ? reservation.commit() : reservation.rollback())
  return result
}
