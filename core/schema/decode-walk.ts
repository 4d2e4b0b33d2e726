/** Where a decoding walk is, and what it has found. */
import { DecodeError } from './decode-error.ts'
import type { Json } from './model.ts'
import { PositionStack } from './positions.ts'
import { describe } from './scalars.ts'
import { shorten } from './shorten.ts'

/** So many unknown fields are reported; a hostile body could have far more, and their paths are long. */
const maxUnknown = 100
/** Characters of each step of such a path that are shown, and of the whole. */
const maxStep = 256
const maxPath = 1024

/** A key of a map, which unlike a field's name is not part of type errors. */
export class MapKey {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/**
 * What the walk is for: a copy, a copy that shares what is canonical already, only the unknown fields in the order in which they stand in the
 * input, or a copy that leaves out malformed metadata instead of failing.
 */
export type WalkMode = 'copy' | 'share' | 'search' | 'lenient'

/** Where the walk is. Field names are strings, list indexes numbers. */
export class Walk {
  readonly path: (string | number | MapKey)[] = []
  /** Positions of fields still to be read, of all enclosing objects. */
  readonly positions = new PositionStack()
  /** Whether the map read last is empty: asking an object of 100,000 members takes a walk over them. */
  isEmptyMap = false
  readonly unknown: string[] | undefined
  readonly limit: number
  readonly search: boolean
  readonly lenient: boolean
  readonly shares: boolean
  depth = 0
  /** Name of the innermost message. */
  message = ''
  /** Position in `path` from which type errors name fields: metadata of custom resources is decoded by itself. */
  origin = 0

  constructor(unknown: string[] | undefined, limit: number, mode: WalkMode = 'copy') {
    this.unknown = unknown
    this.limit = limit
    this.search = mode === 'search'
    this.lenient = mode === 'lenient'
    this.shares = mode === 'share'
  }

  enter(): void {
    if (++this.depth > this.limit) throw new DecodeError('exceeded max depth')
  }

  addUnknown(key: string): void {
    if (this.unknown === undefined || this.unknown.length >= maxUnknown) return
    const path = this.fieldPath()
    const name = shorten(key, maxStep)
    this.unknown.push(path === '' ? name : shorten(`${path}.${name}`, maxPath))
  }

  /** Where the walk is, as `spec.parts[0].name`; what is very long is cut. */
  fieldPath(): string {
    let text = ''
    for (const segment of this.path) {
      if (text.length > maxPath) break
      if (typeof segment === 'number') text += `[${segment}]`
      else text += `${text === '' ? '' : '.'}${shorten(typeof segment === 'string' ? segment : segment.key, maxStep)}`
    }
    return shorten(text, maxPath)
  }

  mismatch(value: Json, typeName: string): DecodeError {
    const names = this.path
      .slice(this.origin)
      .filter((segment) => typeof segment === 'string')
      .join('.')
    const target = names === '' ? `value of type ${typeName}` : `struct field ${this.message}.${names} of type ${typeName}`
    return new DecodeError(`json: cannot unmarshal ${describe(value, typeName)} into Go ${target}`)
  }
}
