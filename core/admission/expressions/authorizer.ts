/** The CEL variables `authorizer` and `authorizer.requestResource`. */
import { serviceAccountGroups, serviceAccountName } from '../../access/authn/names.ts'
import type { Authorizer, Decision } from '../../access/authz/authorizer.ts'
import { type AuthorizationCheck, authorizerValues, type Decide } from '../../cel/library/authorizer.ts'
import type { Context } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import { namespaceOf } from '../namespace-of.ts'

const accountOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): User => ({
  name: serviceAccountName(namespace, name),
  groups: serviceAccountGroups(namespace),
})

const answerOf = ({ verdict, reason, error }: Decision) => ({
  allowed: verdict === 'allow',
  reason,
  ...(error !== undefined && { error }),
})

/** Answers authorization checks of expressions with the server's authorizer. */
const decideWith =
  (authorizer: Authorizer, user: User, context: Context): Decide =>
  ({ path, serviceAccount, fieldSelector, labelSelector, ...check }: AuthorizationCheck) => {
    const asked = {
      ...check,
      user: serviceAccount ? accountOf(serviceAccount) : user,
      isResource: path === undefined,
      path: path ?? '',
      version: path === undefined ? '*' : '',
      ...(fieldSelector !== '' && { fieldSelector }),
      ...(labelSelector !== '' && { labelSelector }),
    }
    const decision = authorizer.authorize(asked, context)
    return decision instanceof Promise ? decision.then(answerOf) : answerOf(decision)
  }

/** Values of both variables for one request; each check is evaluated once. */
export function authorizerBindings(authorizer: Authorizer, attributes: AdmissionAttributes): ReturnType<typeof authorizerValues> {
  const { user, subresource, name } = attributes
  const { group, resource } = attributes.resource
  const asked = { group, resource, subresource, namespace: namespaceOf(attributes), name }
  return authorizerValues(decideWith(authorizer, user, attributes), asked)
}
