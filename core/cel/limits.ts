/** Maximum sizes of the values that expressions create: larger ones take longer than a time slice to copy. */
import { Cancelled } from './values/errors.ts'

/** Maximum UTF-16 code units of a string, and bytes of a byte sequence: as many as a request may have. */
const maxTextLength = 3 * 1024 * 1024
/** Maximum items of a list. */
const maxListLength = 512 * 1024

/** Ends the evaluation: it would take too much time or memory. */
export const exceeded = (): never => {
  throw new Cancelled('operation cancelled: actual cost limit exceeded')
}

/** Throws a Cancelled if a string of this length would be too long. Call it before the string is created. */
export function boundText(length: number): void {
  if (length > maxTextLength) exceeded()
}

/** Throws a Cancelled if a list of this length would be too long. */
export function boundList(length: number): void {
  if (length > maxListLength) exceeded()
}
