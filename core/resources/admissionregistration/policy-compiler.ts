/** Compiles the expressions of one admission policy in order; later ones may refer to earlier variables. */
import type { CelEnvironment, Compiled } from '../../cel/environment.ts'
import type { CelField, CelType } from '../../cel/types.ts'
import { dynType } from '../../cel/types.ts'
import { type ExpressionScope, expressionEnvironment, type KnownTypes } from './expressions.ts'

export interface PolicyCompiler {
  /** `result`: allowed result types; absent: any. */
  compile(expression: string, scope: ExpressionScope, result?: readonly CelType[]): Compiled
  /** Declares a variable, which later expressions access as `variables.<name>`. */
  declare(name: string, type: CelType): void
  /** Type of `variables` with all declarations so far. */
  readonly variables: CelType
}

/** `types`: for type checking of a policy against its kinds; absent for evaluation. */
export function createPolicyCompiler(types: KnownTypes = {}): PolicyCompiler {
  const fields = new Map<string, CelField>()
  const variables: CelType = { kind: 'object', name: 'kubernetes.variables', parameters: [], field: (name) => fields.get(name) }
  const environments = new Map<string, CelEnvironment>()

  function environmentOf(scope: ExpressionScope): CelEnvironment {
    const key = JSON.stringify({ ...scope, variables: scope.variables !== undefined })
    const known = environments.get(key) ?? expressionEnvironment(scope, types)
    environments.set(key, known)
    return known
  }

  const compile: PolicyCompiler['compile'] = (expression, scope, result) =>
    environmentOf(scope).compile(expression, result ? { result } : {})

  return {
    variables,
    compile,
    declare: (name, type) => void fields.set(name, { type, json: name }),
  }
}

/** Kinds that variables keep; values of libraries and objects have type dyn (convertCelTypeToDeclType). */
const kept = new Set<CelType['kind']>(['bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint'])

function keptType(type: CelType): CelType {
  if (kept.has(type.kind)) return type
  if (type.kind === 'list' || type.kind === 'map') return { ...type, parameters: type.parameters.map(keptType) }
  return dynType
}

/** The type of a variable: dyn if its expression does not compile. */
export const variableType = (compiled: Compiled): CelType => ('program' in compiled ? keptType(compiled.program.type) : dynType)
