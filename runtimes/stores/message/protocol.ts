/**
 * What the two ends of a message store send each other, as structured clones. Each message is the list of what one turn of the event loop
 * brought; both directions keep the order.
 */
import { type KeyValueStore, StoreError, type StoreErrorCode, type StoreEvent } from '../../../core/ports.ts'

/** One end of a channel to another thread. Messages arrive in the order in which they were sent, and none before `receive` is called. */
export interface Link {
  /** Sends a structured clone. */
  send(message: unknown): void
  receive(handle: (message: unknown) => void): void
}

/** The calls that are answered once. */
export type Calls = Pick<KeyValueStore, 'get' | 'list' | 'count' | 'size' | 'put' | 'delete' | 'compact' | 'grantLease'>
export type CallName = keyof Calls

export type Request =
  | { readonly call: CallName; readonly id: number; readonly parameters: readonly unknown[] }
  | { readonly watch: number; readonly prefix: string; readonly after: number; readonly withoutPrevious: boolean }
  | { readonly unwatch: number }

/** A StoreError: classes do not survive a structured clone. */
export interface Failure {
  readonly code: StoreErrorCode
  readonly message: string
  readonly revision?: number
}

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly watch: number; readonly events: readonly StoreEvent[] }
  /** The watch has delivered what was written before; from now on its events come as they happen. */
  | { readonly live: number }
  | { readonly ended: number; readonly failure?: Failure }

export interface Answers {
  /** Number of events sent so far, those of this message included; see `EventCounter`. */
  readonly sent: number
  readonly answers: readonly Answer[]
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof StoreError)) return { code: 'unavailable', message: String(error) }
  const { code, message, revision } = error
  return { code, message, ...(revision !== undefined && { revision }) }
}

export const errorOf = ({ code, message, revision }: Failure): StoreError => new StoreError(code, message, revision)
