import type { HookContext, Infer } from '../../schema/model.ts'
import type { ApiObject } from '../definition.ts'
import type { Job } from './job.ts'

type JobValue = Infer<typeof Job>

const maxInt32 = 2 ** 31 - 1

/** Defaults of jobs; they don't apply to templates of cron jobs. */
export function defaultJob(job: JobValue): void {
  const spec = job.spec
  if (spec === undefined) return
  if (spec.parallelism === undefined) {
    spec.completions ??= undefined
    if (spec.completions === undefined) spec.completions = 1
    spec.parallelism = 1
  }
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32
  defaultLabels(job)
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.manualSelector ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
}

/**
 * A job without labels has those of its template, as the same object: `generateSelector` then adds the generated ones to both, but not to a
 * job whose own labels happen to be equal.
 */
export function defaultLabels(job: JobValue): void {
  const labels = job.spec?.template?.metadata?.labels
  if (labels && Object.keys(job.metadata?.labels ?? {}).length === 0) job.metadata = { ...job.metadata, labels }
}

/** Labels that identify a job's pods: with label domain, and the older ones without. */
export function jobLabels(
  { metadata }: JobValue,
  { platform }: HookContext,
): { readonly [form in 'prefixed' | 'legacy']: { readonly [label: string]: string } } {
  const uid = metadata?.uid ?? ''
  const name = metadata?.name ?? ''
  return {
    prefixed: { [platform.name('batch.<labels>/controller-uid')]: uid, [platform.name('batch.<labels>/job-name')]: name },
    legacy: { 'controller-uid': uid, 'job-name': name },
  }
}

/** Generates a selector by UID and labels for it, unless the client manages the selector itself. */
export function generateSelector(job: JobValue, context: HookContext): void {
  const { spec } = job
  if (spec === undefined || spec.manualSelector) return
  const template = spec.template
  const given = template.metadata?.labels
  const { prefixed, legacy } = jobLabels(job, context)
  const labels = { ...prefixed, ...legacy, ...given }
  template.metadata = { ...template.metadata, labels }
  if (given !== undefined && job.metadata?.labels === given) job.metadata = { ...job.metadata, labels }
  const label = context.platform.name('batch.<labels>/controller-uid')
  spec.selector = { ...spec.selector, matchLabels: { [label]: job.metadata?.uid ?? '', ...spec.selector?.matchLabels } }
}

/** A job without labels is returned with those that its template has now; validation and admission have seen none. */
export function completeJob(job: JobValue): ApiObject | undefined {
  if (Object.keys(job.metadata?.labels ?? {}).length > 0) return undefined
  const complete = { ...job }
  defaultLabels(complete)
  return complete as unknown as ApiObject
}
