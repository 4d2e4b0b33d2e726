/** SubjectAccessReview and its local and self forms (authorization API). */
import type { Attributes } from '../../authz/authorizer.ts'
import type { User } from '../../request/exchange.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { invalid } from '../../respond/status.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Target } from '../services.ts'
import type { Action } from './action.ts'
import { type ReviewedSelectors, selectorTexts, validateSelectors } from './review-selectors.ts'

interface ResourceAttributes extends ReviewedSelectors {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface Spec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: { readonly [key: string]: readonly string[] }
}

const specOf = (object: ApiObject) => (object['spec'] ?? {}) as Spec
const spec = FieldPath.of('spec')

/** Attributes to authorize, and errors in the review. */
function questionOf(
  { resourceAttributes, nonResourceAttributes }: Spec,
  user: User,
): { attributes: Attributes; problems: readonly string[] } {
  const none = { group: '', version: '', resource: '', subresource: '', name: '', namespace: '', path: '', verb: '' }
  if (!resourceAttributes) return { attributes: { ...none, ...nonResourceAttributes, user, isResource: false }, problems: [] }
  const { fieldSelector: _field, labelSelector: _label, ...rest } = resourceAttributes
  const { attributes, problems } = selectorTexts(resourceAttributes)
  return { attributes: { ...none, ...rest, version: rest.version || '*', ...attributes, user, isResource: true }, problems }
}

function validateAction({ resourceAttributes, nonResourceAttributes }: Spec, errors: FieldErrors): void {
  const both = 'cannot be specified in combination with resourceAttributes'
  if (resourceAttributes && nonResourceAttributes) errors.invalid(spec.child('nonResourceAttributes'), nonResourceAttributes, both)
  if (!resourceAttributes && !nonResourceAttributes)
    errors.invalid(spec.child('resourceAttributes'), null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')
  if (resourceAttributes) validateSelectors(resourceAttributes, spec.child('resourceAttributes'), errors)
}

async function review(target: Target, object: ApiObject, user: User, errors: FieldErrors): Promise<ApiObject> {
  validateAction(specOf(object), errors)
  if (errors.list.length > 0) throw invalid(target.resource.definition, '', errors.list)
  const { attributes, problems } = questionOf(specOf(object), user)
  const { verdict, reason, error } = await target.services.authorizer.authorize(attributes, target.exchange)
  const evaluationError = [...(error === undefined ? [] : [error]), ...problems].join('; ')
  const status = {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(evaluationError !== '' && { evaluationError }),
  }
  return { ...object, status }
}

export const selfSubjectAccessReview: Action = {
  perform: (target, object) => review(target, object, target.exchange.user, new FieldErrors()),
}

function subjectOf({ user = '', groups = [], uid, extra }: Spec, errors: FieldErrors): User {
  if (user === '' && groups.length === 0) errors.invalid(spec.child('user'), user, 'at least one of user or group must be specified')
  return { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) }
}

export const subjectAccessReview: Action = {
  perform(target, object) {
    const errors = new FieldErrors()
    return review(target, object, subjectOf(specOf(object), errors), errors)
  },
}

export const localSubjectAccessReview: Action = {
  perform(target, object) {
    const errors = new FieldErrors()
    const attributes = specOf(object).resourceAttributes
    if (attributes && attributes.namespace !== target.namespace)
      errors.invalid(spec.child('resourceAttributes').child('namespace'), attributes.namespace ?? '', 'must match metadata.namespace')
    return review(target, object, subjectOf(specOf(object), errors), errors)
  },
}

/** SelfSubjectRulesReview: the caller's rules in a namespace, as far as authorizers can list them. */
export const selfSubjectRulesReview: Action = {
  perform(target, object) {
    const { namespace = '' } = (object['spec'] ?? {}) as { namespace?: string }
    if (namespace === '') {
      const errors = new FieldErrors()
      errors.invalid(spec.child('namespace'), '', 'a namespace is required')
      throw invalid(target.resource.definition, '', errors.list)
    }
    return { ...object, status: target.services.rulesFor(target.exchange.user, namespace) }
  },
}
