import type { HookContext, Infer } from '../../schema/model.ts'
import type { Job } from './job.ts'

type JobValue = Infer<typeof Job>

const largestInt32 = 2 ** 31 - 1

/** Defaults of jobs; they don't apply to templates of cron jobs. */
export function defaultJob(job: JobValue): void {
  const spec = job.spec
  if (spec === undefined) return
  if (spec.parallelism === undefined) {
    spec.completions ??= undefined
    if (spec.completions === undefined) spec.completions = 1
    spec.parallelism = 1
  }
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : largestInt32
  const labels = spec.template?.metadata?.labels
  if (labels && Object.keys(job.metadata?.labels ?? {}).length === 0) job.metadata = { ...job.metadata, labels: { ...labels } }
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.manualSelector ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
}

/** Labels that identify a job's pods: with label domain, and the older ones without. */
export function jobLabels({ metadata }: JobValue, { platform }: HookContext): { readonly [label: string]: string } {
  const uid = metadata?.uid ?? ''
  const name = metadata?.name ?? ''
  return {
    [platform.name('batch.<labels>/controller-uid')]: uid,
    [platform.name('batch.<labels>/job-name')]: name,
    'controller-uid': uid,
    'job-name': name,
  }
}

/** Generates a selector by UID, unless the client manages the selector itself. */
export function generateSelector(job: JobValue, context: HookContext): void {
  const { spec } = job
  if (spec === undefined || spec.manualSelector) return
  const template = spec.template
  template.metadata = { ...template.metadata, labels: { ...jobLabels(job, context), ...template.metadata?.labels } }
  const label = context.platform.name('batch.<labels>/controller-uid')
  spec.selector = { ...spec.selector, matchLabels: { [label]: job.metadata?.uid ?? '', ...spec.selector?.matchLabels } }
}
