/** Maps claims to a user, with the rules of an authenticator's settings. */
import type { Program } from '../../../cel/program.ts'
import { Replay } from '../../../cel/replay.ts'
import { fromJson } from '../../../cel/values/json.ts'
import type { MaybePromise } from '../../../common/maybe-promise.ts'
import type { Slices } from '../../../common/slices.ts'
import type { Platform } from '../../../platform.ts'
import type { User } from '../../../request/exchange.ts'
import type { Json } from '../../../schema/model.ts'
import { AuthenticationError } from '../authenticator.ts'
import { createJwtCompiler, type Evaluate, listResult, mustCompile, mustHold, textResult } from './expressions.ts'
import type { ClaimOrExpression, JwtSettings } from './settings.ts'
import { type Claims, claimOf } from './token.ts'

/**
 * The user of verified claims. Expressions pause at the end of a time slice. Throws, or rejects with, an AuthenticationError when the claims can't
 * be mapped or break a rule.
 */
export type UserOfClaims = (claims: Claims, slices: Slices) => MaybePromise<User>

/** A string claim that the settings name. */
function textClaim(claims: Claims, name: string, what: string): string {
  const value = claimOf(claims, name)
  if (typeof value === 'string') return value
  const why = value === undefined ? 'claim not present' : 'claim is no string'
  throw new AuthenticationError(`parse ${what} claim ${JSON.stringify(name)}: ${why}`)
}

/** A single string counts as a list of one. */
function listClaim(value: Json, name: string): readonly string[] {
  const list: readonly Json[] = value === null ? [] : Array.isArray(value) ? value : [value]
  if (list.every((each) => typeof each === 'string')) return list
  throw new AuthenticationError(`parse groups claim ${JSON.stringify(name)}: claim is not a list of strings`)
}

/** An e-mail address is refused when the provider says that it is unverified (OpenID Connect Core 1.0, 5.1). */
function validateEmail(claims: Claims): void {
  const verified = claimOf(claims, 'email_verified')
  if (verified === undefined || verified === true) return
  throw new AuthenticationError(verified === false ? 'email not verified' : "parse 'email_verified' claim: claim is no bool")
}

function validateRequired(claims: Claims, rules: JwtSettings['claimValidationRules']): void {
  for (const { claim, requiredValue } of rules) {
    if (claim === '') continue
    if (claimOf(claims, claim) === undefined) throw new AuthenticationError(`required claim ${claim} not present in ID token`)
    const value = textClaim(claims, claim, 'required')
    if (value !== requiredValue) {
      throw new AuthenticationError(`required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`)
    }
  }
}

/** Compiles the expressions once. Throws an Error when one doesn't compile; configuration files are validated earlier. */
export function userOfClaims(settings: JwtSettings, platform: Platform): UserOfClaims {
  const { claimMappings, claimValidationRules, userValidationRules } = settings
  const compiler = createJwtCompiler()
  const mapping = ({ expression }: Pick<ClaimOrExpression, 'expression'>): Program | undefined =>
    expression === '' ? undefined : mustCompile(compiler.claims(expression))
  const [username, groups, uid] = [mapping(claimMappings.username), mapping(claimMappings.groups), mapping(claimMappings.uid)]
  const extra = claimMappings.extra.map(({ key, valueExpression }) => ({ key, program: mustCompile(compiler.claims(valueExpression)) }))
  const claimRules = claimValidationRules
    .filter(({ expression }) => expression !== '')
    .map(({ expression, message }) => ({ message, program: mustCompile(compiler.claims(expression, 'bool')) }))
  const userRules = userValidationRules.map(({ expression, message }) => ({ message, program: mustCompile(compiler.user(expression)) }))
  const evaluates = username ?? groups ?? uid ?? extra[0] ?? claimRules[0]
  const credentialId = platform.name('authentication.<labels>/credential-id')

  function nameOf(claims: Claims, values: unknown, evaluate: Evaluate): string {
    if (username !== undefined) {
      const name = textResult(evaluate, username, 'username', values)
      if (name === '') throw new AuthenticationError('empty username via CEL expression is not allowed')
      return name
    }
    const { claim, prefix = '' } = claimMappings.username
    const name = textClaim(claims, claim, 'username')
    if (claim === 'email') validateEmail(claims)
    if (prefix + name === '') throw new AuthenticationError('empty username is not allowed')
    return prefix + name
  }

  function groupsOf(claims: Claims, values: unknown, evaluate: Evaluate): readonly string[] {
    if (groups !== undefined) return listResult(evaluate, groups, 'group', values)
    const { claim, prefix = '' } = claimMappings.groups
    const value = claim === '' ? undefined : claimOf(claims, claim)
    return value === undefined ? [] : listClaim(value, claim).map((group) => prefix + group)
  }

  function uidOf(claims: Claims, values: unknown, evaluate: Evaluate): string {
    if (uid !== undefined) return textResult(evaluate, uid, 'uid', values)
    return claimMappings.uid.claim === '' ? '' : textClaim(claims, claimMappings.uid.claim, 'uid')
  }

  function extraOf(claims: Claims, values: unknown, evaluate: Evaluate): { readonly [key: string]: readonly string[] } {
    const tokenId = claimOf(claims, 'jti')
    const found = extra.map(({ key, program }) => [key, listResult(evaluate, program, 'extra', values)] as const)
    const own = typeof tokenId === 'string' && tokenId !== '' ? [[credentialId, [`JTI=${tokenId}`]] as const] : []
    return Object.fromEntries([...own, ...found].filter(([, list]) => list.length > 0))
  }

  function userOf(claims: Claims, values: unknown, evaluate: Evaluate): User {
    const name = nameOf(claims, values, evaluate)
    const uidValue = uidOf(claims, values, evaluate)
    const extraValues = extraOf(claims, values, evaluate)
    const user: User = {
      name,
      groups: groupsOf(claims, values, evaluate),
      ...(uidValue !== '' && { uid: uidValue }),
      ...(Object.keys(extraValues).length > 0 && { extra: extraValues }),
    }
    validateRequired(claims, claimValidationRules)
    for (const { program, message } of claimRules) mustHold(evaluate, program, message, 'claim', { claims: values })
    const seen = { username: name, uid: uidValue, groups: user.groups, extra: extraValues }
    for (const { program, message } of userRules) mustHold(evaluate, program, message, 'user info', { user: seen })
    return user
  }

  return (claims, slices) => {
    const values = evaluates === undefined ? undefined : fromJson(claims)
    const replay = new Replay(slices)
    const evaluate: Evaluate = (program, variables) => replay.part((part) => program.start(variables, { slices: part }))
    return replay.run(() => userOf(claims, values, evaluate))
  }
}
