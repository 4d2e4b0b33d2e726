/** Authorization checks: `authorizer.group('apps').resource('deployments').namespace('dev').check('create').allowed()`. */
import { formats } from '../../schema/formats/formats.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { boundText } from '../limits.ts'
import { costly, type MaybeSteps } from '../steps.ts'
import { abstractType, type CelType } from '../types.ts'
import { fail, Pending } from '../values/errors.ts'
import { lengthOf } from '../values/maps.ts'
import { CelOpaque } from '../values/values.ts'
import { traversed } from './costs.ts'

export const authorizerType = abstractType('kubernetes.authorization.Authorizer')
export const pathCheckType = abstractType('kubernetes.authorization.PathCheck')
export const groupCheckType = abstractType('kubernetes.authorization.GroupCheck')
export const resourceCheckType = abstractType('kubernetes.authorization.ResourceCheck')
export const decisionType = abstractType('kubernetes.authorization.Decision')

/** Attributes of a check. */
export interface AuthorizationCheck {
  readonly verb: string
  /** Check this account instead of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  /** If set, a non-resource check; the resource fields are empty then. */
  readonly path?: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

export interface AuthorizationAnswer {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

/** Answers a check. May be asynchronous: the evaluation is repeated once the answer is known. */
export type Decide = (check: AuthorizationCheck) => AuthorizationAnswer | Promise<AuthorizationAnswer>

const nothing: Omit<AuthorizationCheck, 'verb'> = {
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
}

const fieldNames = ['group', 'resource', 'subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const

/** A value of this library: the check built so far. */
class Check extends CelOpaque {
  readonly celType: CelType
  readonly ask: Ask
  readonly fields: Omit<AuthorizationCheck, 'verb'>
  constructor(celType: CelType, ask: Ask, fields: Omit<AuthorizationCheck, 'verb'>) {
    super()
    this.celType = celType
    this.ask = ask
    this.fields = fields
  }
  override equals(other: unknown): boolean {
    return other instanceof Check && other.celType === this.celType && keyOf(other.fields) === keyOf(this.fields)
  }
  with(type: CelType, fields: Partial<AuthorizationCheck>): Check {
    return new Check(type, this.ask, { ...this.fields, ...fields })
  }
}

class CelDecision extends CelOpaque {
  readonly celType = decisionType
  readonly answer: AuthorizationAnswer
  constructor(answer: AuthorizationAnswer) {
    super()
    this.answer = answer
  }
  override equals(other: unknown): boolean {
    return other === this
  }
}

/** Equal only for equal checks. JSON would take 20 ns a character to escape lone surrogates. */
function keyOf({ verb = '', serviceAccount, path, ...fields }: Partial<AuthorizationCheck>): string {
  const texts = [verb, serviceAccount?.namespace, serviceAccount?.name, path, ...fieldNames.map((name) => fields[name])]
  boundText(texts.reduce((sum, text = '') => sum + text.length, 0))
  return texts.map((text) => (text === undefined ? '-' : `${text.length}:${text}`)).join('')
}

/** Returns the answer, or throws a Pending. */
type Ask = (check: AuthorizationCheck) => AuthorizationAnswer

/** Caches answers: each check is evaluated once. */
function asking(decide: Decide): Ask {
  const answers = new Map<string, AuthorizationAnswer | Promise<AuthorizationAnswer>>()
  return (check) => {
    const key = keyOf(check)
    const answer = answers.get(key) ?? decide(check)
    answers.set(key, answer)
    if (!(answer instanceof Promise)) return answer
    const kept = answer
      .catch((error: unknown): AuthorizationAnswer => ({ allowed: false, reason: '', error: String(error) }))
      .then((known) => answers.set(key, known))
    throw new Pending(kept)
  }
}

/** The variables `authorizer` and, for resource requests, `authorizer.requestResource`. Create them per request. */
export function authorizerValues(
  decide: Decide,
  requestResource?: Partial<AuthorizationCheck>,
): { readonly authorizer: CelOpaque; readonly 'authorizer.requestResource'?: CelOpaque } {
  const root = new Check(authorizerType, asking(decide), nothing)
  return { authorizer: root, ...(requestResource && { 'authorizer.requestResource': root.with(resourceCheckType, requestResource) }) }
}

/** Time to look at a character. */
const nanosecondsPerCharacter = 2

const serviceAccount = (check: Check, namespace: string, name: string): MaybeSteps<Check> =>
  costly((namespace.length + name.length) * nanosecondsPerCharacter, () => withAccount(check, namespace, name))

function withAccount(check: Check, namespace: string, name: string): Check {
  if (formats.dns1123Subdomain(name).length > 0) fail('Invalid service account name')
  if (formats.dns1123Label(namespace).length > 0) fail('Invalid service account namespace')
  return check.with(authorizerType, { serviceAccount: { namespace, name } })
}

/** Requires a string with more than white space. */
const filled = <T>(text: string, what: string, use: (text: string) => T): MaybeSteps<T> =>
  costly(text.length * nanosecondsPerCharacter, () => (/\S/.test(text) ? use(text) : fail(`${what} must not be empty`)))

/** Sets one field of a check. */
const set = (field: keyof AuthorizationCheck) => (check: Check, text: string) => check.with(resourceCheckType, { [field]: text })

const decide = ({ ask, fields }: Check, verb: string) => new CelDecision(ask({ ...fields, verb }))

/** Allows two checks per expression. */
const checkCost = { cost: () => 350_000, byName: true } as const
/** One traversal, plus a requirement per two characters. */
const selectorCost = {
  cost: ([, selector]: readonly unknown[]) => {
    const size = typeof selector === 'string' ? lengthOf(selector) : 0
    return 10 + traversed(size) + Math.ceil(size / 2) * 50
  },
  byName: true,
} as const

const rows: readonly Row[] = [
  [
    'authorizer_path',
    'Authorizer.path(string): PathCheck',
    (check: Check, text: string) => filled(text, 'path', (path) => check.with(pathCheckType, { path })),
  ],
  ['authorizer_group', 'Authorizer.group(string): GroupCheck', (check: Check, group: string) => check.with(groupCheckType, { group })],
  ['authorizer_serviceaccount', 'Authorizer.serviceAccount(string, string): Authorizer', serviceAccount],
  [
    'groupcheck_resource',
    'GroupCheck.resource(string): ResourceCheck',
    (check: Check, text: string) => filled(text, 'resource', (resource) => check.with(resourceCheckType, { resource })),
  ],
  ['resourcecheck_subresource', 'ResourceCheck.subresource(string): ResourceCheck', set('subresource')],
  ['resourcecheck_namespace', 'ResourceCheck.namespace(string): ResourceCheck', set('namespace')],
  ['resourcecheck_name', 'ResourceCheck.name(string): ResourceCheck', set('name')],
  ['authorizer_fieldselector', 'ResourceCheck.fieldSelector(string): ResourceCheck', set('fieldSelector'), selectorCost],
  ['authorizer_labelselector', 'ResourceCheck.labelSelector(string): ResourceCheck', set('labelSelector'), selectorCost],
  ['pathcheck_check', 'PathCheck.check(string): Decision', decide, checkCost],
  ['resourcecheck_check', 'ResourceCheck.check(string): Decision', decide, checkCost],
  ['decision_errored', 'Decision.errored(): bool', ({ answer }: CelDecision) => answer.error !== undefined],
  ['decision_error', 'Decision.error(): string', ({ answer }: CelDecision) => answer.error ?? ''],
  ['decision_allowed', 'Decision.allowed(): bool', ({ answer }: CelDecision) => answer.allowed],
  ['decision_reason', 'Decision.reason(): string', ({ answer }: CelDecision) => answer.reason],
]

export const authorizerLibrary = (): readonly FunctionDeclaration[] =>
  declare(rows, {
    Authorizer: authorizerType,
    PathCheck: pathCheckType,
    GroupCheck: groupCheckType,
    ResourceCheck: resourceCheckType,
    Decision: decisionType,
  })
