import type { Replay } from '../cel/replay.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { HookContext } from '../schema/model.ts'
import type { Soon } from '../soon.ts'

/** Context of a write, besides the object. */
export interface WriteRequest {
  readonly context: HookContext
  /** Do everything except the final put. */
  readonly dryRun: boolean
  /** Runs validating admission on the final object, in every attempt; for a delete (without object) all of admission. */
  validateAdmission(object: ApiObject | undefined, old: ApiObject | undefined): Soon<void>
  /** Aborts waiting for the writer's turn; absent: no time limit. */
  readonly signal?: AbortSignal
  /** Throws when the request has ended, for example at its deadline; called before storing. Absent: no end. */
  proceed?(): void
  /** Runs validations that `context.part` may interrupt. Absent: no interruptions. */
  readonly replay?: Pick<Replay, 'run'>
  /** Adds a `Warning` header. */
  warn(text: string): void
}
