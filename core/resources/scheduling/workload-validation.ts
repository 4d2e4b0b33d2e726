/** Validates workloads and pod groups (KEP-4671) in the order of the reference's generated validation. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { isNew, isNewImmutable, validateNamed, validateNeeded, validateOneOf } from '../declared-validation.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { validateFormat, validateSupported } from '../validation.ts'
import { DisruptionMode } from './v1alpha2/enums.ts'
import type { PodGroupResourceClaim, PodGroupSchedulingConstraints, PodGroupSchedulingPolicy } from './v1alpha2/pod-group-policy.ts'
import type { PodGroup, PodGroupTemplateReference } from './v1alpha2/podgroup.ts'
import type { PodGroupTemplate, TypedLocalObjectReference, Workload } from './v1alpha2/workload.ts'

type Group = Infer<typeof PodGroup>
type Template = Infer<typeof PodGroupTemplate>

const max = { templates: 8, claims: 4, topologies: 1, priority: 1_000_000_000 }
const specPath = FieldPath.of('spec')
const statusPath = FieldPath.of('status')

/** Fields of a group's spec that can't be changed, in order. */
const rules: { readonly [name in keyof Group['spec']]-?: (spec: Group['spec'], path: FieldPath, errors: FieldErrors) => void } = {
  podGroupTemplateRef: ({ podGroupTemplateRef }, path, errors) => validateOrigin(podGroupTemplateRef, path, errors),
  schedulingPolicy: ({ schedulingPolicy }, path, errors) => validatePolicy(schedulingPolicy, path, errors),
  schedulingConstraints: ({ schedulingConstraints }, path, errors) => validateConstraints(schedulingConstraints, path, errors),
  resourceClaims: ({ resourceClaims }, path, errors) => validateClaims(resourceClaims, path, errors),
  disruptionMode: ({ disruptionMode }, path, errors) => validateMode(disruptionMode, path, errors),
  priorityClassName: ({ priorityClassName }, path, errors) => validateClassName(priorityClassName, path, errors),
  priority: ({ priority }, path, errors) => validatePriority(priority, path, errors),
}

export function validatePodGroup({ spec }: Group, errors: FieldErrors, _context: HookContext, old?: Group): void {
  for (const name of Object.keys(rules) as (keyof typeof rules)[]) {
    const path = specPath.child(name)
    if (isNewImmutable(spec[name], old && { value: old.spec[name] }, path, errors)) rules[name](spec, path, errors)
  }
}

export function validatePodGroupStatus({ spec, status = {} }: Group, old: Group, errors: FieldErrors): void {
  const path = statusPath.child('resourceClaimStatuses')
  const { conditions, resourceClaimStatuses: claims = [] } = status
  validateConditions(conditions, statusPath.child('conditions'), errors)
  const known = new Set(spec.resourceClaims?.map(({ name }) => name))
  claims.forEach(({ name }, index) => {
    if (!known.has(name)) errors.invalid(path.index(index).child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')
  })
  const before = old.status?.resourceClaimStatuses
  if (!isNew(claims, { value: before ?? [] })) return
  validateNamed(claims, max.claims, path, errors, ({ name, resourceClaimName }, at) => {
    const stored = before?.find((each) => each.name === name)
    if (isNew(resourceClaimName, stored && { value: stored.resourceClaimName }))
      validateFormat(resourceClaimName, 'longName', at.child('resourceClaimName'), errors)
  })
}

export function validateWorkload(
  { spec }: Infer<typeof Workload>,
  errors: FieldErrors,
  _context: HookContext,
  old?: Infer<typeof Workload>,
): void {
  const { controllerRef, podGroupTemplates } = spec
  const at = { controller: specPath.child('controllerRef'), templates: specPath.child('podGroupTemplates') }
  // A controller may be set later.
  const stored = old?.spec.controllerRef && { value: old.spec.controllerRef }
  if (isNewImmutable(controllerRef, old && { value: stored?.value }, at.controller, errors))
    validateController(controllerRef, at.controller, errors)
  if (!isNewImmutable(podGroupTemplates, old && { value: old.spec.podGroupTemplates }, at.templates, errors)) return
  // Required, so that absent is null.
  if ((podGroupTemplates ?? []).length === 0) errors.required(at.templates)
  else validateNamed(podGroupTemplates, max.templates, at.templates, errors, (template, path) => validateTemplate(template, path, errors))
}

function validateController(reference: Infer<typeof TypedLocalObjectReference> | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!reference) return
  if (reference.apiGroup) validateFormat(reference.apiGroup, 'longName', path.child('apiGroup'), errors)
  validateNeeded(reference.kind, 'pathSegment', path.child('kind'), errors)
  validateNeeded(reference.name, 'pathSegment', path.child('name'), errors)
}

function validateTemplate(template: Template, path: FieldPath, errors: FieldErrors): void {
  validateNeeded(template.name, 'shortName', path.child('name'), errors)
  validatePolicy(template.schedulingPolicy, path.child('schedulingPolicy'), errors)
  validateConstraints(template.schedulingConstraints, path.child('schedulingConstraints'), errors)
  validateClaims(template.resourceClaims, path.child('resourceClaims'), errors)
  validateMode(template.disruptionMode, path.child('disruptionMode'), errors)
  validateClassName(template.priorityClassName, path.child('priorityClassName'), errors)
  validatePriority(template.priority, path.child('priority'), errors)
}

function validateOrigin(origin: Infer<typeof PodGroupTemplateReference> | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!origin) return
  const { workload } = origin
  validateOneOf({ workload: workload ?? undefined }, path, errors)
  if (!workload) return
  const at = path.child('workload')
  validateNeeded(workload.workloadName, 'longName', at.child('workloadName'), errors)
  validateNeeded(workload.podGroupTemplateName, 'shortName', at.child('podGroupTemplateName'), errors)
}

function validatePolicy({ basic, gang }: Infer<typeof PodGroupSchedulingPolicy>, path: FieldPath, errors: FieldErrors): void {
  validateOneOf({ basic, gang }, path, errors)
  if (!gang) return
  const at = path.child('gang').child('minCount')
  if (gang.minCount === 0) errors.required(at)
  else if (gang.minCount < 0) errors.invalid(at, gang.minCount, 'must be greater than or equal to 1')
}

function validateConstraints(
  constraints: Infer<typeof PodGroupSchedulingConstraints> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('topology')
  const { topology = [] } = constraints ?? {}
  if (topology.length > max.topologies) errors.tooMany(at, topology.length, max.topologies)
  else
    topology.forEach(({ key }, index) => {
      validateNeeded(key, 'labelKey', at.index(index).child('key'), errors)
    })
}

function validateClaims(claims: readonly Infer<typeof PodGroupResourceClaim>[] | undefined, path: FieldPath, errors: FieldErrors): void {
  validateNamed(claims, max.claims, path, errors, ({ name, resourceClaimName, resourceClaimTemplateName }, at) => {
    validateOneOf({ resourceClaimName, resourceClaimTemplateName }, at, errors)
    validateNeeded(name, 'shortName', at.child('name'), errors)
    validateFormat(resourceClaimName, 'longName', at.child('resourceClaimName'), errors)
    validateFormat(resourceClaimTemplateName, 'longName', at.child('resourceClaimTemplateName'), errors)
  })
}

function validateMode(mode: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (mode !== undefined) validateSupported(mode, DisruptionMode, path, errors)
}

function validateClassName(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (name) validateFormat(name, 'longName', path, errors)
}

function validatePriority(priority: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (priority !== undefined && priority > max.priority) errors.invalid(path, priority, `must be less than or equal to ${max.priority}`)
}
