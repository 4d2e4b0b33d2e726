import { message, pointer, string } from '../../../schema/model.ts'
import { matchFields } from '../match.ts'
import { defaultMatch, validateMatchPolicy } from '../policy-validation.ts'

export const MatchResources = message('MatchResources', 'Requests that a policy applies to.', () => ({
  ...matchFields,
  matchPolicy: pointer(7, string, 'Exact, or Equivalent to match other versions of a resource too.', {
    goType: 'v1beta1.MatchPolicyType',
    openEnum: ['Exact', 'Equivalent'],
  }),
})).with({
  atomic: true,
  defaults: (match) => defaultMatch(match),
  validateFirst: (match, path, errors) => validateMatchPolicy(match, path, errors),
})
