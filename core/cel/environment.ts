/**
 * User expressions in the Common Expression Language, with the libraries that the API server of 1.36 enables everywhere.
 *
 *     const environment = createCelEnvironment({ variables: { object: dynType, request: requestType } })
 *     const compiled = environment.compile('object.spec.replicas <= 5', { result: [boolType] })
 *     if ('issues' in compiled) return compiled.issues
 *     const { value, cost } = compiled.program.evaluate({ object, request }, { costLimit: 1_000_000 })
 *
 * Create an environment once per use case; a program may be evaluated any number of times. The parser is our own:
 * the cel-js package supports neither `Object{}` nor optional items of literals, and does not keep operator positions, which
 * error messages need.
 */
import { once } from '../common/once.ts'
import { aggregateIssues } from './check/aggregates.ts'
import { check } from './check/check.ts'
import type { Declarations } from './check/environment.ts'
import { formatIssues } from './check/formats.ts'
import { literalIssues } from './check/literals.ts'
import { declaredSizes } from './cost/estimate.ts'
import { unescapeName } from './escaping.ts'
import type { FunctionDeclaration } from './functions.ts'
import { standardFunctions, standardTypes } from './library/all.ts'
import { createProgram, type Program } from './program.ts'
import type { CompilerSettings } from './run/compile.ts'
import { describeIssues } from './syntax/issues.ts'
import { bindingMacros, listMacros, type Macros, optionalMacros, standardMacros, twoVariableMacros } from './syntax/macros.ts'
import { parse } from './syntax/parser.ts'
import { type CelType, sameType } from './types.ts'
import { CelError } from './values/errors.ts'

export interface EnvironmentOptions {
  readonly variables: { readonly [name: string]: CelType }
  /** Types that expressions may name in addition to those of the language. */
  readonly types?: readonly CelType[]
  /** Further types by name, such as `Object.spec`, if they can't be listed. */
  readonly typeNamed?: (name: string) => CelType | undefined
  /** Additional function libraries. */
  readonly libraries?: readonly (readonly FunctionDeclaration[])[]
  /** Allow escaped names for map keys: `claims.example__dot__com`. Object fields always allow them. */
  readonly escapedKeys?: boolean
  /** `cel.bind(name, value, expression)`. */
  readonly bindings?: boolean
  /** Evaluate constant literals once, at no cost per evaluation. Default true. */
  readonly foldConstants?: boolean
}

export interface CompileOptions {
  /** Allowed result types, as far as known statically; `dyn`: any. */
  readonly result?: readonly CelType[]
}

/** The program, or the errors formatted as in the reference. */
export type Compiled = { readonly program: Program } | { readonly issues: string }

export interface CelEnvironment {
  compile(expression: string, options?: CompileOptions): Compiled
}

const macros: Macros = new Map([...standardMacros, ...twoVariableMacros, ...optionalMacros, ...listMacros])
const macrosWithBindings: Macros = new Map([...macros, ...bindingMacros])

/** Merges libraries; functions of the same name get all overloads. */
function merged(libraries: readonly (readonly FunctionDeclaration[])[]): ReadonlyMap<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>()
  for (const each of libraries.flat()) {
    const before = functions.get(each.name)
    functions.set(each.name, before ? { ...before, overloads: [...before.overloads, ...each.overloads] } : each)
  }
  return functions
}

type Functions = ReadonlyMap<string, FunctionDeclaration>

/** Created on first use and shared by all environments: parsing all signatures takes milliseconds. */
const standard = once(() => merged([standardFunctions()]))

function functionsWith(libraries: readonly (readonly FunctionDeclaration[])[]): Functions {
  return libraries.length === 0 ? standard() : merged([[...standard().values()], ...libraries])
}

/** Declares variables, types and functions. */
export function createCelEnvironment(options: EnvironmentOptions): CelEnvironment {
  const { variables, types = [], typeNamed, libraries = [], escapedKeys = false, foldConstants: foldsConstants = true, bindings } = options
  const byName = new Map([...standardTypes, ...types].map((type) => [type.name, type]))
  const declarations: Declarations = {
    variables: new Map(Object.entries(variables)),
    typeNamed: (name) => byName.get(name) ?? typeNamed?.(name),
    functions: functionsWith(libraries),
  }
  const nameOfKey = escapedKeys ? unescapeName : (name: string) => name
  return {
    compile: (expression, options = {}) =>
      compile(declarations, expression, { ...options, nameOfKey, foldsConstants, macros: bindings ? macrosWithBindings : macros }),
  }
}

interface CompileSettings extends CompileOptions, CompilerSettings {
  readonly macros: Macros
}

function compile(declarations: Declarations, expression: string, { result, macros, ...settings }: CompileSettings): Compiled {
  const refused = (issues: Parameters<typeof describeIssues>[1]): Compiled => ({
    issues: `compilation failed: ${describeIssues(expression, issues)}`,
  })
  const parsed = parse(expression, { macros, optionals: true })
  if ('issues' in parsed) return refused(parsed.issues)
  const checked = check(parsed.tree, declarations)
  if ('issues' in checked) return refused(checked.issues)
  const faults = [...aggregateIssues(checked), ...literalIssues(checked.tree), ...formatIssues(checked)]
  if (faults.length > 0) return refused(faults)
  const type = checked.typeOf(checked.tree)
  if (result && !result.some((each) => each.kind === 'dyn' || sameType(each, type))) return { issues: wrongResult(result, type) }
  try {
    return { program: createProgram(expression, checked, declaredSizes(declarations.variables), settings) }
  } catch (error) {
    if (error instanceof CelError) return { issues: `program instantiation failed: ${error.message}` }
    throw error
  }
}

/** Name of a type in messages about results, which differs from the shorter one of static errors. */
export const typeName = ({ name, parameters }: CelType): string =>
  parameters.length === 0 ? name : `${name}(${parameters.map(typeName).join(', ')})`

function wrongResult(wanted: readonly CelType[], given: CelType): string {
  const names = wanted.map(typeName)
  return `must evaluate to ${names.length === 1 ? names[0] : `one of [${names.join(' ')}]`} but got ${typeName(given)}`
}
