import { atomicList, field, inline, keyedList, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { LabelSelector } from '../meta/selector.ts'
import { repeats, validateRequiredFormat } from '../validation.ts'
import { MatchPolicyType } from './enums.ts'
import { defaultMatch, validateMatchPolicy, validateParamName, validateParamRef, validateVariable } from './policy-validation.ts'
import { validateOperations, validateRule } from './rule-validation.ts'

export const MatchCondition = message('MatchCondition', 'A CEL condition that a request must meet.', () => ({
  name: required(1, string, 'Name, for messages.'),
  expression: required(2, string, 'Expression that yields true or false.'),
})).with({
  validate({ name, expression }, path, errors) {
    if (!expression.trim()) errors.required(path.child('expression'))
    validateRequiredFormat(name, 'qualifiedName', path.child('name'), errors)
  },
})

/** The field of conditions of a webhook or policy. */
export const matchConditions = (tag: number) => keyedList(tag, MatchCondition, 'name', 'Conditions that must all be met.')

export const Rule = message('Rule', 'Resources and versions.', () => ({
  apiGroups: field(1, atomicList(string), 'API groups; * for all.'),
  apiVersions: field(2, atomicList(string), 'API versions; * for all.'),
  resources: field(3, atomicList(string), 'Resources, such as pods, pods/* or */scale; * for all but subresources.'),
  scope: pointer(4, string, 'Cluster, Namespaced or *.', { goType: 'v1.ScopeType', publishedEnum: ['Cluster', 'Namespaced', '*'] }),
})).with({
  defaults(rule) {
    rule.scope ??= '*'
  },
})

export const RuleWithOperations = message('RuleWithOperations', 'Resources and operations.', () => ({
  operations: field(
    1,
    atomicList(withFacets(string, { publishedEnum: ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'] })),
    'CREATE, UPDATE, DELETE, CONNECT; * for all.',
    { goType: 'v1.OperationType' },
  ),
  rule: inline(2, Rule),
})).with({
  validate(rule, path, errors) {
    validateOperations(rule.operations ?? [], path.child('operations'), errors)
    validateRule(rule, path, errors)
  },
})

export const NamedRuleWithOperations = message('NamedRuleWithOperations', 'Resources and operations, optionally limited to names.', () => ({
  resourceNames: field(1, atomicList(withFacets(string, { format: 'pathSegment' })), 'Names of objects; empty for all.'),
  ruleWithOperations: inline(2, RuleWithOperations),
})).with({
  atomic: true,
  validateFirst({ resourceNames }, path, errors) {
    const isRepeat = repeats()
    resourceNames?.forEach((name, index) => {
      if (isRepeat(name)) errors.duplicate(path.child('resourceNames').index(index), name)
    })
  },
})

/** The fields of MatchResources whose types are the same in all versions. */
export const matchFields = {
  namespaceSelector: pointer(1, LabelSelector, 'Namespaces of the objects, by label.'),
  objectSelector: pointer(2, LabelSelector, 'Objects, by label; the old or the new one must match.'),
  resourceRules: field(3, atomicList(NamedRuleWithOperations), 'Requests that match.'),
  excludeResourceRules: field(4, atomicList(NamedRuleWithOperations), 'Requests that do not match all the same.'),
}

export const MatchResources = message('MatchResources', 'Requests that a policy applies to.', () => ({
  ...matchFields,
  matchPolicy: pointer(7, string, 'Exact, or Equivalent to match other versions of a resource too.', {
    goType: 'v1.MatchPolicyType',
    publishedEnum: MatchPolicyType,
  }),
})).with({
  atomic: true,
  defaults: (match) => defaultMatch(match),
  validateFirst: (match, path, errors) => validateMatchPolicy(match, path, errors),
})

export const ParamKind = message('ParamKind', 'Kind of the parameters of a policy.', () => ({
  apiVersion: field(1, string, 'Group and version.'),
  kind: field(2, string, 'Kind.'),
})).with({ atomic: true })

export const Variable = message('Variable', 'A value that other expressions can use.', () => ({
  name: required(1, string, 'Name; read as variables.<name>.'),
  expression: required(2, string, 'Expression that yields the value.'),
})).with({ atomic: true, validate: (variable, path, errors) => validateVariable(variable, path, errors) })

export const ParamRef = message('ParamRef', 'Points at parameters; by name or by label.', () => ({
  name: field(1, string, 'Name of the object.'),
  namespace: field(2, string, 'Namespace of the object; that of the request by default.'),
  selector: pointer(3, LabelSelector, 'Objects by label; the policy runs once for each.'),
  parameterNotFoundAction: pointer(4, string, 'Without parameters: Allow or Deny.', {
    goType: 'v1.ParameterNotFoundActionType',
    openEnum: ['Allow', 'Deny'],
  }),
})).with({
  atomic: true,
  validateFirst: (reference, path, errors) => validateParamName(reference, path, errors),
  validate: (reference, path, errors) => validateParamRef(reference, path, errors),
})
