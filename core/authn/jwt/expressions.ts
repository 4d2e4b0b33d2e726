/** Expressions of JWT authenticators: what they may say, and how their results are read. */
import type { Environment } from 'cel-js'
import { createEnvironment } from '../../cel/environment.ts'
import { type CompileProblem, compile, type Program } from '../../cel/program.ts'
import { messageOf } from '../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'

export interface JwtCompiler {
  /** Over the claims of a token, as `claims`. A rule must be known to yield a bool; what a mapping yields only a token can tell. */
  claims(expression: string, wanted?: 'bool'): Program | CompileProblem
  /** A rule over the user that a token stands for, as `user`. */
  user(expression: string): Program | CompileProblem
}

/** Makes its environments when there is a first expression for them. */
export function createJwtCompiler(): JwtCompiler {
  let overClaims: Environment | undefined
  let overUser: Environment | undefined
  return {
    claims(expression, wanted) {
      overClaims ??= createEnvironment().registerVariable('claims', 'map<string, dyn>')
      return compile(overClaims, expression, wanted)
    },
    user(expression) {
      overUser ??= createEnvironment()
        .registerType({
          name: 'UserInfo',
          schema: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
        })
        .registerVariable('user', 'UserInfo')
      return compile(overUser, expression, 'bool')
    },
  }
}

/** A program that the checks of its file let pass. Throws an Error otherwise. */
export function mustCompile(compiled: Program | CompileProblem): Program {
  if ('problem' in compiled) throw new Error(compiled.problem)
  return compiled
}

/** Evaluates; an expression that fails says nothing, so that its token is refused with an AuthenticationError. */
export function evaluate({ expression, evaluate }: Program, what: string, variables: { readonly [name: string]: unknown }): unknown {
  try {
    return evaluate(variables)
  } catch (error) {
    const why = messageOf(error)
    throw new AuthenticationError(`error evaluating ${what}: expression '${expression}' resulted in error: ${why}`)
  }
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
export function mustHold(program: Program, message: string, what: string, variables: { readonly [name: string]: unknown }): void {
  if (evaluate(program, `${what} validation expression`, variables) === true) return
  throw new AuthenticationError(
    `error evaluating ${what} validation expression: validation expression '${program.expression}' failed: ${message}`,
  )
}
