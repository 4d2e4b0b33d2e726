/** Compiles the expressions of one admission policy, in the order in which they may use each other's results. */
import type { CelEnvironment, Compiled } from '../../cel/environment.ts'
import type { CelField, CelType } from '../../cel/types.ts'
import { dynType } from '../../cel/types.ts'
import { type ExpressionScope, expressionEnvironment, type KnownTypes } from './expressions.ts'

export interface PolicyCompiler {
  /** `result`: types that the expression may have; absent: any. */
  compile(expression: string, scope: ExpressionScope, result?: readonly CelType[]): Compiled
  /** Compiles a variable; later expressions see it as `variables.<name>`, of any type where it does not compile. */
  declare(name: string, expression: string, scope: ExpressionScope): Compiled
  /** Type of `variables`: what has been declared so far. */
  readonly variables: CelType
}

/** `types`: for checks of a policy against kinds that it is about; it runs without them. */
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
    declare(name, expression, scope) {
      const compiled = compile(expression, { ...scope, variables })
      fields.set(name, { type: 'program' in compiled ? declared(compiled.program.type) : dynType, json: name })
      return compiled
    },
  }
}

/** Kinds that keep their type as a variable; values of libraries and objects are of type dyn (convertCelTypeToDeclType). */
const kept = new Set<CelType['kind']>(['bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint'])

function declared(type: CelType): CelType {
  if (kept.has(type.kind)) return type
  if (type.kind === 'list' || type.kind === 'map') return { ...type, parameters: type.parameters.map(declared) }
  return dynType
}
