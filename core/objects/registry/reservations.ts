/**
 * Allocations of objects from a shared pool, such as addresses and ports: made before the object is stored, released when the write fails or
 * the object is deleted. A crash in between leaks allocations but never loses one; the repair loop of `start` releases leaks.
 */
import { StoreError } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { WriteRequest } from './request.ts'

/** Allocations of one write attempt. Neither method rejects: failed releases are repaired later. */
export interface Reservation {
  /** The object was stored: releases what it no longer uses. */
  commit(): Promise<void>
  /** The write failed: releases what was allocated for it. */
  rollback(): Promise<void>
}

/** The part of a write request that reservations need. A dry run selects and validates, but allocates nothing. */
export type ReservingWrite = Pick<WriteRequest, 'context' | 'dryRun'>

export interface Reservations {
  /** Allocates what a new object needs and writes it into the object. Throws an ApiError with nothing left allocated. */
  create(object: ApiObject, write: ReservingWrite): Promise<Reservation>
  /** As `create`, for an update of the main resource; absent values are copied from `old`. */
  update(object: ApiObject, old: ApiObject, write: ReservingWrite): Promise<Reservation>
  /** Releases all allocations of a deleted object. Never rejects. */
  release(old: ApiObject, write: ReservingWrite): Promise<void>
  /** Starts periodic repair; the returned function stops it. */
  start(): Promise<() => void>
}

/** The outcome of the write is unknown. */
const isUnknown = (error: unknown) => error instanceof StoreError && (error.code === 'timeout' || error.code === 'unavailable')

/**
 * Runs a write with its reservation: commits if `written` returns true, otherwise rolls back. If the outcome is unknown, the allocations
 * stay, because the object may be stored; the repair loop releases unused ones.
 */
export async function settle<T>(reservation: Reservation, write: () => Promise<T>, written: (result: T) => boolean): Promise<T> {
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
