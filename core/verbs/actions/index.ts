import { once } from '../../common/once.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { perform } from '../perform.ts'
import type { Services } from '../services.ts'
import { accessReview, selfSubjectRulesReview } from './access-review.ts'
import type { Action, VerbHandlers } from './action.ts'
import { selfSubjectReview, tokenReview } from './authentication-review.ts'
import { binding, collectedBinding } from './binding.ts'
import { componentStatuses } from './component-statuses.ts'
import { eviction } from './eviction.ts'
import { noConnections } from './no-connections.ts'
import { tokenRequest } from './token-request.ts'

/** Handlers that replace the verbs on stored objects, by the name that rows of resources and subresources give as their `action`. */
function actionsOf(services: Services): { readonly [name: string]: VerbHandlers } {
  const posted = (action: Action): VerbHandlers => ({
    verbs: { create: perform(action, services) },
    ...(action.body && { body: action.body }),
    tables: false,
  })
  return {
    ...(services.connections ?? noConnections)(services),
    binding: posted(binding(services)),
    collectedBinding: posted(collectedBinding(services)),
    componentStatuses: componentStatuses(services),
    eviction: posted(eviction(services)),
    localSubjectAccessReview: posted(accessReview(services, { subject: true, local: true })),
    selfSubjectAccessReview: posted(accessReview(services, { subject: false })),
    selfSubjectReview: posted(selfSubjectReview(services)),
    selfSubjectRulesReview: posted(selfSubjectRulesReview(services)),
    subjectAccessReview: posted(accessReview(services, { subject: true })),
    tokenRequest: posted(tokenRequest(services)),
    tokenReview: posted(tokenReview(services)),
  }
}

/** Finds the handlers of a resource or its named subresource; undefined: there are none of their own. */
export function createActions(services: Services) {
  const actions = once(() => actionsOf(services))
  return ({ action, subresources }: ResourceDefinition, subresource: string): VerbHandlers | undefined => {
    const name = subresource === '' ? action : subresources.find((each) => each.name === subresource)?.action
    return name === undefined ? undefined : actions()[name]
  }
}
