import type { ActionName, ResourceDefinition } from '../../resources/definition.ts'
import { perform } from '../perform.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from './access-review.ts'
import type { Action, VerbHandlers } from './action.ts'
import { selfSubjectReview, tokenReview } from './authentication-review.ts'
import { binding, collectedBinding } from './binding.ts'
import { componentStatuses } from './component-statuses.ts'
import { nodeProxy, podForward, podLog, podProxy, podStream, serviceProxy } from './connect.ts'
import { eviction } from './eviction.ts'
import { tokenRequest } from './token-request.ts'

const handlersOf = (action: Action): VerbHandlers => ({
  verbs: { create: perform(action) },
  ...(action.body && { body: action.body }),
  tables: false,
})

const actions: { readonly [name in ActionName]: VerbHandlers } = {
  binding: handlersOf(binding),
  collectedBinding: handlersOf(collectedBinding),
  componentStatuses,
  eviction: handlersOf(eviction),
  localSubjectAccessReview: handlersOf(localSubjectAccessReview),
  nodeProxy,
  podForward,
  podLog,
  podProxy,
  podStream,
  selfSubjectAccessReview: handlersOf(selfSubjectAccessReview),
  selfSubjectReview: handlersOf(selfSubjectReview),
  selfSubjectRulesReview: handlersOf(selfSubjectRulesReview),
  serviceProxy,
  subjectAccessReview: handlersOf(subjectAccessReview),
  tokenRequest: handlersOf(tokenRequest),
  tokenReview: handlersOf(tokenReview),
}

/** Handlers that replace the verbs on stored objects, for a resource or its named subresource; undefined: none. */
export function actionOf({ action, subresources }: ResourceDefinition, subresource: string): VerbHandlers | undefined {
  const name = subresource === '' ? action : subresources.find((each) => each.name === subresource)?.action
  return name && actions[name]
}
