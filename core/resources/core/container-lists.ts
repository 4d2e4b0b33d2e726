/** Validates the three container lists of a pod. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { type Container, checkContainer, checkHostPorts, checkPadding, checkRestartRules, type PodView } from './container-validation.ts'
import type { EphemeralContainer as EphemeralContainerSchema } from './ephemeral-container.ts'
import { asJson } from './own-validation.ts'
import { isSidecar } from './pod-requests.ts'
import { checkLifecycle, checkProbes } from './probe-validation.ts'

type EphemeralContainer = Infer<typeof EphemeralContainerSchema>

const namesOf = (containers: readonly { name: string }[]) => new Set(containers.map(({ name }) => name))

export function checkMainContainers(
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
    checkContainer(container, pod, at, errors, context)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    names.add(container.name)
    if (container.lifecycle) checkLifecycle(container.lifecycle, pod, at.child('lifecycle'), errors)
    checkProbes(container, pod, at, errors)
    checkRestartRules(container, at, errors, context)
  })
  checkHostPorts(containers, path, errors)
}

export function checkInitContainers(
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
    checkContainer(container, pod, at, errors, context)
    checkRestartRules(container, at, errors, context)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    else if (container.name) names.add(container.name)
    checkHostPorts([container], path, errors)
    if (sidecar) {
      if (container.lifecycle) checkLifecycle(container.lifecycle, pod, at.child('lifecycle'), errors)
      checkProbes(container, pod, at, errors)
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
const isSet = (value: unknown) => value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

export function checkEphemeralContainers(
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
    checkContainer(container, pod, at, errors, context)
    checkPadding(container, at, errors)
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name)
    names.add(container.name)
    const target = container.targetContainerName
    if (target && !targets.has(target)) errors.notFound(at.child('targetContainerName'), asJson(target))
    for (const name of refused) if (isSet(container[name])) errors.forbidden(at.child(name), 'cannot be set for an Ephemeral Container')
    container.volumeMounts?.forEach((mount, mounted) => {
      for (const name of ['subPath', 'subPathExpr'] as const) {
        if (mount[name]) errors.forbidden(at.child('volumeMounts').index(mounted).child(name), 'cannot be set for an Ephemeral Container')
      }
    })
  })
}
