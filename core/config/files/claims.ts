/** Rules of claims in an AuthenticationConfiguration. Expressions are compiled elsewhere. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats.ts'
import type { JWTAuthenticator } from './jwt.ts'
import type { FileContext } from './kind.ts'

type Mappings = JWTAuthenticator['claimMappings']

const bothSet = "claim and expression can't both be set"

function checkValidationRules(rules: JWTAuthenticator['claimValidationRules'], path: FieldPath, errors: FieldErrors): void {
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
      expressions.add(expression)
    } else errors.required(at, 'claim or expression is required')
  }
}

function checkPrefixed({ claim, prefix, expression }: Mappings['username'], path: FieldPath, required: boolean, errors: FieldErrors): void {
  if (claim !== '' && expression !== '') errors.invalid(path, '', bothSet)
  else if (expression !== '') {
    if (prefix !== undefined) errors.invalid(path.child('prefix'), prefix, 'may not be specified when expression is set')
  } else if (claim !== '') {
    if (prefix === undefined) {
      errors.required(path.child('prefix'), 'prefix is required when claim is set. It can be set to an empty string to disable prefixing')
    }
  } else if (required) errors.required(path, 'claim or expression is required')
}

function checkExtra(extra: Mappings['extra'], path: FieldPath, errors: FieldErrors, { platform }: FileContext): void {
  const seen = new Set<string>()
  const reserved = [platform.domain, platform.labelDomain]
  for (const [index, { key, valueExpression }] of extra.entries()) {
    const at = path.index(index).child('key')
    if (key === '') errors.required(at)
    else for (const problem of formats.domainPrefixedPath(key)) errors.invalid(at, key, problem)
    if (key !== key.toLowerCase()) errors.invalid(at, key, 'must be lowercase')
    const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
    if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) {
      errors.invalid(at, key, `${reserved.join(', ')} and their subdomains are reserved`)
    }
    if (seen.has(key)) errors.duplicate(at, key)
    seen.add(key)
    if (valueExpression === '') errors.required(path.index(index).child('valueExpression'))
  }
}

/** Whether an expression selects a field of `claims`, plainly or as an optional; what stands in string literals is no code. */
function selects(expression: string, field: string): boolean {
  const code = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  return new RegExp(`(?<![\\w.])claims\\s*\\.\\s*\\??\\s*${field}(?!\\w)`).test(code)
}

/** An address that nobody has verified must not become a user name unnoticed. */
function checkEmail({ claimMappings, claimValidationRules }: JWTAuthenticator, path: FieldPath, errors: FieldErrors): void {
  const { username, extra } = claimMappings
  if (!selects(username.expression, 'email')) return
  const places = [username, ...claimValidationRules].map(({ expression }) => expression)
  const verified = [...places, ...extra.map(({ valueExpression }) => valueExpression)].some((each) => selects(each, 'email_verified'))
  if (verified) return
  errors.invalid(
    path.child('claimMappings').child('username').child('expression'),
    username.expression,
    'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  )
}

export function checkClaims(authenticator: JWTAuthenticator, path: FieldPath, errors: FieldErrors, context: FileContext): void {
  const { claimValidationRules, claimMappings, userValidationRules } = authenticator
  const mappings = path.child('claimMappings')
  checkValidationRules(claimValidationRules, path.child('claimValidationRules'), errors)
  checkPrefixed(claimMappings.username, mappings.child('username'), true, errors)
  checkPrefixed(claimMappings.groups, mappings.child('groups'), false, errors)
  const { claim, expression } = claimMappings.uid
  if (claim !== '' && expression !== '') errors.invalid(mappings.child('uid'), '', bothSet)
  checkExtra(claimMappings.extra, mappings.child('extra'), errors, context)
  checkEmail(authenticator, path, errors)
  const seen = new Set<string>()
  for (const [index, rule] of userValidationRules.entries()) {
    const at = path.child('userValidationRules').index(index).child('expression')
    if (rule.expression === '') errors.required(at)
    else if (seen.has(rule.expression)) errors.duplicate(at, rule.expression)
    seen.add(rule.expression)
  }
}
