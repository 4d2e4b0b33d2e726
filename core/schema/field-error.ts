import type { FieldPath } from './field-path.ts'
import { goFloat } from './go/number.ts'
import { quote } from './go/quote.ts'
import { shorten, shortJson, shortList } from './go/shorten.ts'
import { htmlSafe } from './json/html-safe.ts'
import type { Json } from './model.ts'

/** Error types (apimachinery `field.ErrorType`) with their texts. */
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
  /** Text without the field: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string
  /** Rule that an update may keep violating if the stored object does; absent: the error always counts. */
  readonly forgivable?: string
}

const withoutValue = new Set<FieldErrorReason>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
])

/** Maximum errors kept per object; of further ones only their existence is reported. */
const maxErrors = 100
/** Maximum characters of the kept errors of an object. */
const maxText = 48 * 1024
/** Maximum characters of a value, and of a detail, in an error. */
const maxShown = 16 * 1024

/** JSON as Go writes it. */
const json = (value: Json): string => htmlSafe(shortJson(value, maxShown))

/** Formats a value; unset values as `null`, texts of a named Go type as JSON. */
function shownValue(value: Json | undefined, isNamed: boolean): string {
  if (value === undefined) return 'null'
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return goFloat(value)
  return typeof value === 'string' && !isNamed ? quote(shorten(value, maxShown)) : json(value)
}

