/** CEL expressions of JWT authenticators: their environments and how results are read. */
import { type CelEnvironment, type Compiled, createCelEnvironment } from '../../../cel/environment.ts'
import type { Bindings, Evaluation, Program } from '../../../cel/program.ts'
import { boolType, dynType, listType, mapType, objectType, stringType } from '../../../cel/types.ts'
import { AuthenticationError } from '../authenticator.ts'

export interface JwtCompiler {
  /**
   * Compiles an expression over the token's claims, as `claims`. Rules must have the static type bool; the type of a mapping's result is
   * checked at evaluation.
   */
  claims(expression: string, wanted?: 'bool'): Compiled
  /** Compiles a rule over the resulting user, as `user`. */
  user(expression: string): Compiled
}

const userType = objectType('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
})

/** Environments are created when the first expression needs them. */
export function createJwtCompiler(): JwtCompiler {
  let overClaims: CelEnvironment | undefined
  let overUser: CelEnvironment | undefined
  return {
    claims(expression, wanted) {
      overClaims ??= createCelEnvironment({ variables: { claims: mapType(stringType, dynType) }, escapedKeys: true })
      return overClaims.compile(expression, wanted && { result: [boolType] })
    },
    user(expression) {
      overUser ??= createCelEnvironment({ variables: { user: userType }, escapedKeys: true })
      return overUser.compile(expression, { result: [boolType] })
    },
  }
}

/** The program of an expression that configuration validation has compiled before. Throws an Error if it doesn't compile. */
export function mustCompile(compiled: Compiled): Program {
  if ('issues' in compiled) throw new Error(compiled.issues)
  return compiled.program
}

/** Evaluates a program. Throws a Pending when its time slice is over. */
export type Evaluate = (program: Program, variables: Bindings) => Evaluation

/** Value of an expression. Throws an AuthenticationError when it fails, so that the token is refused. */
function resultOf(evaluate: Evaluate, program: Program, what: string, variables: Bindings): unknown {
  const { value, error } = evaluate(program, variables)
  if (error === undefined) return value
  throw new AuthenticationError(`error evaluating ${what}: expression '${program.expression}' resulted in error: ${error}`)
}

export function textResult(evaluate: Evaluate, program: Program, what: string, claims: unknown): string {
  const value = resultOf(evaluate, program, `${what} claim expression`, { claims })
  if (typeof value !== 'string') throw new AuthenticationError(`error evaluating ${what} claim expression: must return a string`)
  return value
}

/** A string or list of strings as a list, without empty strings; null is an empty list. */
export function listResult(evaluate: Evaluate, program: Program, what: string, claims: unknown): readonly string[] {
  const value = resultOf(evaluate, program, `${what} claim expression`, { claims })
  const list: readonly unknown[] = value === null ? [] : Array.isArray(value) ? value : [value]
  if (!list.every((each) => typeof each === 'string')) {
    throw new AuthenticationError(`error evaluating ${what} claim expression: must return a string or a list of strings`)
  }
  return list.filter((each) => each !== '')
}

/** Throws an AuthenticationError with the rule's message when the rule is false. */
export function mustHold(evaluate: Evaluate, program: Program, message: string, what: string, variables: Bindings): void {
  if (resultOf(evaluate, program, `${what} validation expression`, variables) === true) return
  throw new AuthenticationError(
    `error evaluating ${what} validation expression: validation expression '${program.expression}' failed: ${message}`,
  )
}
