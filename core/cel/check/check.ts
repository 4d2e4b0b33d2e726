/** Type checker: types of a syntax tree as in cel-go's checker, or the errors. */
import type { FunctionDeclaration, Overload } from '../functions.ts'
import type { Call, Expr, Fold, Ident, ListLiteral, MapLiteral, Select, StructLiteral } from '../syntax/ast.ts'
import { qualifiedName } from '../syntax/ast.ts'
import type { Issue } from '../syntax/issues.ts'
import { boolType, type CelType, dynType, errorType, formatType, intType, listType, mapType, optionalType, typeOfType } from '../types.ts'
import { typeOf } from '../values/typing.ts'
import type { Declarations } from './environment.ts'
import { isDynOrError, mostGeneral, Substitutions, unwrapOptional, withParameters } from './unify.ts'

/** Types, overloads and names of a checked expression's nodes. */
export interface Checked {
  readonly tree: Expr
  typeOf(node: Expr): CelType
  /** Candidate overloads of a call. */
  overloadsOf(node: Call): readonly Overload[]
  /** The called function; namespaced functions have no receiver. */
  functionOf(node: Call): FunctionDeclaration | undefined
  /** The variable or type that an identifier or selection names as a whole. */
  nameOf(node: Expr): Named | undefined
}

export type Named = { readonly variable: string; readonly type: CelType } | { readonly value: CelType }

interface Resolved {
  readonly overloads: readonly Overload[]
  readonly function: FunctionDeclaration
}

class Checker implements Checked {
  readonly tree: Expr
  readonly faults: Issue[] = []
  readonly #declarations: Declarations
  readonly #substitutions = new Substitutions()
  readonly #types = new Map<Expr, CelType>()
  readonly #calls = new Map<Expr, Resolved>()
  readonly #names = new Map<Expr, Named>()
  #scopes: Map<string, CelType>[] = []

  constructor(tree: Expr, declarations: Declarations) {
    this.tree = tree
    this.#declarations = declarations
  }

  typeOf(node: Expr): CelType {
    return this.#substitutions.resolve(this.#types.get(node) ?? errorType, true)
  }

  overloadsOf(node: Call): readonly Overload[] {
    return this.#calls.get(node)?.overloads ?? []
  }

  functionOf(node: Call): FunctionDeclaration | undefined {
    return this.#calls.get(node)?.function
  }

  nameOf(node: Expr): Named | undefined {
    return this.#names.get(node)
  }

