/** Validates the three container lists of a pod. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { given, hasGivenEmpty } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson } from '../validation.ts'
import {
  type Container,
  type PodView,
  validateContainer,
  validateHostPorts,
  validateInitRestartRules,
  validatePadding,
  validateRestartRules,
} from './container-validation.ts'
import type { EphemeralContainer as EphemeralContainerSchema } from './ephemeral-container.ts'
import { isSidecar } from './pod-requests.ts'
import { validateLifecycle, validateProbes } from './probe-validation.ts'

type EphemeralContainer = Infer<typeof EphemeralContainerSchema>

const namesOf = (containers: readonly { name: string }[]) => new Set(containers.map(({ name }) => name))

export function validateMainContainers(
  containers: readonly Container[],
  pod: PodView,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
) {
  if (containers.length === 0) return errors.required(path)
  const names = new Set<string>()
  containers.forEach((container, index) => {
    const at = path.index(index)
    validateContainer(container, pod, at, errors, context)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    names.add(container.name)
    if (container.lifecycle) validateLifecycle(container.lifecycle, pod, at.child('lifecycle'), errors)
    validateProbes(container, pod, at, errors)
    validateRestartRules(container, at, errors, context)
  })
  validateHostPorts(containers, path, errors)
}

export function validateInitContainers(
  containers: readonly Container[],
  main: readonly Container[],
  pod: PodView,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const names = namesOf(main)
  containers.forEach((container, index) => {
    const at = path.index(index)
    const sidecar = isSidecar(container)
    validateContainer(container, pod, at, errors, context)
    validateInitRestartRules(container, at, errors, context)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    else if (container.name) names.add(container.name)
    validateHostPorts([container], path, errors)
    if (sidecar) {
      if (container.lifecycle) validateLifecycle(container.lifecycle, pod, at.child('lifecycle'), errors)
      validateProbes(container, pod, at, errors)
      return
    }
    for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[name]) errors.forbidden(at.child(name), 'may not be set for init containers without restartPolicy=Always')
    }
    container.resizePolicy?.forEach(({ restartPolicy }, policy) => {
      if (restartPolicy !== 'RestartContainer') return
      const where = at.child('resizePolicy').index(policy).child('restartPolicy')
      errors.invalid(where, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers")
    })
  })
}

/** Order of the fields in the reference's type. */
const refused = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const
const isSet = (container: EphemeralContainer, name: (typeof refused)[number]) => {
  const value = given(container, name)
  return name === 'resources' ? Object.keys(value ?? {}).length > 0 || hasGivenEmpty(asJson(value ?? {})) : value !== undefined
}

export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  others: readonly Container[],
  pod: PodView,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const targets = namesOf(others)
  const names = new Set(targets)
  containers.forEach((container, index) => {
    const at = path.index(index)
    validateContainer(container, pod, at, errors, context)
    validatePadding(container, at, errors)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    names.add(container.name)
    const target = container.targetContainerName
    if (target && !targets.has(target)) errors.notFound(at.child('targetContainerName'), asJson(target))
    for (const name of refused) if (isSet(container, name)) errors.forbidden(at.child(name), 'cannot be set for an Ephemeral Container')
    container.volumeMounts?.forEach((mount, mounted) => {
      for (const name of ['subPath', 'subPathExpr'] as const) {
        if (mount[name]) errors.forbidden(at.child('volumeMounts').index(mounted).child(name), 'cannot be set for an Ephemeral Container')
      }
    })
  })
}
