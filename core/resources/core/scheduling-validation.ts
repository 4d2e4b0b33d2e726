/** Validation of tolerations, taints, affinities and topology spread constraints. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { internalValue } from '../../schema/internal-value.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { validate } from '../../schema/validate.ts'
import { LabelSelector } from '../meta/selector.ts'
import { asJson, validateFormat, validateSupported } from '../validation.ts'
import type {
  Affinity as AffinitySchema,
  NodeSelectorRequirement,
  NodeSelector as NodeSelectorSchema,
  NodeSelectorTerm,
  PodAffinityTerm,
} from './affinity.ts'
import { Taint, TaintEffect, type Toleration as TolerationSchema, type TopologySpreadConstraint } from './scheduling.ts'

type Selector = Infer<typeof LabelSelector>
type PodAffinityTerms = readonly Infer<typeof PodAffinityTerm>[]

export function validateSelector(selector: Selector | undefined, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (selector) errors.forgivable('label selectors', () => validate(LabelSelector, selector as Json, path, errors, context))
}

export function validateTolerations(
  tolerations: readonly Infer<typeof TolerationSchema>[],
  path: FieldPath,
  errors: FieldErrors,
  { settings }: HookContext,
): void {
  const compares = settings.enabled('TaintTolerationComparisonOperators')
  tolerations.forEach(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
    const at = path.index(index)
    if (key !== '') validateFormat(key, 'labelKey', at.child('key'), errors)
    else if (operator !== 'Exists') {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.invalid(at.child('operator'), operator, why)
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    }
    validateTolerationValue(operator, value, compares, at, errors)
    if (effect !== '') validateSupported(effect, TaintEffect, at.child('effect'), errors)
  })
}

const wholeNumber = /^(0|-?[1-9]\d*)$/

function validateTolerationValue(operator: string, value: string, compares: boolean, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('operator')
  if (operator === 'Exists') {
    if (value !== '') errors.invalid(at, value, "value must be empty when `operator` is 'Exists'")
  } else if (operator === 'Equal' || operator === '') {
    const problems = formats.labelValue(value)
    if (problems.length > 0) errors.invalid(at, value, problems.join(';'))
  } else if (operator === 'Lt' || operator === 'Gt') {
    if (compares) {
      if (!wholeNumber.test(value)) errors.invalid(path.child('value'), value, 'must be a valid decimal integer in canonical form')
    } else errors.forgivable('toleration operators', () => errors.notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt']))
  } else errors.notSupported(at, operator, compares ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'])
}

export function validateTaints(taints: readonly Infer<typeof Taint>[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>()
  taints.forEach((taint, index) => {
    const { key, value = '', effect } = taint
    const at = path.index(index)
    validateFormat(key, 'labelKey', at.child('key'), errors)
    const problems = formats.labelValue(value)
    if (problems.length > 0) errors.invalid(at.child('value'), value, problems.join(';'))
    if (effect === '') errors.required(at.child('effect'))
    else validateSupported(effect, TaintEffect, at.child('effect'), errors)
    const pair = `${effect}/${key}`
    if (seen.has(pair)) {
      // The path of nodes' taints is not theirs.
      errors.addAsIs('FieldValueDuplicate', at, internalValue(Taint, asJson(taint)), 'taints must be unique by key and effect pair')
    }
    seen.add(pair)
  })
}

function validateNodeLabel(
  { key, operator, values = [] }: Infer<typeof NodeSelectorRequirement>,
  strict: boolean,
  path: FieldPath,
  errors: FieldErrors,
) {
  const at = path.child('values')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.required(at, "must be specified when `operator` is 'In' or 'NotIn'")
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")
  } else errors.invalid(path.child('operator'), operator, 'not a valid selector operator')
  validateFormat(key, 'labelKey', path.child('key'), errors)
  if (!strict) return
  errors.forgivable('label values of nodes', () => {
    for (const [index, value] of values.entries()) validateFormat(value, 'labelValue', at.index(index), errors)
  })
}

function validateNodeField(
  { key, operator, values = [] }: Infer<typeof NodeSelectorRequirement>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('values')
  if (operator !== 'In' && operator !== 'NotIn') errors.invalid(path.child('operator'), operator, 'not a valid selector operator')
  else if (values.length !== 1) {
    errors.required(at, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
  }
  if (key !== 'metadata.name') errors.invalid(path.child('key'), key, 'not a valid field selector key')
  else for (const [index, value] of values.entries()) validateFormat(value, 'dns1123Subdomain', at.index(index), errors)
}

/** `strict`: values must be valid label values. */
function validateNodeTerm(
  { matchExpressions = [], matchFields = [] }: Infer<typeof NodeSelectorTerm>,
  strict: boolean,
  path: FieldPath,
  errors: FieldErrors,
) {
  for (const [index, each] of matchExpressions.entries())
    validateNodeLabel(each, strict, path.child('matchExpressions').index(index), errors)
  for (const [index, each] of matchFields.entries()) validateNodeField(each, path.child('matchFields').index(index), errors)
}

