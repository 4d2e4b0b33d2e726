/** Validation of replication controllers. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateCounts, validateNonNegative } from '../validation.ts'
import { validatePodTemplate } from './pod-validation.ts'
import type { ReplicationController as ReplicationControllerSchema } from './replicationcontroller.ts'

type ReplicationController = Infer<typeof ReplicationControllerSchema>

/** The template's labels are the default of the selector and of the controller's labels. */
export function defaultFromTemplate({ metadata, spec }: ReplicationController): void {
  const labels = spec?.template?.metadata?.labels
  if (!spec || !labels) return
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
  if (metadata && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
}

export function validateReplicationController({ spec = {} }: ReplicationController, errors: FieldErrors, context: HookContext): void {
  const path = FieldPath.of('spec')
  const { selector = {}, template } = spec
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors)
  if (Object.keys(selector).length === 0) errors.required(path.child('selector'))
  validateNonNegative(spec.replicas, path.child('replicas'), errors)
  const at = path.child('template')
  if (!template) {
    errors.required(at)
    return
  }
  const labels = template.metadata?.labels
  if (!Object.entries(selector).every(([key, value]) => labels?.[key] === value)) {
    const shown = template.metadata && given(template.metadata, 'labels')
    errors.invalid(at.child('metadata').child('labels'), shown ?? null, '`selector` does not match template `labels`')
  }
  validatePodTemplate(template, at, errors, context)
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {}
  if (restartPolicy !== 'Always') errors.notSupported(at.child('spec').child('restartPolicy'), restartPolicy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(at.child('spec').child('activeDeadlineSeconds'), 'activeDeadlineSeconds in ReplicationController is not Supported')
  }
}

const counts = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'] as const

export function validateReplicationControllerStatus(
  { status }: ReplicationController,
  _old: ReplicationController,
  errors: FieldErrors,
): void {
  if (!status) return
  const path = FieldPath.of('status')
  validateCounts(status, counts, path, errors)
  const ready = status.readyReplicas ?? 0
  const available = status.availableReplicas ?? 0
  for (const name of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    const count = status[name] ?? 0
    if (count > status.replicas) errors.invalid(path.child(name), count, 'cannot be greater than status.replicas')
  }
  if (available > ready) errors.invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas')
}
