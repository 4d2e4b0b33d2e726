import { field, list, message, pointer, string } from '../../../schema/model.ts'
import { LabelSelector } from '../../meta/selector.ts'
import { NamedRuleWithOperations } from '../match.ts'
import { defaultMatch, validateMatchPolicy } from '../policy-validation.ts'

export const MatchResources = message(
  'MatchResources',
  'Requests that a policy applies to.',
  {
    namespaceSelector: pointer(1, LabelSelector, 'Namespaces of the objects, by label.'),
    objectSelector: pointer(2, LabelSelector, 'Objects, by label; the old or the new one must match.'),
    resourceRules: field(3, list(NamedRuleWithOperations, { listType: 'atomic' }), 'Requests that match.'),
    excludeResourceRules: field(4, list(NamedRuleWithOperations, { listType: 'atomic' }), 'Requests that do not match all the same.'),
    matchPolicy: pointer(7, string, 'Exact, or Equivalent to match other versions of a resource too.', {
      goType: 'v1beta1.MatchPolicyType',
      openEnum: ['Exact', 'Equivalent'],
    }),
  },
  {
    atomic: true,
    defaults: (match) => defaultMatch(match),
    validateFirst: (match, path, errors) => validateMatchPolicy(match, path, errors),
  },
)
