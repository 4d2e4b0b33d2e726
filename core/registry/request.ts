import type { Replay } from '../cel/replay.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { HookContext } from '../schema/model.ts'

/** What a write needs to know besides the object. */
export interface WriteRequest {
  readonly context: HookContext
  /** Everything happens but the final put. */
  readonly dryRun: boolean
  /** Asks validating admission about the final object, inside every try; for a delete, without an object, all of admission. */
  validateAdmission(object: ApiObject | undefined, old: ApiObject | undefined): Promise<void>
  /** Aborts while the write waits for its turn; absent: it waits as long as it takes. */
  readonly signal?: AbortSignal
  /** Throws when the request has ended, such as at its deadline: asked before anything is stored. Absent: it has no end. */
  proceed?(): void
  /** Does validations that `context.part` interrupts. Absent: there are no interruptions. */
  readonly replay?: Pick<Replay, 'run'>
  /** Collects `Warning` headers. */
  warn(text: string): void
}
