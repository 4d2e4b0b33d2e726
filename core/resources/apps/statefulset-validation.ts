/** Validation of specs of stateful sets, in the reference's order. */

import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer, JsonObject } from '../../schema/model.ts'
import { validateAnnotations, validateLabels as validateLabelNames } from '../../schema/object-meta.ts'
import { validateClaimSpec } from '../core/claim-validation.ts'
import { validatePodAnnotations } from '../core/pod-annotation-validation.ts'
import { amountOf, validateAmount, validateAtMostAll } from '../int-or-percent.ts'
import { isEmptySelector } from '../meta/selector-match.ts'
import { asJson, validateFormat, validateNonNegative, validateSupported } from '../validation.ts'
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from './statefulset.ts'
import { validateLabels, validateLasting, validateRequiredSelector, validateTemplate } from './workload-validation.ts'

type Spec = Infer<typeof StatefulSetSpec>

/** The template as pods get it: claims are volumes, and names come from the set. */
function templateOf({ template, volumeClaimTemplates = [] }: Spec): Spec['template'] {
  const { hostname, subdomain, ...pod } = template.spec ?? { containers: [] }
  if (template.spec === undefined || (!hostname && !subdomain && volumeClaimTemplates.length === 0)) return template
  const names = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? '')
  const claimed = new Set(names)
  const others = (pod.volumes ?? []).filter(({ name }) => !claimed.has(name))
  const claims = [...claimed].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  return { ...template, spec: { ...pod, volumes: names.length > 0 ? [...claims, ...others] : pod.volumes } }
}

/** What the reference doesn't validate on updates. */
interface Skipped {
  /** Names and claims that can't be changed. */
  readonly fixed: boolean
  /** The template, if the stored spec is invalid. */
  readonly template: boolean
}

function validateSpec(spec: Spec, skipped: Skipped, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { podManagementPolicy: management, selector, template } = spec
  const managementAt = path.child('podManagementPolicy')
  if (!management) errors.required(managementAt)
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    errors.invalid(managementAt, management, "must be 'OrderedReady' or 'Parallel'")
  }
  validateUpdateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy'), errors)
  validateRetention(spec.persistentVolumeClaimRetentionPolicy, path.child('persistentVolumeClaimRetentionPolicy'), errors)
  if (!skipped.fixed) {
    for (const [index, claim] of (spec.volumeClaimTemplates ?? []).entries())
      validateClaimSpec(claim.spec ?? {}, path.child('volumeClaimTemplates').index(index).child('spec'), errors, context)
  }
  validateNonNegative(spec.replicas, path.child('replicas'), errors)
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors)
  validateNonNegative(spec.ordinals?.start, path.child('ordinals.start'), errors)
  if (!skipped.fixed && spec.serviceName) validateFormat(spec.serviceName, 'dns1123Label', path.child('serviceName'), errors)
  const at = path.child('template')
  if (validateRequiredSelector(selector, { kind: 'statefulset', malformed: '' }, path.child('selector'), errors, context)) {
    if (!selector || !isEmptySelector(selector)) validateLabels(selector, template, at, errors)
    const pods = templateOf(spec)
    if (!skipped.template) validateTemplate(pods, at, errors, context)
    const { labels, annotations } = pods.metadata ?? {}
    validateLabelNames(labels, at.child('labels'), errors)
    validateAnnotations(annotations, at.child('annotations'), errors)
    if (pods.spec) validatePodAnnotations(annotations ?? {}, pods.spec, at.child('annotations'), errors, context)
  }
  validateLasting(template, 'StatefulSet', at, errors)
}

function validateUpdateStrategy(strategy: Infer<typeof StatefulSetUpdateStrategy>, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  const at = path.child('rollingUpdate')
  if (!type) errors.required(path)
  else if (type === 'RollingUpdate') validateRollingUpdate(rollingUpdate ?? {}, at, errors)
  else if (type !== 'OnDelete') errors.invalid(path, asJson(strategy), "must be 'RollingUpdate' or 'OnDelete'")
  else if (rollingUpdate) errors.invalid(at, asJson(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")
}

function validateRollingUpdate(
  { partition, maxUnavailable }: Infer<typeof RollingUpdateStatefulSetStrategy>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateNonNegative(partition, path.child('partition'), errors)
  if (maxUnavailable === undefined) return
  const at = path.child('maxUnavailable')
  validateAmount(maxUnavailable, at, errors)
  if (amountOf(maxUnavailable) === 0) errors.invalid(at, maxUnavailable, 'cannot be 0')
  validateAtMostAll(maxUnavailable, at, errors)
}

function validateRetention(
  policy: Infer<typeof StatefulSetPersistentVolumeClaimRetentionPolicy> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!policy) return
  for (const name of ['whenDeleted', 'whenScaled'] as const) validateSupported(policy[name], ['Retain', 'Delete'], path.child(name), errors)
}

/** Fixed parts, and a template beside an invalid stored spec, are only validated on create. */
export function validateStatefulSet(
  { spec }: Infer<typeof StatefulSet>,
  errors: FieldErrors,
  context: HookContext,
  old?: Infer<typeof StatefulSet>,
): void {
  if (!spec) return
  const before = new FieldErrors()
  if (old?.spec) validateSpec(old.spec, { fixed: true, template: false }, FieldPath.root, before, context)
  validateSpec(spec, { fixed: old !== undefined, template: before.count > 0 }, FieldPath.of('spec'), errors, context)
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]
const quoted = changeable.map((name) => `'${name}'`)
const updateRule = `updates to statefulset spec for fields other than ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)} are forbidden`

/** The immutable part of a spec. */
function fixedPart(spec: object = {}): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !changeable.includes(name)))
}

export function validateStatefulSetUpdate({ spec }: Infer<typeof StatefulSet>, old: Infer<typeof StatefulSet>, errors: FieldErrors): void {
  if (!equal(fixedPart(spec), fixedPart(old.spec))) errors.forbidden(FieldPath.of('spec'), updateRule)
}
