import type { Replay } from '../../cel/replay.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Slices } from '../../common/slices.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { HookContext } from '../../schema/model.ts'
import type { WriteGuard } from '../storage/object-store.ts'
import type { Preconditions } from './preconditions.ts'

/** Context of a write, besides the object. */
export interface WriteRequest extends WriteGuard {
  readonly context: HookContext
  /** Do everything except the final put. */
  readonly dryRun: boolean
  /** Runs validating admission on the final object, in every attempt; for a delete (without object) all of admission. */
  validateAdmission(object: ApiObject | undefined, old: ApiObject | undefined): MaybePromise<void>
  /** Finds errors that are listed with those of validation; absent for resources without such. */
  findErrors?: ((object: ApiObject, old: ApiObject | undefined) => Promise<FieldErrors>) | undefined
  /** What admission relied on, for creates. */
  readonly preconditions?: Preconditions
  /** Runs validations that `context.part` may interrupt. Absent: no interruptions. */
  readonly replay?: Pick<Replay, 'run'>
  /** Time slices, for pauses between the stages of a write. Absent: no interruptions. */
  readonly slices?: Pick<Slices, 'reads' | 'pause'>
  /** Adds a `Warning` header. */
  warn(text: string): void
}

/** A write by the server itself: without admission and warnings. */
export const ownRequest = (context: HookContext): WriteRequest => ({
  context,
  dryRun: false,
  validateAdmission: () => Promise.resolve(),
  warn: () => {},
})
