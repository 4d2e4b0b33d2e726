/** Position and results of a decoding walk. */
import { DecodeBudget } from './decode-budget.ts'
import { DecodeError, TypeMismatch } from './decode-error.ts'
import { shorten } from './go/shorten.ts'
import { PositionStack } from './json/positions.ts'
import type { Json, JsonObject } from './model.ts'
import { describe } from './scalars.ts'

/** Maximum reported unknown fields: a hostile body could have far more, with long paths. */
const maxUnknown = 100
/** Maximum characters of each step of such a path, and of the whole path. */
const maxStep = 256
const maxPath = 1024

/** A map key, which unlike a field name is not part of type errors. */
export class MapKey {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/** A field of inlined messages: type errors name those before it, other paths don't. */
export class InlinedField {
  readonly name: string
  /** Such as `VolumeSource.hostPath`. */
  readonly goPath: string
  constructor(name: string, goPath: string) {
    this.name = name
    this.goPath = goPath
  }
}

type Step = string | number | MapKey | InlinedField

function nameOf(step: Exclude<Step, number>): string {
  if (typeof step === 'string') return step
  return step instanceof MapKey ? step.key : step.name
}

function goNameOf(step: Step): string[] {
  if (typeof step === 'string') return [step]
  return step instanceof InlinedField ? [step.goPath] : []
}

/**
 * `copy`: copies; `share`: copies but shares canonical parts with the input; `search`: only collects unknown fields, in input order or sorted;
 * `lenient`: copies and drops malformed metadata instead of failing.
 */
export type WalkMode = 'copy' | 'share' | 'search' | 'lenient'

/** Current position. Field names are strings or inlined fields, list indexes numbers. */
export class Walk {
  readonly path: Step[] = []
  /** Positions of fields still to be read, of all enclosing objects. */
  readonly positions = new PositionStack()
  /** Whether the last map read is empty: testing an object with 100,000 members would take a walk over them. */
  isEmptyMap = false
  /** The last field read was an empty list or map, which counts as absent, or the unset time. */
  droppedEmpty = false
  /** The value has empty lists or maps that were given, at any depth. */
  holdsEmpties = false
  readonly unknown: string[] | undefined
  readonly limit: number
  readonly search: boolean
  readonly lenient: boolean
  readonly shares: boolean
  readonly budget: DecodeBudget
  depth = 0
  /** Searches visit members in sorted order. */
  sorted = false
  /** Paths have no keys of maps. */
  omitsKeys = false
  /** Canonical fields of the outermost message. */
  known: JsonObject | undefined
  /** Copies one of them; undefined: it is shared. */
  copied: ((name: string, value: Json) => Json) | undefined
  /** Name of the innermost message. */
  message = ''
  /** Index in `path` from which type errors name fields: metadata of custom resources is decoded separately. */
  origin = 0

  constructor(unknown: string[] | undefined, limit: number, mode: WalkMode = 'copy', budget = new DecodeBudget()) {
    this.unknown = unknown
    this.limit = limit
    this.budget = budget
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

  /** Current position as `spec.parts[0].name`, truncated if very long. */
  fieldPath(): string {
    let text = ''
    for (const segment of this.path) {
      if (text.length > maxPath) break
      if (this.omitsKeys && segment instanceof MapKey) continue
      if (typeof segment === 'number') text += `[${segment}]`
      else text += `${text === '' ? '' : '.'}${shorten(nameOf(segment), maxStep)}`
    }
    return shorten(text, maxPath)
  }

  /** @param decodesItself see TypeMismatch. @param kind see TypeMismatch. */
  mismatch(value: Json, typeName: string, decodesItself = false, kind = typeName): DecodeError {
    const names = this.path.slice(this.origin).flatMap(goNameOf).join('.')
    const target = names === '' ? `value of type ${typeName}` : `struct field ${this.message}.${names} of type ${typeName}`
    return new TypeMismatch(`json: cannot unmarshal ${describe(value, typeName)} into Go ${target}`, value, typeName, decodesItself, kind)
  }
}
