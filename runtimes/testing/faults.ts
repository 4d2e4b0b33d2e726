/** Faults of a server: what a test wants to go wrong, and when. */

import {
  ApiError,
  expired,
  internalError,
  modified,
  notFound,
  type Reason,
  reasonCodes,
  serviceUnavailable,
  timeout,
  tooManyRequests,
} from '../../core/answers/status.ts'
import { milliseconds, type OptionType, oneOf, type RowsOf, shape, within } from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import { randomNumbers } from './random.ts'
import { type RequestFacts, type Selection, selectionRows, selects } from './selection.ts'

/**
 * What happens to a request:
 *
 *     409, 429, 500 …   refused with this status (400 to 599)
 *     'lose'            the connection breaks before the server sees the request
 *     'break'           the server does it, and the connection breaks before the answer
 *     'stop'            as 'break'; from then on the user's other requests are lost and its watches break, until the fault is removed
 *     'stale'           a get or list has the state of the time when the fault was added, as from a cache that lags
 *     { latency: 50 }   it reaches the server this many milliseconds later
 *     { late: 50 }      the server does it, and answers this many milliseconds later
 *
 * and to an event of a watch, which is not reordered:
 *
 *     'drop'            the watch breaks instead
 *     { hold: 50 }      it is held back with all later ones for this many milliseconds; then they are delivered at once
 *
 * Milliseconds are those of the server's clock.
 */
export type Then =
  | number
  | 'lose'
  | 'break'
  | 'stop'
  | 'stale'
  | 'drop'
  | { readonly latency: number }
  | { readonly late: number }
  | { readonly hold: number }

export interface Fault extends Selection {
  /**
   * What happens to a request: a status, such as 409, or `'lose'`, `'break'`, `'stop'`, `'stale'`, `{ latency }`, `{ late }`;
   * to an event of a watch: `'drop'`, `{ hold }`.
   */
  readonly then: Then
  /** Requests, or events of a watch, that are let through first; default 0. */
  readonly after?: number
  /** Requests or events that it happens to; default: all. */
  readonly times?: number
  /** Share of the requests or events that it happens to, from 0 to 1; default 1. Which ones depends on `seed`. */
  readonly share?: number
  /** Default 1. The same seed selects the same ones in the order in which they arrive. */
  readonly seed?: number
}

/** A fault that was added. */
export interface AddedFault {
  /** Times that it has happened. */
  readonly hits: number
  /** Requests and events from now on are not touched. */
  remove(): void
}

const words = oneOf(['lose', 'break', 'stop', 'stale', 'drop'])
const times = shape({ latency: milliseconds(), late: milliseconds(), hold: milliseconds() })
const status = within({ min: 400, max: 599 })
const thenType: OptionType = (value, platform) =>
  (typeof value === 'number' ? status : typeof value === 'string' ? words : times)(value as never, platform)
const count = within({ min: 0, max: Number.MAX_SAFE_INTEGER })
const share: OptionType = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? [] : [{ at: '', message: 'must be a number from 0 to 1' }]
const faultRows = { ...selectionRows, then: thenType, after: count, times: count, share, seed: count } satisfies RowsOf<Fault>

/** What is delivered as events, not as answers. */
const isOfEvents = (then: Then) => then === 'drop' || (typeof then === 'object' && 'hold' in then)

class Active implements AddedFault {
  readonly fault: Fault
  /** Revision of the server when it was added. */
  readonly revision: number
  hits = 0
  /** The user that it has stopped. */
  stopped: string | undefined
  readonly #random: () => number
  readonly #remove: (fault: Active) => void
  #seen = 0

  constructor(fault: Fault, revision: number, remove: (fault: Active) => void) {
    this.fault = fault
    this.revision = revision
    this.#random = randomNumbers(fault.seed ?? 1).next
    this.#remove = remove
  }