  #report(at: number, message: string): CelType {
    this.faults.push({ at, message })
    return errorType
  }

  #undeclared(at: number, name: string): CelType {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`)
  }

  #mismatch(at: number, wanted: CelType, found: CelType): CelType {
    return this.#report(at, `expected type '${formatType(wanted)}' but found '${formatType(found)}'`)
  }

  #given(node: Expr): CelType {
    return this.#types.get(node) ?? errorType
  }

  check(node: Expr): CelType {
    const type = this.#typeOfNode(node)
    this.#types.set(node, type)
    return type
  }

  #typeOfNode(node: Expr): CelType {
    switch (node.kind) {
      case 'literal':
        return typeOf(node.value)
      case 'ident':
        return this.#identifier(node)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'fold':
        return this.#fold(node)
    }
  }

  #local(name: string): CelType | undefined {
    for (const scope of this.#scopes) {
      const type = scope.get(name)
      if (type) return type
    }
    return undefined
  }

  /** Resolves a name outside of comprehensions. */
  #global(written: string): Named | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written
    const variable = this.#declarations.variables.get(name)
    if (variable) return { variable: name, type: variable }
    const value = this.#declarations.typeNamed(name)
    return value && { value }
  }

  #identifier(node: Ident): CelType {
    const local = this.#local(node.name)
    if (local) return local
    const named = this.#global(node.name)
    if (!named) return this.#undeclared(node.at, node.name)
    return this.#named(node, named)
  }

  #named(node: Expr, named: Named): CelType {
    this.#names.set(node, named)
    return 'variable' in named ? named.type : typeOfType(named.value)
  }

  #select(node: Select): CelType {
    const name = qualifiedName(node)
    if (name !== undefined && !this.#local(name.slice(0, name.indexOf('.')))) {
      const named = this.#global(name)
      if (named) return this.#named(node, named)
    }
    const type = this.#field(node.at, node.operand, node.field, false)
    return node.test ? boolType : this.#substitutions.resolve(type)
  }

  /** The type of a field; optional if the operand or the selection is optional. */
  #field(at: number, operand: Expr, field: string, optional: boolean): CelType {
    const given = unwrapOptional(this.#substitutions.resolve(this.check(operand)))
    const type = this.#fieldType(at, given.type, field)
    return given.optional || optional ? optionalType(type) : type
  }

  #fieldType(at: number, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.parameters[1] ?? dynType
      case 'object':
        return type.field?.(field)?.type ?? this.#report(at, `undefined field '${field}'`)
      case 'parameter':
        this.#substitutions.isAssignable(dynType, type)
        return dynType
      default:
        if (!isDynOrError(type)) this.#report(at, `type '${formatType(type)}' does not support field selection`)
        return dynType
    }
  }

  #call(node: Call): CelType {
    if (node.function === '_?._') return this.#optionalSelect(node)
    for (const each of node.args) this.check(each)
    const { functions } = this.#declarations
    if (!node.target) {
      const found = functions.get(node.function.startsWith('.') ? node.function.slice(1) : node.function)
      return found ? this.#resolve(node, found, node.args, false) : this.#undeclared(node.at, node.function)
    }
    const prefix = qualifiedName(node.target)
    const namespaced = prefix === undefined ? undefined : functions.get(`${prefix}.${node.function}`)
    if (namespaced) return this.#resolve(node, namespaced, node.args, false)
    this.check(node.target)
    const found = functions.get(node.function)
    return found ? this.#resolve(node, found, [node.target, ...node.args], true) : this.#undeclared(node.at, node.function)
  }

  #optionalSelect(node: Call): CelType {
    const [operand, name] = node.args
    if (!operand || name?.kind !== 'literal' || typeof name.value !== 'string') return errorType
    const found = this.#declarations.functions.get(node.function)
    if (found) this.#calls.set(node, { function: found, overloads: found.overloads })
    return this.#substitutions.resolve(this.#field(node.at, operand, name.value, true))
  }

  #resolve(node: Call, called: FunctionDeclaration, args: readonly Expr[], member: boolean): CelType {
    const given = args.map((each) => this.#given(each))
    const overloads: Overload[] = []
    let result: CelType | undefined
    for (const overload of called.overloads) {
      if (overload.member !== member) continue
      if (called.name === '_&&_' || called.name === '_||_') return this.#logical(node, called, overload, args, given)
      const { parameters, result: wanted } = this.#instance(overload)
      if (!this.#substitutions.areAssignable(given, parameters)) continue
      overloads.push(overload)
      const found = this.#substitutions.resolve(wanted)
      if (!result) result = found
      else if (result.kind !== 'dyn' && !sameAs(found, result)) result = dynType
    }
    if (!result) {
      const shown = given.map((each) => formatType(this.#substitutions.resolve(each, true)))
      const receiver = member ? `${shown.shift()}.` : ''
      return this.#report(node.at, `found no matching overload for '${called.name}' applied to '${receiver}(${shown.join(', ')})'`)
    }
    this.#calls.set(node, { function: called, overloads })
    return result
  }

  #logical(node: Call, called: FunctionDeclaration, overload: Overload, args: readonly Expr[], given: readonly CelType[]): CelType {
    let valid = true
    for (const [index, type] of given.entries()) {
      if (this.#substitutions.isAssignable(type, boolType)) continue
      this.#mismatch((args[index] as Expr).at, boolType, type)
      valid = false
    }
    if (!valid) return errorType
    this.#calls.set(node, { function: called, overloads: [overload] })
    return boolType
  }

  /** The overload's types with fresh type parameters. */
  #instance({ parameters, result }: Overload): { readonly parameters: readonly CelType[]; readonly result: CelType } {
    const own = new Map<string, CelType>()
    const renamed = (type: CelType): CelType => {
      if (type.kind !== 'parameter') return withParameters(type, renamed)
      const known = own.get(type.name) ?? this.#substitutions.fresh()
      own.set(type.name, known)
      return known
    }
    return { parameters: parameters.map(renamed), result: renamed(result) }
  }

  /** Common type of the items so far. aggregates.ts checks later that literals have one type. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (!before) return type
    return this.#substitutions.isAssignable(before, type) ? mostGeneral(before, type) : dynType
  }

  #item(value: Expr, optional: boolean): CelType {
    const given = this.check(value)
    if (!optional) return given
    const unwrapped = unwrapOptional(given)
    if (!unwrapped.optional && given.kind !== 'dyn') this.#mismatch(value.at, optionalType(given), given)
    return unwrapped.type
  }

  #list(node: ListLiteral): CelType {
    let items: CelType | undefined
    for (const { value, optional } of node.items) items = this.#join(items, this.#item(value, optional))
    return listType(items ?? this.#substitutions.fresh())
  }

  #map(node: MapLiteral): CelType {
    let keys: CelType | undefined
    let values: CelType | undefined
    for (const { key, value, optional } of node.entries) {
      keys = this.#join(keys, this.check(key))
      values = this.#join(values, this.#item(value, optional))
    }
    return mapType(keys ?? this.#substitutions.fresh(), values ?? this.#substitutions.fresh())
  }

  #struct(node: StructLiteral): CelType {
    const named = this.#global(node.name)
    if (!named) return this.#undeclared(node.at, node.name)
    if (!('value' in named)) return this.#report(node.at, `'${formatType(named.type)}' is not a type`)
    const type = named.value
    this.#names.set(node, named)
    if (type.kind !== 'object') this.#report(node.at, `'${type.name}' is not a message type`)
    for (const { at, field, value, optional } of node.fields) {
      const given = this.#item(value, optional)
      const wanted = type.kind === 'object' ? (type.field?.(field)?.type ?? this.#report(at, `undefined field '${field}'`)) : errorType
      if (this.#substitutions.isAssignable(wanted, given)) continue
      const [expected, provided] = [formatType(wanted), formatType(given)]
      this.#report(at, `expected type of field '${field}' is '${expected}' but provided type is '${provided}'`)
    }
    return type.kind === 'object' ? type : errorType
  }

  /** Types of a comprehension's variables, from the type of its range. */
  #variables(node: Fold): readonly [CelType, CelType] {
    const range = this.#substitutions.resolve(this.check(node.range))
    const [first = dynType, second = dynType] = range.parameters
    if (range.kind === 'list') return node.variable2 === undefined ? [first, errorType] : [intType, first]
    if (range.kind === 'map') return [first, second]
    if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'parameter') {
      this.#substitutions.isAssignable(dynType, range)
      return [dynType, dynType]
    }
    const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
    this.#report(node.range.at, message)
    return [errorType, errorType]
  }

  #assert(node: Expr, type: CelType): void {
    if (!this.#substitutions.isAssignable(type, this.#given(node))) this.#mismatch(node.at, type, this.#given(node))
  }

  #fold(node: Fold): CelType {
    const [variable, variable2] = this.#variables(node)
    const accumulated = this.check(node.init)
    const scopes = this.#scopes
    const outer = [new Map([[node.accumulator, accumulated]]), ...scopes]
    const inner = new Map([[node.variable, variable]])
    if (node.variable2 !== undefined) inner.set(node.variable2, variable2)
    this.#scopes = [inner, ...outer]
    this.check(node.condition)
    this.#assert(node.condition, boolType)
    this.check(node.step)
    this.#assert(node.step, accumulated)
    this.#scopes = outer
    const result = this.check(node.result)
    this.#scopes = scopes
    return this.#substitutions.resolve(result)
  }
}

const sameAs = (a: CelType, b: CelType): boolean => formatType(a) === formatType(b)

/** Checks a tree. */
export function check(tree: Expr, declarations: Declarations): Checked | { readonly issues: readonly Issue[] } {
  const checker = new Checker(tree, declarations)
  checker.check(tree)
  return checker.faults.length === 0 ? checker : { issues: checker.faults }
}