function body(reason: FieldErrorReason, value: Json | undefined, detail: string, isNamed = false): string {
  const word = words[reason]
  const omitted = withoutValue.has(reason) || (value === undefined && (reason === 'FieldValueTooMany' || reason === 'FieldValueTooFew'))
  const shown = omitted ? word : `${word}: ${shownValue(value, isNamed)}`
  return detail === '' ? shown : `${shown}: ${shorten(detail, maxShown)}`
}

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`

/** Thrown to end a check that can add nothing. */
const tooManyErrors = new Error('no more errors are kept')

/** The forms in which errors of an object show its values. */
export interface Forms {
  /** The value at a path in the form in which errors show it. */
  shown(path: FieldPath, value: Json): Json
  /** Whether the text at a path has a named type in Go. */
  isNamed(path: FieldPath): boolean
}

const asTheyAre: Forms = { shown: (_path, value) => value, isNamed: () => false }

/** A position in a collection of errors. */
export interface Mark {
  readonly kept: number
  readonly size: number
  readonly omitted: number
  readonly count: number
}

/**
 * Collects the errors of one object in order. Number and total size are bounded, because a small body can violate a rule a hundred
 * thousand times: further errors are only counted, and checks may end there (`untilClosed`).
 */
export class FieldErrors {
  #kept: FieldError[] = []
  #size = 0
  /** Number of errors that were not kept and can't be forgiven: such an object is never valid. */
  #omitted = 0
  #count = 0
  #rule: string | undefined
  #ends = false
  readonly #waives: (rule: string) => boolean
  readonly #forms: Forms

  /**
   * @param waives true for rules that don't apply; default: all apply.
   * @param forms the forms in which errors show values; default: as they are.
   */
  constructor(waives: (rule: string) => boolean = () => false, forms: Forms = asTheyAre) {
    this.#waives = waives
    this.#forms = forms
  }

  /** An empty collection with the same rules and forms. */
  another(): FieldErrors {
    return new FieldErrors(this.#waives, this.#forms)
  }

  /** A value in the form in which errors show it. */
  shown(path: FieldPath, value: Json): Json {
    return this.#forms.shown(path, value)
  }

  /** The text of an error without its field. */
  #body(reason: FieldErrorReason, path: FieldPath, value: Json | undefined, detail: string): string {
    if (value === undefined) return body(reason, value, detail)
    return body(reason, this.#forms.shown(path, value), detail, typeof value === 'string' && this.#forms.isNamed(path))
  }

  /** Number of errors found, including those not kept; compare it to see whether a check failed. */
  get count(): number {
    return this.#count
  }

  /** The object is invalid and no more errors are reported: walkers may stop. */
  get closed(): boolean {
    return this.#omitted > 0
  }

  /** Errors for the client; the last one says that some are omitted. */
  get list(): readonly FieldError[] {
    if (this.#omitted === 0) return this.#kept
    const message = `${words.FieldValueTooMany}: only the first errors are shown`
    return [...this.#kept, { reason: 'FieldValueTooMany', field: '<nil>', message }]
  }

  add(reason: FieldErrorReason, path: FieldPath, value: Json | undefined, detail: string): void {
    if (this.#keeps()) this.#keep(reason, path, this.#body(reason, path, value, detail))
  }

  /** As `add`, with the value as it is. */
  addAsIs(reason: FieldErrorReason, path: FieldPath, value: Json, detail: string): void {
    if (this.#keeps()) this.#keep(reason, path, body(reason, value, detail))
  }

  /** Runs a check, which ends at the first error that is neither kept nor forgivable, because later errors would not be reported. */
  untilClosed(check: () => void): void {
    const outer = { ends: this.#ends, rule: this.#rule }
    this.#ends = true
    try {
      check()
    } catch (error) {
      if (error !== tooManyErrors) throw error
    } finally {
      this.#ends = outer.ends
      this.#rule = outer.rule
    }
  }

  #isBelowLimits(): boolean {
    return this.#kept.length < maxErrors && this.#size < maxText
  }

  /** Counts an error; false when it must not be kept. */
  #keeps(): boolean {
    this.#count++
    if (this.#isBelowLimits()) return true
    const rule = this.#rule
    // Forgiveness is decided per rule: keep one error of each.
    if (rule !== undefined) return !this.#kept.some(({ forgivable }) => forgivable === rule)
    this.#omitted++
    if (this.#ends) throw tooManyErrors
    return false
  }

  #keep(reason: FieldErrorReason, path: FieldPath, message: string): void {
    const forgivable = this.#rule
    this.#push({ reason, field: path.toString(), message, ...(forgivable && { forgivable }) })
  }

  #push(error: FieldError): void {
    this.#size += error.field.length + error.message.length
    this.#kept.push(error)
  }

  /**
   * Errors that `check` adds violate a rule newer than some stored objects: an update may keep violating it if the stored
   * object does (validation ratcheting, KEP-4008).
   */
  forgivable(rule: string, check: () => void): void {
    if (this.#waives(rule)) return
    const outer = this.#rule
    this.#rule = rule
    check()
    this.#rule = outer
  }

  /** True when further errors about a forgivable rule are not kept: checks need not look for them. */
  omits(rule: string): boolean {
    return this.#waives(rule) || (!this.#isBelowLimits() && this.#kept.some(({ forgivable }) => forgivable === rule))
  }

  /** Drops errors of rules that `before`, the errors of the stored object, violates too. */
  forgive(before: FieldErrors): void {
    const broken = new Set(before.#kept.flatMap(({ forgivable }) => forgivable ?? []))
    this.drop(({ forgivable }) => forgivable !== undefined && broken.has(forgivable))
  }

  /** Drops selected errors, such as those reported again in other words. */
  drop(test: (error: FieldError) => boolean): void {
    if (this.#kept.length === 0) return
    this.#kept = this.#kept.filter((error) => !test(error))
    this.#size = this.#kept.reduce((size, { field, message }) => size + field.length + message.length, 0)
  }

  /** Indexes of the items of a list that have errors which are kept. */
  itemsBelow(list: FieldPath): ReadonlySet<number> {
    const start = `${list.toString()}[`
    return new Set(this.#kept.flatMap(({ field }) => (field.startsWith(start) ? [Number.parseInt(field.slice(start.length), 10)] : [])))
  }

  /** Moves the errors at and below a path to the end: the reference looks there after all that has been looked at. */
  moveLast(path: FieldPath): void {
    // Of more errors than are kept the order says nothing.
    if (this.#kept.length === 0 || this.closed) return
    const at = path.toString()
    const isMoved = ({ field }: FieldError) => field === at || field.startsWith(`${at}.`) || field.startsWith(`${at}[`)
    this.#kept = [...this.#kept.filter((error) => !isMoved(error)), ...this.#kept.filter(isMoved)]
  }

  /** Sorts the kept errors by text. */
  sort(): void {
    const textOf = ({ field, message }: FieldError) => `${field}: ${message}`
    this.#kept.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  }

  /** Adds the errors of another collection, mapped by `as`. */
  include(others: FieldErrors, as: (error: FieldError) => FieldError = (error) => error): void {
    for (const error of others.#kept) {
      const outer = this.#rule
      this.#rule = error.forgivable ?? outer
      if (this.#keeps()) this.#push(as(error))
      this.#rule = outer
    }
    this.#omitted += others.#omitted
    this.#count += others.#omitted
  }

  /** A position for `rewind`. */
  mark(): Mark {
    return { kept: this.#kept.length, size: this.#size, omitted: this.#omitted, count: this.#count }
  }

  /** Drops errors added since the mark. */
  rewind({ kept, size, omitted, count }: Mark): void {
    this.#kept.length = kept
    this.#size = size
    this.#omitted = omitted
    this.#count = count
  }

  required(path: FieldPath, detail = ''): void {
    this.add('FieldValueRequired', path, undefined, detail)
  }

  invalid(path: FieldPath, value: Json | undefined, detail: string): void {
    this.add('FieldValueInvalid', path, value, detail)
  }

  /** An invalid value that is too long or too confidential to show. */
  invalidUnshown(path: FieldPath, detail: string): void {
    if (this.#keeps()) this.#keep('FieldValueInvalid', path, `${words.FieldValueInvalid}: ${shorten(detail, maxShown)}`)
  }

  /** A duplicate value that is too long to show. */
  duplicateUnshown(path: FieldPath): void {
    if (this.#keeps()) this.#keep('FieldValueDuplicate', path, words.FieldValueDuplicate)
  }

  typeInvalid(path: FieldPath, value: Json | undefined, detail: string): void {
    this.add('FieldValueTypeInvalid', path, value, detail)
  }

  /** `supported values: "A", "B"` */
  notSupported(path: FieldPath, value: Json | undefined, supported: readonly string[]): void {
    if (!this.#keeps()) return
    const detail = supported.length === 0 ? '' : `supported values: ${shortList(supported, maxShown, quote)}`
    this.#keep('FieldValueNotSupported', path, this.#body('FieldValueNotSupported', path, value, detail))
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
