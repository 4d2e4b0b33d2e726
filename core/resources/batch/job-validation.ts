/** Validates jobs: generated selector, pod names, and immutable fields. */

import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateLabels, validateSelectorParts } from '../apps/workload-validation.ts'
import { selectorMatches } from '../meta/selector-match.ts'
import { asJson, validateUnchanged } from '../validation.ts'
import type { Job } from './job.ts'
import { jobLabels } from './job-defaults.ts'
import { validateJobSpec } from './job-spec-validation.ts'

type JobValue = Infer<typeof Job>

const spec = FieldPath.of('spec')

export function validateJob(job: JobValue, errors: FieldErrors, context: HookContext, old?: JobValue): void {
  if (job.spec === undefined) return
  if (job.spec.selector && !job.spec.manualSelector) validateGenerated(job, errors, context, old)
  validateSpec(job.spec, errors, context)
  const { completionMode, completions = 0 } = job.spec
  const name = job.metadata?.name ?? ''
  if (completionMode !== 'Indexed' || completions <= 0) return
  const lastPodName = `${name}-${completions - 1}`
  if (formats.dns1123Label(lastPodName).length > 0) {
    errors.invalid(FieldPath.of('metadata', 'name'), name, `will not able to create pod with invalid DNS label: ${lastPodName}`)
  }
}

function validateSpec(job: Spec, errors: FieldErrors, context: HookContext): void {
  validateJobSpec(job, spec, errors, context)
  const { selector, template } = job
  const at = spec.child('selector')
  if (!selector) errors.required(at)
  if (validateSelectorParts(selector, at, errors, context)) validateLabels(selector, template, spec.child('template'), errors)
}

/** Generated labels. A job of before 1.27 has only those without label domain. */
function expectedLabels(job: JobValue, context: HookContext, old?: JobValue): { readonly [label: string]: string } {
  const { prefixed, legacy } = jobLabels(job, context)
  const known = old?.spec?.template?.metadata?.labels ?? {}
  return old === undefined || Object.keys(prefixed).every((label) => Object.hasOwn(known, label)) ? { ...legacy, ...prefixed } : legacy
}

/** The client's labels and selector must equal the generated ones. */
function validateGenerated(job: JobValue, errors: FieldErrors, context: HookContext, old?: JobValue): void {
  const expected = expectedLabels(job, context, old)
  const labels = job.spec?.template?.metadata?.labels ?? {}
  const at = FieldPath.of('spec', 'template', 'metadata', 'labels')
  for (const [label, value] of Object.entries(expected)) {
    if (!Object.hasOwn(labels, label)) errors.required(at.key(label), `must be '${value}'`)
    else if (labels[label] !== value) errors.invalid(at.key(label), labels, `must be '${value}'`)
  }
  const selector = job.spec?.selector
  const isWell = validateSelectorParts(selector, spec.child('selector'), new FieldErrors(), context)
  if (isWell && !selectorMatches(selector, expected))
    errors.invalid(spec.child('selector'), asJson(selector), '`selector` not auto-generated')
}

const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const

/** The rules of a new job are listed once more, as in the reference. */
export function validateJobUpdate(job: JobValue, old: JobValue, errors: FieldErrors, context: HookContext): void {
  const [now, before] = [job.spec, old.spec]
  if (now === undefined || before === undefined) return
  validateSpec(now, errors, context)
  validateCompletions(now, before, errors)
  validateUnchanged(now.selector, before.selector, spec.child('selector'), errors)
  if (!equal(asJson(fixedTemplate(job, old, context)), asJson(fixedTemplate(old, old, context)))) {
    errors.invalid(spec.child('template'), asJson(now.template), 'field is immutable')
  }
  for (const name of fixed) validateUnchanged(now[name], before[name], spec.child(name), errors)
}

type Spec = NonNullable<JobValue['spec']>

/** Completions of an indexed job may only change together with parallelism. */
function validateCompletions(now: Spec, before: Spec, errors: FieldErrors): void {
  const at = spec.child('completions')
  if (now.completionMode !== 'Indexed') validateUnchanged(now.completions, before.completions, at, errors)
  else if (now.completions !== undefined && now.completions !== before.completions && now.completions !== now.parallelism) {
    errors.invalid(at, now.completions, 'can only be modified in tandem with spec.parallelism')
  }
}

type Template = Spec['template']

/**
 * The immutable part of the template: scheduling and resources may change while no pods are running (KEP-2926, KEP-5440). A suspended
 * job that has run before must have the Suspended condition.
 */
function fixedTemplate({ spec: { template } = {} as Spec }: JobValue, { spec: old, status = {} }: JobValue, { settings }: HookContext) {
  if (!old?.suspend || template === undefined) return template
  const isSuspended = status.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') && !status.active
  const started = status.startTime !== undefined
  const rests = !started || isSuspended
  let result = template
  if (settings.enabled('MutableSchedulingDirectivesForSuspendedJobs') ? rests : !started) result = withoutPlacement(result)
  if (settings.enabled('MutablePodResourcesForSuspendedJobs') && rests) result = withoutResources(result)
  return result
}

function withoutPlacement(template: Template): Template {
  const { labels: _labels, annotations: _annotations, ...metadata } = template.metadata ?? {}
  if (!template.spec) return { metadata }
  const { nodeSelector: _nodes, tolerations: _tolerations, schedulingGates: _gates, affinity, ...pod } = template.spec
  const { nodeAffinity: _affinity, ...others } = affinity ?? {}
  return { metadata, spec: { ...pod, ...(Object.keys(others).length > 0 && { affinity: others }) } }
}

function withoutResources(template: Template): Template {
  if (!template.spec) return template
  const { containers, initContainers } = template.spec
  const bare = (list: typeof containers) => list.map(({ resources: _resources, ...container }) => container)
  return {
    ...template,
    spec: { ...template.spec, containers: bare(containers), ...(initContainers && { initContainers: bare(initContainers) }) },
  }
}
