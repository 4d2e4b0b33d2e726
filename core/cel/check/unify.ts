/** Assignability of types, and substitution of type parameters. */
import { type CelType, dynType, isOptional, listType, mapType, opaqueType, parameterType, sameType, typeOfType } from '../types.ts'

const isDyn = (type: CelType) => type.kind === 'dyn'
export const isDynOrError = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error'

/** Kinds to which null is assignable. */
const nullable = new Set(['null', 'dyn', 'opaque', 'object', 'duration', 'timestamp'])

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'parameter') return true
  if (isDyn(b) || b.kind === 'parameter' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.kind === 'opaque' && (a.name !== b.name || a.parameters.length !== b.parameters.length)) return false
  if (a.kind !== 'opaque' && a.kind !== 'list' && a.kind !== 'map') return sameType(a, b)
  return a.parameters.every((each, index) => isEqualOrLessSpecific(each, b.parameters[index] as CelType))
}

/** The more general of two types, one of which is assignable to the other. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (isEqualOrLessSpecific(a, b) ? a : b)

/** Bindings of type parameters. Failed attempts are rolled back. */
export class Substitutions {
  readonly #bound = new Map<string, CelType>()
  #trail: (readonly [name: string, before: CelType | undefined])[] = []
  #fresh = 0

  /** A fresh type parameter. */
  fresh(): CelType {
    return parameterType(`_var${this.#fresh++}`)
  }

  #bind(parameter: CelType, type: CelType): void {
    this.#trail.push([parameter.name, this.#bound.get(parameter.name)])
    this.#bound.set(parameter.name, type)
  }

  /** Whether values of types `given` are assignable to `wanted`, pairwise. */
  areAssignable(wanted: readonly CelType[], given: readonly CelType[]): boolean {
    this.#trail = []
    if (this.#allAssignable(wanted, given)) return true
    for (const [name, before] of this.#trail.reverse()) {
      if (before) this.#bound.set(name, before)
      else this.#bound.delete(name)
    }
    return false
  }

  isAssignable(wanted: CelType, given: CelType): boolean {
    return this.areAssignable([wanted], [given])
  }

  #allAssignable(a: readonly CelType[], b: readonly CelType[]): boolean {
    return a.length === b.length && a.every((each, index) => this.#assignable(each, b[index] as CelType))
  }

  #assignable(a: CelType, b: CelType): boolean {
    if (b.kind === 'parameter') {
      const { valid, bound } = this.#substitutes(a, b)
      if (valid) return true
      if (bound) return false
    }
    if (a.kind === 'parameter') return this.#substitutes(b, a).valid
    if (isDynOrError(a) || isDynOrError(b)) return true
    if (a.kind === 'null') return nullable.has(b.kind)
    if (b.kind === 'null') return nullable.has(a.kind)
    switch (a.kind) {
      case 'type':
        return b.kind === 'type'
      case 'opaque':
      case 'list':
      case 'map':
        return a.kind === b.kind && a.name === b.name && this.#allAssignable(a.parameters, b.parameters)
      default:
        return sameType(a, b)
    }
  }

  /** Whether a parameter can be bound to a type, and whether it is bound already. */
  #substitutes(type: CelType, parameter: CelType): { readonly valid: boolean; readonly bound: boolean } {
    if (sameType(type, parameter)) return { valid: true, bound: true }
    const bound = this.#bound.get(parameter.name)
    if (bound) {
      if (sameType(type, bound)) return { valid: true, bound: true }
      if (!this.#assignable(type, bound)) return { valid: false, bound: true }
      const general = mostGeneral(type, bound)
      if (this.#isFree(parameter, general)) this.#bind(parameter, general)
      return { valid: true, bound: true }
    }
    if (!this.#isFree(parameter, type)) return { valid: false, bound: false }
    this.#bind(parameter, type)
    return { valid: true, bound: false }
  }

  /** Occurs check: whether a parameter does not occur in a type. */
  #isFree(parameter: CelType, type: CelType): boolean {
    if (sameType(parameter, type)) return false
    if (type.kind === 'parameter') {
      const bound = this.#bound.get(type.name)
      return !bound || this.#isFree(parameter, bound)
    }
    return type.parameters.every((each) => this.#isFree(parameter, each))
  }

  /** Substitutes bound parameters; with `final`, unbound ones become dyn. */
  resolve(type: CelType, final = false): CelType {
    if (type.kind === 'parameter') {
      const bound = this.#bound.get(type.name)
      if (bound) return this.resolve(bound, final)
      return final ? dynType : type
    }
    return withParameters(type, (each) => this.resolve(each, final))
  }
}

/** Replaces type parameters; returns the same type if none changes. */
export function withParameters(type: CelType, map: (parameter: CelType) => CelType): CelType {
  if (type.parameters.length === 0) return type
  const parameters = type.parameters.map(map)
  if (parameters.every((each, index) => each === type.parameters[index])) return type
  const [first = dynType, second = dynType] = parameters
  switch (type.kind) {
    case 'list':
      return listType(first)
    case 'map':
      return mapType(first, second)
    case 'type':
      return typeOfType(first)
    default:
      return opaqueType(type.name, ...parameters)
  }
}

/** The type inside an optional type, and whether it was optional. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly optional: boolean } {
  return isOptional(type) ? { type: type.parameters[0] ?? dynType, optional: true } : { type, optional: false }
}
