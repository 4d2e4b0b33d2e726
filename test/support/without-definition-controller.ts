/** For tests that compare definitions of custom resources with what they sent: the server itself may not write them. */
import type { Authorizer } from '../../runtimes/web/index.ts'

export const withoutDefinitionController: Authorizer = {
  name: 'no controller of definitions',
  authorize: ({ user, resource }) => ({
    verdict: user.name === 'system:apiserver' && resource === 'customresourcedefinitions' ? 'deny' : 'no-opinion',
    reason: '',
  }),
}
