/** Expressions of JWT authenticators: what they may say, and how their results are read. */
import { type CelEnvironment, type Compiled, createCelEnvironment } from '../../cel/environment.ts'
import type { Bindings, Program } from '../../cel/program.ts'
import { boolType, dynType, listType, mapType, objectType, stringType } from '../../cel/types.ts'
import { AuthenticationError } from '../authenticator.ts'

export interface JwtCompiler {
  /** Over the claims of a token, as `claims`. A rule must be known to yield a bool; what a mapping yields only a token can tell. */
  claims(expression: string, wanted?: 'bool'): Compiled
  /** A rule over the user that a token stands for, as `user`. */
  user(expression: string): Compiled
}

const userType = objectType('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
})

/** Makes its environments when there is a first expression for them. */
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

/** A program that the checks of its file let pass. Throws an Error otherwise. */
export function mustCompile(compiled: Compiled): Program {
  if ('issues' in compiled) throw new Error(compiled.issues)
  return compiled.program
}

/** Evaluates; an expression that fails says nothing, so that its token is refused with an AuthenticationError. */
export function evaluate(program: Program, what: string, variables: Bindings): unknown {
  const { value, error } = program.evaluate(variables)
  if (error === undefined) return value
  throw new AuthenticationError(`error evaluating ${what}: expression '${program.expression}' resulted in error: ${error}`)
}

export function textResult(program: Program, what: string, claims: unknown): string {
  const value = evaluate(program, `${what} claim expression`, { claims })
  if (typeof value !== 'string') throw new AuthenticationError(`error evaluating ${what} claim expression: must return a string`)
  return value
}

/** A text or a list of texts as a list, without empty ones; null is none. */
export function listResult(program: Program, what: string, claims: unknown): readonly string[] {
  const value = evaluate(program, `${what} claim expression`, { claims })
  const list: readonly unknown[] = value === null ? [] : Array.isArray(value) ? value : [value]
  if (!list.every((each) => typeof each === 'string')) {
    throw new AuthenticationError(`error evaluating ${what} claim expression: must return a string or a list of strings`)
  }
  return list.filter((each) => each !== '')
}

/** Throws an AuthenticationError with the rule's message when it does not hold. */
export function mustHold(program: Program, message: string, what: string, variables: Bindings): void {
  if (evaluate(program, `${what} validation expression`, variables) === true) return
  throw new AuthenticationError(
    `error evaluating ${what} validation expression: validation expression '${program.expression}' failed: ${message}`,
  )
}
