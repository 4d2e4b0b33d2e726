/** Validation of pods and pod templates. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateAnnotations, validateLabels } from '../../schema/object-meta.ts'
import { validatePadding } from './container-validation.ts'
import type { Pod } from './pod.ts'
import { validatePodAnnotations } from './pod-annotation-validation.ts'
import { type PodSpec, validatePodSpec } from './pod-spec-validation.ts'
import { validateProfileAnnotations } from './profile-annotations.ts'

type PodLike = Infer<typeof Pod>

const emptySpec: PodSpec = { containers: [] }

export function validatePod({ metadata = {}, spec = emptySpec }: PodLike, errors: FieldErrors, context: HookContext, old?: object): void {
  const path = FieldPath.of('spec')
  validatePodAnnotations(metadata.annotations ?? {}, spec, FieldPath.of('metadata', 'annotations'), errors, context)
  validatePodSpec(spec, metadata, path, errors, context)
  if (!spec.serviceAccountName) validateTokens(spec, path.child('volumes'), errors)
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) validatePadding(container, path.child(list).index(index), errors)
  }
  if (old) return
  if (spec.ephemeralContainers?.length) errors.forbidden(path.child('ephemeralContainers'), 'cannot be set on create')
  if (spec.nodeName && spec.schedulingGates?.length) {
    errors.forbidden(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')
  }
  validateProfileAnnotations(metadata.annotations, spec, path, errors, context)
}

function validateTokens({ volumes = [] }: PodSpec, path: FieldPath, errors: FieldErrors): void {
  volumes.forEach(({ projected }, index) => {
    projected?.sources?.forEach(({ serviceAccountToken }, source) => {
      if (!serviceAccountToken) return
      const at = path.index(index).child('projected').child('sources').index(source).child('serviceAccountToken')
      errors.forbidden(at, 'must not be specified when serviceAccountName is not set')
    })
  })
}

/** Errors of labels and annotations are reported at the template itself. */
export function validatePodTemplate(
  { metadata = {}, spec = emptySpec }: PodLike,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
) {
  validateLabels(metadata.labels, path.child('labels'), errors)
  validateAnnotations(metadata.annotations, path.child('annotations'), errors)
  validatePodAnnotations(metadata.annotations ?? {}, spec, path.child('annotations'), errors, context)
  validatePodSpec(spec, undefined, path.child('spec'), errors, context)
  validateProfileAnnotations(metadata.annotations, spec, path.child('spec'), errors, context)
  if (spec.ephemeralContainers?.length) {
    errors.forbidden(path.child('spec').child('ephemeralContainers'), 'ephemeral containers not allowed in pod template')
  }
}
