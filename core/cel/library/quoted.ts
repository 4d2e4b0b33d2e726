/** Quoted text in error messages. */
import { isPair } from '../values/maps.ts'

/** Maximum code units of a text that a message quotes in full. */
const maxLength = 1024

/** A text in double quotes, with escapes; a long one is cut, and ends with an ellipsis. */
export function quoted(text: string): string {
  if (text.length <= maxLength) return JSON.stringify(text)
  return JSON.stringify(`${text.slice(0, isPair(text, maxLength - 1) ? maxLength - 1 : maxLength)}…`)
}
