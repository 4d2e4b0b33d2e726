import type { ResourceDefinition } from '../../resources/definition.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from './access-review.ts'
import type { Action, Handlers } from './action.ts'
import { selfSubjectReview, tokenReview } from './authentication-review.ts'
import { binding, collectedBinding } from './binding.ts'
import { componentStatuses } from './component-statuses.ts'
import { connections } from './connect.ts'
import { eviction } from './eviction.ts'
import { tokenRequest } from './token-request.ts'

/** Rows by group and `PLURAL[/SUBRESOURCE]`; every version of a resource has the same. */
type Rows<T> = { readonly [group: string]: { readonly [path: string]: T } }

const actions: Rows<Action> = {
  '': { bindings: collectedBinding, 'pods/binding': binding, 'pods/eviction': eviction, 'serviceaccounts/token': tokenRequest },
  'authentication.<domain>': { selfsubjectreviews: selfSubjectReview, tokenreviews: tokenReview },
  'authorization.<domain>': {
    localsubjectaccessreviews: localSubjectAccessReview,
    selfsubjectaccessreviews: selfSubjectAccessReview,
    selfsubjectrulesreviews: selfSubjectRulesReview,
    subjectaccessreviews: subjectAccessReview,
  },
}

const handlers: Rows<Handlers> = { '': { ...connections, componentstatuses: componentStatuses } }

function rowOf<T>(rows: Rows<T>, { group, names }: ResourceDefinition, subresource: string, resolve: (text: string) => string) {
  const ofGroup = Object.entries(rows).find(([key]) => resolve(key) === group)?.[1]
  const path = subresource === '' ? names.plural : `${names.plural}/${subresource}`
  return ofGroup && Object.hasOwn(ofGroup, path) ? ofGroup[path] : undefined
}

/** The action of a POST to a resource or subresource, if it has one. `resolve` writes the platform's names into a text. */
export function actionOf(definition: ResourceDefinition, subresource: string, resolve: (text: string) => string): Action | undefined {
  return rowOf(actions, definition, subresource, resolve)
}

/** What answers instead of the verbs on stored objects, if anything does. */
export function handlersOf(definition: ResourceDefinition, subresource: string, resolve: (text: string) => string): Handlers | undefined {
  return rowOf(handlers, definition, subresource, resolve)
}
