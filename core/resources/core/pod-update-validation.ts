/** Validation of pod updates: most fields are immutable. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import { copyOf, dropGivenEmpty } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { asJson } from '../validation.ts'
import { changesOf } from './diff.ts'
import type { Pod } from './pod.ts'
import { validatePodAnnotationUpdates } from './pod-annotation-validation.ts'
import type { PodSpec } from './pod-spec-validation.ts'
import { validateTolerations } from './scheduling-validation.ts'

type PodLike = Infer<typeof Pod>

const maxInt32 = 2 ** 31 - 1
const mutable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function validatePodUpdate(pod: PodLike, old: PodLike, errors: FieldErrors, context: HookContext) {
  validatePodAnnotationUpdates(pod.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}, errors, context)
  const { spec = { containers: [] } } = pod
  const { spec: before = { containers: [] } } = old
  const path = FieldPath.of('spec')
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec[list]?.length ?? 0) !== (before[list]?.length ?? 0)) {
      return errors.forbidden(path.child(list), 'pod updates may not add or remove containers')
    }
    for (const [index, { image }] of (spec[list] ?? []).entries()) if (!image) errors.required(path.child(list).index(index).child('image'))
  }
  if (!validateDeadline(spec, before, path.child('activeDeadlineSeconds'), errors)) return
  validateAddedTolerations(spec, before, path.child('tolerations'), errors, context)
  validateRemovedGates(spec, before, path.child('schedulingGates'), errors)
  validateRest(spec, before, path, errors)
}

/** The deadline can be set or reduced. */
function validateDeadline(
  { activeDeadlineSeconds: now }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (now === undefined) {
    if (before !== undefined) errors.invalid(path, null, 'must not update from a positive integer to nil value')
    return true
  }
  if (now < 0 || now > maxInt32) errors.invalid(path, now, `must be between 0 and ${maxInt32}, inclusive`)
  else if (before !== undefined && before < now) errors.invalid(path, now, 'must be less than or equal to previous value')
  else return true
  return false
}

function validateAddedTolerations(
  { tolerations = [] }: PodSpec,
  { tolerations: before = [] }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
) {
  // Compares canonical values by their JSON.
  const bare = ({ tolerationSeconds: _, ...rest }: (typeof tolerations)[number]) => JSON.stringify(rest)
  const present = new Set(tolerations.map(bare))
  const kept = before.every((one) => present.has(bare(one)))
  if (kept) validateTolerations(tolerations, path, errors, context)
  else errors.forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')
}

function validateRemovedGates(
  { schedulingGates = [] }: PodSpec,
  { schedulingGates: before = [] }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
) {
  const known = new Set(before.map(({ name }) => name))
  schedulingGates.forEach(({ name }, index) => {
    if (known.has(name)) return
    errors.forbidden(path.index(index).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`)
  })
}

type Containers = NonNullable<PodSpec['initContainers']>
const withImages = (containers: Containers, before: Containers) =>
  containers.map((container, index) => Object.assign(copyOf(container), { image: before[index]?.image }))

/** All other changes are rejected, except scheduling fields of pods with scheduling gates (KEP-3838). */
function validateRest(spec: PodSpec, before: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const rest: PodSpec = Object.assign(copyOf(spec), { containers: withImages(spec.containers, before.containers) })
  if (spec.initContainers) rest.initContainers = withImages(spec.initContainers, before.initContainers ?? [])
  // The reference makes these anew: an empty list that was given is none.
  for (const name of ['initContainers', 'schedulingGates', 'tolerations']) dropGivenEmpty(rest, name)
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) {
    if (before[name] === undefined) delete rest[name]
    else Object.assign(rest, { [name]: before[name] })
  }
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && rest.terminationGracePeriodSeconds === 1) {
    rest.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds
  }
  if (before.schedulingGates?.length) {
    validateSelectorAdditions(spec, before, path.child('nodeSelector'), errors)
    validateAffinityAdditions(spec, before, path.child('affinity').child('nodeAffinity'), errors)
    rest.nodeSelector = before.nodeSelector
    rest.affinity = { ...rest.affinity, nodeAffinity: before.affinity?.nodeAffinity }
    if (!before.affinity && !rest.affinity.podAffinity && !rest.affinity.podAntiAffinity) rest.affinity = undefined
  }
  const changes = changesOf(asJson(before), asJson(rest), (value) => errors.shown(path, value))
  if (changes !== '') errors.forbidden(path, `pod updates may not change fields other than ${mutable}\n${changes}`)
}

function validateSelectorAdditions(
  { nodeSelector }: PodSpec,
  { nodeSelector: before = {} }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (Object.entries(before).every(([key, value]) => nodeSelector?.[key] === value)) return
  errors.invalid(path, nodeSelector ?? null, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')
}

function validateAffinityAdditions(spec: PodSpec, before: PodSpec, path: FieldPath, errors: FieldErrors) {
  const termsOf = ({ affinity }: PodSpec) => affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms = termsOf(spec)
  const old = termsOf(before)
  const at = path.child('requiredDuringSchedulingIgnoredDuringExecution').child('nodeSelectorTerms')
  if (old.length === 0) return
  if (terms.length !== old.length) {
    return errors.invalid(
      at,
      terms.length === 0 ? null : asJson(terms),
      'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
    )
  }
  const starts = (list: readonly unknown[] = [], start: readonly unknown[] = []) =>
    start.every((item, index) => equal(list[index] as Json | undefined, item as Json))
  terms.forEach((term, index) => {
    const was = old[index]
    const wasEmpty = !was?.matchExpressions?.length && !was?.matchFields?.length
    const grown = wasEmpty
      ? !term.matchExpressions?.length && !term.matchFields?.length
      : starts(term.matchExpressions, was?.matchExpressions) && starts(term.matchFields, was?.matchFields)
    if (!grown) errors.invalid(at.index(index), asJson(term), 'only additions are allowed (no mutations or deletions)')
  })
}
