/** Validation of claim rules and mappings in an AuthenticationConfiguration. */

import type { Compiled } from '../../../cel/environment.ts'
import type { Program } from '../../../cel/program.ts'
import { selects } from '../../../cel/syntax/ast.ts'
import type { FileContext } from '../../../config/files/kind.ts'
import { validateDomainPrefixedPath } from '../../../resources/validation.ts'
import type { FieldErrors } from '../../../schema/field-error.ts'
import type { FieldPath } from '../../../schema/field-path.ts'
import type { JwtCompiler } from '../jwt/expressions.ts'
import type { JWTAuthenticator } from './jwt.ts'

type Mappings = JWTAuthenticator['claimMappings']

const bothSet = "claim and expression can't both be set"

/** Shared state of one authenticator's validation. */
interface ClaimValidation {
  readonly compiler: JwtCompiler
  readonly errors: FieldErrors
  /** Compiled expressions that may check `email_verified`. */
  readonly programs: Program[]
}

/** Returns the program, or adds the compile error. */
function compiled(result: Compiled, expression: string, path: FieldPath, errors: FieldErrors): Program | undefined {
  if (!('issues' in result)) return result.program
  errors.invalid(path, expression, result.issues)
  return undefined
}

function validateValidationRules(rules: JWTAuthenticator['claimValidationRules'], path: FieldPath, validation: ClaimValidation): void {
  const { compiler, errors, programs } = validation
  const [claims, expressions] = [new Set<string>(), new Set<string>()]
  for (const [index, { claim, requiredValue, expression, message }] of rules.entries()) {
    const at = path.index(index)
    if (claim !== '' && expression !== '') errors.invalid(at, claim, bothSet)
    else if (claim !== '') {
      if (message !== '') errors.invalid(at.child('message'), message, 'may not be specified when claim is set')
      if (claims.has(claim)) errors.duplicate(at.child('claim'), claim)
      claims.add(claim)
    } else if (expression !== '') {
      if (requiredValue !== '') errors.invalid(at.child('requiredValue'), requiredValue, 'may not be specified when expression is set')
      if (expressions.has(expression)) errors.duplicate(at.child('expression'), expression)
      else {
        const program = compiled(compiler.claims(expression, 'bool'), expression, at.child('expression'), errors)
        if (program) programs.push(program)
      }
      expressions.add(expression)
    } else errors.required(at, 'claim or expression is required')
  }
}

/** Validates a mapping; returns the program if it is an expression. */
function validateMapping({ claim, expression }: Mappings['uid'], path: FieldPath, { compiler, errors }: ClaimValidation) {
  if (claim !== '' && expression !== '') errors.invalid(path, '', bothSet)
  else if (expression !== '') return compiled(compiler.claims(expression), expression, path.child('expression'), errors)
  return undefined
}

function validatePrefix({ claim, prefix, expression }: Mappings['username'], path: FieldPath, errors: FieldErrors): void {
  if (claim !== '' && expression !== '') return
  if (expression !== '' && prefix !== undefined) {
    errors.invalid(path.child('prefix'), prefix, 'may not be specified when expression is set')
  } else if (claim !== '' && prefix === undefined) {
    errors.required(path.child('prefix'), 'prefix is required when claim is set. It can be set to an empty string to disable prefixing')
  }
}

function validateExtra(extra: Mappings['extra'], path: FieldPath, validation: ClaimValidation, { platform }: FileContext): void {
  const { compiler, errors, programs } = validation
  const seen = new Set<string>()
  const reserved = [platform.domain, platform.labelDomain]
  for (const [index, { key, valueExpression }] of extra.entries()) {
    const at = path.index(index).child('key')
    validateDomainPrefixedPath(key, at, errors)
    if (key !== key.toLowerCase()) errors.invalid(at, key, 'must be lowercase')
    const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
    if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) {
      errors.invalid(at, key, `${reserved.join(', ')} and their subdomains are reserved`)
    }
    if (seen.has(key)) errors.duplicate(at, key)
    seen.add(key)
    const value = path.index(index).child('valueExpression')
    if (valueExpression === '') errors.required(value)
    else {
      const program = compiled(compiler.claims(valueExpression), valueExpression, value, errors)
      if (program) programs.push(program)
    }
  }
}

/** A user name from the claim `email` requires a check of `email_verified` somewhere. */
function validateEmail(username: Program, path: FieldPath, { errors, programs }: ClaimValidation): void {
  const uses = (claim: string) => (program: Program) => selects(program.tree, 'claims', claim)
  if (!uses('email')(username) || [username, ...programs].some(uses('email_verified'))) return
  errors.invalid(
    path,
    username.expression,
    'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  )
}

function validateUserRules(rules: JWTAuthenticator['userValidationRules'], path: FieldPath, { compiler, errors }: ClaimValidation): void {
  const seen = new Set<string>()
  for (const [index, { expression }] of rules.entries()) {
    const at = path.index(index).child('expression')
    if (expression === '') errors.required(at)
    else if (seen.has(expression)) errors.duplicate(at, expression)
    else compiled(compiler.user(expression), expression, at, errors)
    seen.add(expression)
  }
}

/** Validates an authenticator's rules and mappings, including compilation of expressions. */
export function validateClaims(
  authenticator: JWTAuthenticator,
  path: FieldPath,
  compiler: JwtCompiler,
  errors: FieldErrors,
  context: FileContext,
): void {
  const { claimValidationRules, claimMappings, userValidationRules } = authenticator
  const { username, groups, uid, extra } = claimMappings
  const mappings = path.child('claimMappings')
  const validation: ClaimValidation = { compiler, errors, programs: [] }
  validateValidationRules(claimValidationRules, path.child('claimValidationRules'), validation)
  if (username.claim === '' && username.expression === '') errors.required(mappings.child('username'), 'claim or expression is required')
  validatePrefix(username, mappings.child('username'), errors)
  const name = validateMapping(username, mappings.child('username'), validation)
  validatePrefix(groups, mappings.child('groups'), errors)
  validateMapping(groups, mappings.child('groups'), validation)
  validateMapping(uid, mappings.child('uid'), validation)
  validateExtra(extra, mappings.child('extra'), validation, context)
  if (name) validateEmail(name, mappings.child('username').child('expression'), validation)
  validateUserRules(userValidationRules, path.child('userValidationRules'), validation)
}
