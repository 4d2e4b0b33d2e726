/** For tests that compare stored definitions with what they sent: disables the server's own controller of definitions. */
import type { Authorizer } from '../../runtimes/web/index.ts'

export const withoutDefinitionController: Authorizer = {
  name: 'no controller of definitions',
  authorize: ({ user, resource }) => ({
    verdict: user.name === 'system:apiserver' && resource === 'customresourcedefinitions' ? 'deny' : 'no-opinion',
    reason: '',
  }),
}