  /** Whether it happens to this request, or event, which counts. */
  happens(asked: RequestFacts): boolean {
    const { after = 0, times = Number.POSITIVE_INFINITY, share = 1 } = this.fault
    if (!selects(this.fault, asked)) return false
    if (this.#seen++ < after || this.hits >= times) return false
    // Always, so that the sequence depends on nothing else.
    if (this.#random() >= share) return false
    this.hits++
    return true
  }

  remove(): void {
    this.#remove(this)
  }
}

/** What happens to one request. */
export interface Verdict {
  readonly then: Then
  /** Revision of a stale read. */
  readonly revision: number
}

export class Faults {
  #active: readonly Active[] = []
  readonly #revision: () => number
  readonly #stopped: ((user: string) => void)[]

  /** `revision`: the server's current one; `stopped`: is told users whose connections break. */
  constructor(revision: () => number, stopped: (user: string) => void) {
    this.#revision = revision
    this.#stopped = [stopped]
  }

  /** Adds a fault. Throws an OptionError when it is invalid. Watches that are open already are not touched by faults of events. */
  add(fault: Fault): AddedFault {
    validateOptions('faults.add', faultRows, fault, { required: ['then'] })
    const added = new Active(fault, this.#revision(), (each) => {
      this.#active = this.#active.filter((other) => other !== each)
    })
    this.#active = [...this.#active, added]
    return added
  }

  /** Removes all faults. */
  clear(): void {
    this.#active = []
  }

  /** What happens to a request: the faults count it in the order in which they were added, until one of them happens. */
  static ofRequest(faults: Faults, asked: RequestFacts): Verdict | undefined {
    if (Faults.isStopped(faults, asked)) return { then: 'lose', revision: 0 }
    for (const active of faults.#active) {
      const { then } = active.fault
      if (isOfEvents(then) || !active.happens(asked)) continue
      if (then === 'stop') active.stopped = asked.user
      return { then, revision: active.revision }
    }
    return undefined
  }

  /** Whether a fault has stopped the user. */
  static isStopped(faults: Faults, { user }: RequestFacts): boolean {
    return faults.#active.some(({ stopped }) => stopped === user)
  }

  /** As `ofRequest`, of an event of a watch. */
  static ofEvent(faults: Faults, asked: RequestFacts): Then | undefined {
    return faults.#active.find((active) => isOfEvents(active.fault.then) && active.happens(asked))?.fault.then
  }

  /** The request that stops a user has been done. */
  static done(faults: Faults, { user }: RequestFacts): void {
    for (const tell of faults.#stopped) tell(user)
  }

  /** Calls back when a user is stopped. */
  static onStop(faults: Faults, callback: (user: string) => void): void {
    faults.#stopped.push(callback)
  }

  /** Lets a stopped user continue, such as a controller that starts again. */
  static revive(faults: Faults, user: string): void {
    for (const active of faults.#active) if (active.stopped === user) active.stopped = undefined
  }
}

const why = 'a fault of the test'
const reasons = new Map<number, Reason>(Object.entries(reasonCodes).map(([reason, code]) => [code, reason as Reason]))

function errorOf(code: number, { resource, name }: RequestFacts): ApiError {
  const [plural = '', ...group] = resource.split('.')
  const groupResource = { resource: plural, group: group.join('.') }
  if (code === 404) return notFound(groupResource, name)
  if (code === 409) return modified(groupResource, name)
  if (code === 410) return expired(`too old resource version: ${why}`)
  if (code === 429) return tooManyRequests(`Too many requests, please try again later: ${why}`, 1)
  if (code === 500) return internalError(why)
  if (code === 503) return serviceUnavailable(`the server is currently unable to handle the request: ${why}`)
  if (code === 504) return timeout(why)
  return new ApiError(reasons.get(code) ?? 'InternalError', why, undefined, code)
}

/** The response that refuses a request. */
export function refusal(code: number, asked: RequestFacts): Response {
  const { status } = errorOf(code, asked)
  const { retryAfterSeconds } = status.details ?? {}
  return Response.json(status, {
    status: code,
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })
}
