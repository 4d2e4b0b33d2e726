/** Validation of flow schemas and priority levels. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { repeats, validateFormat, validateRequiredFormat } from '../validation.ts'
import type { FlowSchemaSpec, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from './flowschema.ts'

const supportedVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const maxPrecedence = 10_000
const methods = ['ByNamespace', 'ByUser']

/** Validates a spec with all its parts, in the reference's order. `name`: that of the schema. */
export function validateFlowSchemaSpec(name: string, spec: Infer<typeof FlowSchemaSpec>, path: FieldPath, errors: FieldErrors): void {
  const { matchingPrecedence = 0, distinguisherMethod: method, priorityLevelConfiguration } = spec
  const at = path.child('matchingPrecedence')
  if (matchingPrecedence <= 0) errors.invalid(at, matchingPrecedence, 'must be a positive value')
  if (matchingPrecedence > maxPrecedence) errors.invalid(at, matchingPrecedence, `must not be greater than ${maxPrecedence}`)
  if (matchingPrecedence === 1 && name !== 'exempt') {
    errors.invalid(at, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
  // The reference shows the struct of the method.
  if (method && !methods.includes(method.type)) {
    errors.notSupported(path.child('distinguisherMethod').child('type'), { Type: method.type }, methods)
  }
  const levelAt = path.child('priorityLevelConfiguration').child('name')
  validateRequiredFormat(priorityLevelConfiguration?.name, 'dns1123Subdomain', levelAt, errors, 'must reference a priority level')
  spec.rules?.forEach((rule, index) => {
    validateRules(rule, path.child('rules').index(index), errors)
  })
}

function validateRules(rule: Infer<typeof PolicyRulesWithSubjects>, path: FieldPath, errors: FieldErrors): void {
  if (!rule.subjects?.length) errors.required(path.child('subjects'), 'subjects must contain at least one value')
  rule.subjects?.forEach((subject, index) => {
    validateSubject(subject, path.child('subjects').index(index), errors)
  })
  if (!rule.resourceRules?.length && !rule.nonResourceRules?.length) {
    errors.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  rule.resourceRules?.forEach((each, index) => {
    validateResourceRule(each, path.child('resourceRules').index(index), errors)
  })
  rule.nonResourceRules?.forEach((each, index) => {
    validateNonResourceRule(each, path.child('nonResourceRules').index(index), errors)
  })
}

/** Each type of condition occurs once. */
export function validateConditions(conditions: readonly { type?: string | undefined }[], errors: FieldErrors): void {
  const isRepeat = repeats()
  conditions.forEach(({ type = '' }, index) => {
    const at = FieldPath.of('status', 'conditions').index(index).child('type')
    if (isRepeat(type)) errors.duplicate(at, type)
    if (type === '') errors.required(at)
  })
}

const members = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const

/** Exactly the member of the subject's kind must be set. */
function validateSubject(subject: Infer<typeof Subject>, path: FieldPath, errors: FieldErrors): void {
  if (!Object.hasOwn(members, subject.kind)) {
    errors.notSupported(path.child('kind'), subject.kind, Object.keys(members).sort())
    return
  }
  const own = members[subject.kind as keyof typeof members]
  const member = subject[own]
  if (!member) errors.required(path.child(own), `${own} is required when subject kind is '${subject.kind}'`)
  else if (member.name === '') errors.required(path.child(own).child('name'))
  if (own === 'serviceAccount') validateAccount(subject, path, errors)
  for (const [kind, name] of Object.entries(members)) {
    if (name !== own && subject[name]) errors.forbidden(path.child(name), `${name} is forbidden when subject kind is not '${kind}'`)
  }
}

function validateAccount({ serviceAccount: account }: Infer<typeof Subject>, path: FieldPath, errors: FieldErrors): void {
  if (!account) return
  const at = path.child('serviceAccount')
  if (account.name !== '' && account.name !== '*') validateFormat(account.name, 'dns1123Subdomain', at.child('name'), errors)
  validateRequiredFormat(account.namespace, 'dns1123Label', at.child('namespace'), errors, 'must specify namespace for service account')
}

type Values = readonly string[] | null | undefined

/** A non-empty list, in which a wildcard must be alone. True when single values remain to be validated. */
function validateValues(
  values: Values,
  required: string,
  words: string,
  path: FieldPath,
  errors: FieldErrors,
): values is readonly string[] {
  if (!values?.length) {
    errors.required(path, required)
    return false
  }
  if (!values.includes('*')) return true
  if (values.length > 1) errors.invalid(path, [...values], `if '*' is present, must not specify other ${words}`)
  return false
}

function validateVerbs(given: Values, path: FieldPath, errors: FieldErrors): void {
  if (!validateValues(given, 'verbs must contain at least one value', 'verbs', path, errors)) return
  if (given.some((verb) => !supportedVerbs.includes(verb))) {
    errors.add('FieldValueNotSupported', path, [...given], `supported values: ${supportedVerbs.map((verb) => `"${verb}"`).join(', ')}`)
  }
}

function validateResourceRule(rule: Infer<typeof ResourcePolicyRule>, path: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule.verbs, path.child('verbs'), errors)
  validateValues(rule.apiGroups, 'resource rules must supply at least one api group', 'api groups', path.child('apiGroups'), errors)
  validateValues(rule.resources, 'resource rules must supply at least one resource', 'resources', path.child('resources'), errors)
  const at = path.child('namespaces')
  if (rule.clusterScope && !rule.namespaces?.length) return
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace'
  if (!validateValues(rule.namespaces, missing, 'namespaces', at, errors)) return
  rule.namespaces?.forEach((namespace, index) => {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    for (const problem of formats.dns1123Label(namespace)) errors.invalid(at.index(index), namespace, intro + problem)
  })
}

function validateNonResourceRule(rule: Infer<typeof NonResourcePolicyRule>, path: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule.verbs, path.child('verbs'), errors)
  const at = path.child('nonResourceURLs')
  if (!validateValues(rule.nonResourceURLs, 'nonResourceURLs must contain at least one value', 'non-resource URLs', at, errors)) return
  rule.nonResourceURLs?.forEach((url, index) => {
    if (url === '') errors.invalid(at.index(index), url, 'must not be empty')
    else if (url !== '/' && !url.startsWith('/')) errors.invalid(at.index(index), url, 'must start with slash')
    else if (url.includes(' ')) errors.invalid(at.index(index), url, 'must not contain white-space')
    else if (url.includes('//')) errors.invalid(at.index(index), url, 'must not contain double slash')
    else if (url.slice(0, -1).includes('*')) errors.invalid(at.index(index), url, 'wildcard can only do suffix matching')
  })
}
