import type { FieldPath } from './field-path.ts'
import type { Json } from './model.ts'

/** Reasons of a field error (apimachinery `field.ErrorType`) with the words that clients see. */
const words = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  InternalError: 'Internal error',
} as const

export type FieldErrorReason = keyof typeof words

export interface FieldError {
  readonly reason: FieldErrorReason
  /** Path of the field, as text. */
  readonly field: string
  /** All but the field: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string
  /** Rule that an update may go on breaking; absent: the error always counts. */
  readonly forgivable?: string
}

const withoutValue = new Set<FieldErrorReason>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
])

const escapes: Readonly<Record<string, string>> = { '\\u0007': '\\a', '\\u000b': '\\v' }

/** A text in double quotes as Go's %q writes it. */
export function quote(text: string): string {
  const quoted = JSON.stringify(text).replaceAll('\u007f', '\\x7f')
  return quoted.includes('\\u00') ? quoted.replace(/(?<!\\)((?:\\\\)*)\\u00([01][0-9a-f])/g, unicodeEscape) : quoted
}

function unicodeEscape(_: string, before: string, code: string): string {
  return before + (escapes[`\\u00${code}`] ?? `\\x${code}`)
}

const html = /[<>&\u2028\u2029]/g
/** JSON as Go writes it: with `<`, `>` and `&` escaped. */
function json(value: Json): string {
  return JSON.stringify(value).replace(html, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A pointer that is not set reads `"null"`, a list or map that is not set `null`. */
function shownValue(value: Json | undefined): string {
  if (value === undefined) return '"null"'
  return typeof value === 'string' ? quote(value) : json(value)
}

function body(reason: FieldErrorReason, value: Json | undefined, detail: string): string {
  const word = words[reason]
  const omitted = withoutValue.has(reason) || (value === undefined && (reason === 'FieldValueTooMany' || reason === 'FieldValueTooFew'))
  const shown = omitted ? word : `${word}: ${shownValue(value)}`
  return detail === '' ? shown : `${shown}: ${detail}`
}

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`

/** Collects the errors of one object, in the order in which they are found. */
export class FieldErrors {
  readonly list: FieldError[] = []
  #rule: string | undefined

  add(reason: FieldErrorReason, path: FieldPath, value: Json | undefined, detail: string): void {
    const forgivable = this.#rule
    this.list.push({ reason, field: path.toString(), message: body(reason, value, detail), ...(forgivable && { forgivable }) })
  }

  /**
   * Errors that `check` adds break a rule that came later than some stored objects: an update of one that breaks it already may go on
   * doing so (KEP-4008 calls this ratcheting).
   */
  forgivable(rule: string, check: () => void): void {
    const outer = this.#rule
    this.#rule = rule
    check()
    this.#rule = outer
  }

  /** Drops the errors about rules that `before`, the errors of the stored object, has broken too. */
  forgive(before: FieldErrors): void {
    const broken = new Set(before.list.flatMap(({ forgivable }) => forgivable ?? []))
    const kept = this.list.filter(({ forgivable }) => forgivable === undefined || !broken.has(forgivable))
    this.list.splice(0, this.list.length, ...kept)
  }

  required(path: FieldPath, detail = ''): void {
    this.add('FieldValueRequired', path, undefined, detail)
  }

  invalid(path: FieldPath, value: Json | undefined, detail: string): void {
    this.add('FieldValueInvalid', path, value, detail)
  }

  /** An invalid value that is too long, or none of the client's business, to be shown. */
  invalidUnshown(path: FieldPath, detail: string): void {
    this.list.push({ reason: 'FieldValueInvalid', field: path.toString(), message: `${words.FieldValueInvalid}: ${detail}` })
  }

  typeInvalid(path: FieldPath, value: Json | undefined, detail: string): void {
    this.add('FieldValueTypeInvalid', path, value, detail)
  }

  /** `supported values: "A", "B"` */
  notSupported(path: FieldPath, value: Json | undefined, supported: readonly string[]): void {
    const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`
    this.add('FieldValueNotSupported', path, value, detail)
  }

  duplicate(path: FieldPath, value: Json | undefined): void {
    this.add('FieldValueDuplicate', path, value, '')
  }

  notFound(path: FieldPath, value: Json | undefined): void {
    this.add('FieldValueNotFound', path, value, '')
  }

  forbidden(path: FieldPath, detail: string): void {
    this.add('FieldValueForbidden', path, undefined, detail)
  }

  internal(path: FieldPath, detail: string): void {
    this.add('InternalError', path, undefined, detail)
  }

  /** `may not be more than N bytes` */
  tooLong(path: FieldPath, limit: number): void {
    this.add('FieldValueTooLong', path, undefined, `may not be more than ${counted(limit, 'byte')}`)
  }

  /** `must be at least N characters` */
  tooShort(path: FieldPath, limit: number): void {
    this.add('FieldValueTooShort', path, undefined, `must be at least ${counted(limit, 'character')}`)
  }

  /** `must have at most N items` */
  tooMany(path: FieldPath, actual: number | undefined, limit: number): void {
    this.add('FieldValueTooMany', path, actual, `must have at most ${counted(limit, 'item')}`)
  }

  /** `must have at least N items` */
  tooFew(path: FieldPath, actual: number | undefined, limit: number): void {
    this.add('FieldValueTooFew', path, actual, `must have at least ${counted(limit, 'item')}`)
  }
}
