import type { ActionName, ResourceDefinition } from '../../resources/definition.ts'
import { perform } from '../perform.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from './access-review.ts'
import type { Action, Answers } from './action.ts'
import { selfSubjectReview, tokenReview } from './authentication-review.ts'
import { binding, collectedBinding } from './binding.ts'
import { componentStatuses } from './component-statuses.ts'
import { nodeProxy, podForward, podLog, podProxy, podStream, serviceProxy } from './connect.ts'
import { eviction } from './eviction.ts'
import { tokenRequest } from './token-request.ts'

const posted = (action: Action): Answers => ({
  verbs: { create: perform(action) },
  ...(action.body && { body: action.body }),
  tables: false,
})

const actions: { readonly [name in ActionName]: Answers } = {
  binding: posted(binding),
  collectedBinding: posted(collectedBinding),
  componentStatuses,
  eviction: posted(eviction),
  localSubjectAccessReview: posted(localSubjectAccessReview),
  nodeProxy,
  podForward,
  podLog,
  podProxy,
  podStream,
  selfSubjectAccessReview: posted(selfSubjectAccessReview),
  selfSubjectReview: posted(selfSubjectReview),
  selfSubjectRulesReview: posted(selfSubjectRulesReview),
  serviceProxy,
  subjectAccessReview: posted(subjectAccessReview),
  tokenRequest: posted(tokenRequest),
  tokenReview: posted(tokenReview),
}

/** Handlers that replace the verbs on stored objects, for a resource or its named subresource; undefined: none. */
export function actionOf({ action, subresources }: ResourceDefinition, subresource: string): Answers | undefined {
  const name = subresource === '' ? action : subresources.find((each) => each.name === subresource)?.action
  return name && actions[name]
}
