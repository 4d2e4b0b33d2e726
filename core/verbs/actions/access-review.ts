/** SubjectAccessReview and its local and self forms (authorization API). */
import type { Authorizer } from '../../access/authz/authorizer.ts'
import { noRules } from '../../access/authz/rules.ts'
import type { ReviewSpec } from '../../access/authz/webhook-review.ts'
import { badRequest, invalid } from '../../answers/status.ts'
import type { User } from '../../request/exchange.ts'
import { NonResourceAttributes } from '../../resources/authorization/attributes.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { internalValue } from '../../schema/internal-value.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Services, Target } from '../services.ts'
import type { Action } from './action.ts'
import { type ReviewedSelectors, selectorTexts, validateSelectors } from './review-selectors.ts'

type Spec = ReviewSpec<ReviewedSelectors>

const specOf = (object: ApiObject) => (object['spec'] ?? {}) as Spec
const spec = FieldPath.of('spec')

/** Attributes to authorize, and errors in the review. */
function questionOf({ resourceAttributes, nonResourceAttributes }: Spec, user: User) {
  const none = { group: '', version: '', resource: '', subresource: '', name: '', namespace: '', path: '', verb: '' }
  if (!resourceAttributes) return { attributes: { ...none, ...nonResourceAttributes, user, isResource: false }, problems: [] }
  const { fieldSelector: _field, labelSelector: _label, ...rest } = resourceAttributes
  const { attributes, problems } = selectorTexts(resourceAttributes)
  return { attributes: { ...none, ...rest, version: rest.version || '*', ...attributes, user, isResource: true }, problems }
}

/** What a review may contain besides the attributes. */
interface Rules {
  /** Whether it names its subject. */
  readonly subject: boolean
  /** Whether it belongs to a namespace, whose resources it is about. */
  readonly local?: boolean
}

const isEmpty = (value: unknown) =>
  value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Validates a review in the reference's order. */
function validateReview({ metadata, ...object }: ApiObject, { subject, local = false }: Rules, errors: FieldErrors): void {
  const { resourceAttributes: resource, nonResourceAttributes: other, user = '', groups = [] } = specOf(object as ApiObject)
  const shown = other && internalValue(NonResourceAttributes, other as JsonObject)
  const path = spec.child('nonResourceAttributes')
  if (resource && other) errors.invalid(path, shown, 'cannot be specified in combination with resourceAttributes')
  if (!resource && !other)
    errors.invalid(spec.child('resourceAttributes'), null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')
  if (subject && user === '' && groups.length === 0)
    errors.invalid(spec.child('user'), user, 'at least one of user or group must be specified')
  if (resource) validateSelectors(resource, spec.child('resourceAttributes'), errors)
  const { managedFields: _managers, namespace = '', ...named } = metadata
  const left = Object.values({ ...named, ...(!local && { namespace }) }).filter((value) => !isEmpty(value))
  if (left.length > 0)
    errors.invalid(FieldPath.of('metadata'), metadata as Json, local ? 'must be empty except for namespace' : 'must be empty')
  if (!local) return
  if (resource && (resource.namespace ?? '') !== namespace)
    errors.invalid(spec.child('resourceAttributes').child('namespace'), resource.namespace ?? '', 'must match metadata.namespace')
  if (other) errors.invalid(path, shown, 'disallowed on this kind of request')
}

async function review(authorizer: Authorizer, target: Target, object: ApiObject, rules: Rules): Promise<ApiObject> {
  const errors = new FieldErrors()
  validateReview(object, rules, errors)
  // The reference leaves the kind out.
  if (errors.list.length > 0) throw invalid({ group: target.resource.definition.group, kind: '' }, '', errors.list)
  const user = rules.subject ? subjectOf(specOf(object)) : target.exchange.user
  const { attributes, problems } = questionOf(specOf(object), user)
  const { verdict, reason, error } = await authorizer.authorize(attributes, target.exchange)
  const evaluationError = [...(error === undefined ? [] : [error]), ...problems].join('; ')
  const status = {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(evaluationError !== '' && { evaluationError }),
  }
  return { ...object, status }
}

const subjectOf = ({ user = '', groups = [], uid, extra }: Spec): User => ({
  name: user,
  groups,
  ...(uid !== undefined && { uid }),
  ...(extra && { extra }),
})

/** SubjectAccessReview, or one of its other forms. */
export const accessReview = ({ access: { authorizer } }: Pick<Services, 'access'>, rules: Rules): Action => ({
  perform: (target, object) => review(authorizer, target, object, rules),
})

/** SelfSubjectRulesReview: the caller's rules in a namespace, as far as authorizers can list them. The answer is a new object. */
export const selfSubjectRulesReview = ({ access: { authorizer } }: Pick<Services, 'access'>): Action => ({
  perform({ exchange }, { kind, apiVersion, spec }) {
    const { namespace = '' } = (spec ?? {}) as { namespace?: string }
    if (namespace === '') throw badRequest('no namespace on request')
    const rules = authorizer.rulesFor?.(exchange.user, namespace) ?? noRules
    return { kind, apiVersion, metadata: {}, spec: {}, status: rules } as ApiObject
  },
})
