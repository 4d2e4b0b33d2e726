/** How much a value may cost to decode, store and print beyond its size in bytes. */
import { ExceededBounds } from './decode-error.ts'
import type { Json } from './model.ts'

/** Absent: unbounded. */
export interface DecodeBounds {
  /** Absent messages that are written, because they make large objects of small input. */
  readonly maxFilled?: number
  /**
   * Objects, and entries of maps of scalars. Each costs some microseconds and some hundred bytes from end to end, and a body can have one in two
   * bytes.
   */
  readonly maxParts?: number
}

/**
 * Bounds of what clients and webhooks send, and of the result of a patch. What the reference can store is at most 1.5 MiB long
 * (etcd's limit); such an object has a hundred thousand parts only if they have 15 characters each, with their names and values.
 */
export const requestBounds: DecodeBounds = { maxFilled: 50_000, maxParts: 100_000 }

/** Members from which on an object is a map, of which each entry counts: fields of small objects are cheap. */
const wide = 64

/** What is left of the bounds while one value is decoded. */
export class DecodeBudget {
  readonly #maxFilled: number
  readonly #maxParts: number
  #filled = 0
  #parts = 0
  #free: DecodeBudget | undefined

  constructor({ maxFilled = Number.POSITIVE_INFINITY, maxParts = Number.POSITIVE_INFINITY }: DecodeBounds = {}) {
    this.#maxFilled = maxFilled
    this.#maxParts = maxParts
  }

  /** For values of any form, such as the fields that managers own, which repeat the names of what they are about. */
  get free(): DecodeBudget {
    this.#free ??= new DecodeBudget({ maxParts: this.#maxParts })
    return this.#free
  }

  /** Counts a message that is absent in the input but written. Throws a DecodeError above the limit. */
  countFilled(): void {
    if (++this.#filled > this.#maxFilled) throw new ExceededBounds(`exceeded ${this.#maxFilled} absent parts that are filled in`)
  }

  /** Counts an object without a declared structure, by its scalar members. Throws a DecodeError above the limit. */
  countObject(members: number): void {
    this.countParts(members > wide ? members : 1)
  }

  /** Counts objects or entries of a map. Throws a DecodeError above the limit. */
  countParts(count: number): void {
    this.#parts += count
    if (this.#parts > this.#maxParts) throw new ExceededBounds(`exceeded ${this.#maxParts} objects and entries of maps`)
  }
}

/** Bytes that a member or item counts as, where work is measured in bytes of input. */
const partBytes = 32
/** Members and items that are counted: more make no difference. */
const maxCounted = 4_096

/** Estimates what a value costs, in bytes of input, by the number of its members and items; at most 128 KiB. */
export function roughSize(value: Json): number {
  let count = 0
  const open: Json[] = [value]
  for (let part = open.pop(); part !== undefined && count < maxCounted; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue
    for (const key in part) {
      open.push((part as { readonly [key: string]: Json })[key] ?? null)
      if (++count === maxCounted) break
    }
  }
  return count * partBytes
}

/**
 * Counts the parts of a value whose structure is not known yet, such as a patch.
 * @throws DecodeError when there are more than `requestBounds` allows.
 */
export function checkParts(value: Json): void {
  const budget = new DecodeBudget(requestBounds)
  const count = (part: Json) => {
    if (typeof part !== 'object' || part === null) return
    if (Array.isArray(part)) {
      for (const item of part) count(item)
      return
    }
    const members = Object.values(part)
    budget.countObject(members.filter((member) => typeof member !== 'object').length)
    for (const member of members) count(member)
  }
  count(value)
}
