import type { FieldErrors } from '../schema/field-error.ts'
import type { DoPart } from '../schema/model.ts'

/** Runs a part of a validation. A time slice may end before it, and its result is kept when what was before it is repeated (cel/replay.ts). */
export type InPart = <T>(work: () => T) => T

export const atOnce: InPart = (work) => work()

/** Without `part` nothing is interrupted. */
export const partsOf = (part: DoPart | undefined): InPart => (part ? (work) => part(() => ({ finish: work })) : atOnce)

/** Adds the errors that `work` finds in a part. */
export function validateInPart(errors: FieldErrors, inPart: InPart, work: (found: FieldErrors) => void): void {
  const found = inPart(() => {
    const own = errors.another()
    work(own)
    // Without errors a part keeps nothing: there may be many.
    return own.count > 0 ? own : undefined
  })
  if (found) errors.include(found)
}