export function validateNodeSelector(
  { nodeSelectorTerms: terms }: Infer<typeof NodeSelectorSchema>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('nodeSelectorTerms')
  if (!terms?.length) errors.required(at, 'must have at least one node selector term')
  for (const [index, term] of (terms ?? []).entries()) validateNodeTerm(term, true, at.index(index), errors)
}

function validateWeight(weight: number, path: FieldPath, errors: FieldErrors): void {
  if (weight <= 0 || weight > 100) errors.invalid(path.child('weight'), weight, 'must be in the range 1-100')
}

export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Infer<typeof AffinitySchema>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const requiredName = 'requiredDuringSchedulingIgnoredDuringExecution'
  const preferredName = 'preferredDuringSchedulingIgnoredDuringExecution'
  if (nodeAffinity) {
    const at = path.child('nodeAffinity')
    if (nodeAffinity[requiredName]) validateNodeSelector(nodeAffinity[requiredName], at.child(requiredName), errors)
    nodeAffinity[preferredName]?.forEach(({ weight, preference }, index) => {
      validateWeight(weight, at.child(preferredName).index(index), errors)
      validateNodeTerm(preference, false, at.child(preferredName).index(index).child('preference'), errors)
    })
  }
  for (const [name, rules] of Object.entries({ podAffinity, podAntiAffinity })) {
    const at = path.child(name)
    validatePodTerms(rules?.[requiredName] ?? [], at.child(requiredName), errors, context)
    rules?.[preferredName]?.forEach(({ weight, podAffinityTerm }, index) => {
      const item = at.child(preferredName).index(index)
      validateWeight(weight, item, errors)
      validatePodTerm(podAffinityTerm, item.child('podAffinityTerm'), errors, context)
    })
  }
}

function validatePodTerms(terms: PodAffinityTerms, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  for (const [index, term] of terms.entries()) validatePodTerm(term, path.index(index), errors, context)
}

function validatePodTerm(term: PodAffinityTerms[number], path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  validateSelector(labelSelector, path.child('labelSelector'), errors, context)
  validateSelector(namespaceSelector, path.child('namespaceSelector'), errors, context)
  for (const name of namespaces) validateFormat(name, 'dns1123Label', path.child('namespace'), errors)
  validateLabelKeys({ matchLabelKeys, mismatchLabelKeys, labelSelector }, path, errors)
  if (topologyKey === '') errors.required(path.child('topologyKey'), 'can not be empty')
  validateFormat(topologyKey, 'labelKey', path.child('topologyKey'), errors)
}

interface LabelKeys {
  matchLabelKeys: readonly string[]
  mismatchLabelKeys?: readonly string[]
  labelSelector: Selector | undefined
}

function validateLabelKeys(
  { matchLabelKeys, mismatchLabelKeys = [], labelSelector }: LabelKeys,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const at = path.child(name)
    if (keys.length > 0 && !labelSelector) errors.forbidden(at, 'must not be specified when labelSelector is not set')
    else for (const [index, key] of keys.entries()) validateFormat(key, 'labelKey', at.index(index), errors)
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}))
  const positions = new Map(matchLabelKeys.map((key, index) => [key, index]))
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = positions.get(key)
    if (index !== undefined && selected.has(key)) errors.invalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector')
    selected.add(key)
  }
  const mismatched = new Set(mismatchLabelKeys)
  matchLabelKeys.forEach((key, index) => {
    if (!mismatched.has(key)) return
    errors.invalid(path.child('matchLabelKeys').index(index), key, 'exists in both matchLabelKeys and mismatchLabelKeys')
  })
}

type Spread = Infer<typeof TopologySpreadConstraint>

export function validateSpread(constraints: readonly Spread[], path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const identityOf = ({ topologyKey, whenUnsatisfiable }: Spread) => JSON.stringify([topologyKey, whenUnsatisfiable])
  const lastOf = new Map(constraints.map((constraint, index) => [identityOf(constraint), index]))
  constraints.forEach((constraint, index) => {
    const { maxSkew, topologyKey, whenUnsatisfiable: action, minDomains, labelSelector, matchLabelKeys = [] } = constraint
    const at = path.index(index)
    if (maxSkew <= 0) errors.invalid(at.child('maxSkew'), maxSkew, 'must be greater than zero')
    if (topologyKey === '') errors.required(at.child('topologyKey'), 'can not be empty')
    validateSupported(action, ['DoNotSchedule', 'ScheduleAnyway'], at.child('whenUnsatisfiable'), errors)
    if (lastOf.get(identityOf(constraint)) !== index)
      errors.duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${action}}`)
    if (minDomains !== undefined) {
      const where = at.child('minDomains')
      if (minDomains <= 0) errors.invalid(where, minDomains, 'must be greater than zero')
      if (action !== 'DoNotSchedule') {
        errors.invalid(where, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`)
      }
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      if (constraint[name] !== undefined) validateSupported(constraint[name], ['Honor', 'Ignore'], at.child(name), errors)
    }
    errors.forgivable('keys of spread labels', () => validateLabelKeys({ matchLabelKeys, labelSelector }, at, errors))
    validateSelector(labelSelector, at.child('labelSelector'), errors, context)
  })
}
