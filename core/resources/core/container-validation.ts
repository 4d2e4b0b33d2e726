/** Validates containers of all three lists. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats, portNumber } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateRequiredFormat, validateSupported } from '../validation.ts'
import type { ContainerPort, Container as ContainerSchema } from './container.ts'
import { validateEnv, validateEnvFrom } from './env-validation.ts'
import { type Volumes, validateDevices, validateMounts } from './mount-validation.ts'
import type { Surroundings } from './probe-validation.ts'
import { validateRequirements } from './resource-validation.ts'
import { validateSecurityContext } from './security-validation.ts'

export type Container = Infer<typeof ContainerSchema>

/** Context of a container: data of its pod. */
export interface PodView extends Surroundings {
  readonly volumes: Volumes
  readonly claims: ReadonlySet<string>
  readonly restartPolicy: string | undefined
  readonly hostUsers: boolean
}

export const protocols = ['SCTP', 'TCP', 'UDP']
export const pullPolicies = ['Always', 'IfNotPresent', 'Never']

/** Required, and one of the allowed values. */
export function validateChoice(value: string | undefined, allowed: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (!value) errors.required(path)
  else validateSupported(value, allowed, path, errors)
}

function validatePorts(ports: readonly Infer<typeof ContainerPort>[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>()
  ports.forEach(({ name, containerPort, hostPort, protocol }, index) => {
    const at = path.index(index)
    if (name) {
      const problems = formats.portName(name)
      for (const problem of problems) errors.invalid(at.child('name'), name, problem)
      if (problems.length === 0 && names.has(name)) errors.duplicate(at.child('name'), name)
      if (problems.length === 0) names.add(name)
    }
    if (containerPort === 0) errors.required(at.child('containerPort'))
    else for (const problem of portNumber(containerPort)) errors.invalid(at.child('containerPort'), containerPort, problem)
    if (hostPort) for (const problem of portNumber(hostPort)) errors.invalid(at.child('hostPort'), hostPort, problem)
    validateChoice(protocol, protocols, at.child('protocol'), errors)
  })
}

function validateResizePolicy(
  { resizePolicy = [] }: Container,
  restartPolicy: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  resizePolicy.forEach((policy, index) => {
    if (seen.has(policy.resourceName)) errors.duplicate(path.index(index), policy.resourceName)
    seen.add(policy.resourceName)
    validateChoice(policy.resourceName, ['cpu', 'memory'], path, errors)
    validateChoice(policy.restartPolicy, ['NotRequired', 'RestartContainer'], path, errors)
    if (restartPolicy === 'Never' && policy.restartPolicy !== 'NotRequired') {
      errors.invalid(path, policy.restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  })
}

export function validateContainer(container: Container, pod: PodView, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  validateRequiredFormat(container.name, 'dns1123Label', path.child('name'), errors)
  if (!container.image) errors.required(path.child('image'))
  validateChoice(container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError'], path.child('terminationMessagePolicy'), errors)
  validatePorts(container.ports ?? [], path.child('ports'), errors)
  validateEnv(container.env ?? [], path.child('env'), errors, context)
  validateEnvFrom(container.envFrom ?? [], path.child('envFrom'), errors)
  validateMounts(container, pod.volumes, path.child('volumeMounts'), errors)
  validateDevices(container, pod.volumes, path.child('volumeDevices'), errors)
  validateChoice(container.imagePullPolicy, pullPolicies, path.child('imagePullPolicy'), errors)
  validateRequirements(container.resources ?? {}, 'container', pod.claims, path.child('resources'), errors, context)
  validateResizePolicy(container, pod.restartPolicy, path.child('resizePolicy'), errors)
  validateSecurityContext(container.securityContext, pod.hostUsers, context, path.child('securityContext'), errors)
}

const maxRules = 20
const maxExitCodes = 255

/** KEP-5307: restart policy of a container, and rules that override it by exit code. */
export function validateRestartRules(
  { restartPolicy, restartPolicyRules = [] }: Container,
  path: FieldPath,
  errors: FieldErrors,
  { settings }: HookContext,
): void {
  if (restartPolicy !== undefined) validateSupported(restartPolicy, ['Always', 'Never', 'OnFailure'], path.child('restartPolicy'), errors)
  else if (restartPolicyRules.length > 0) {
    errors.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  }
  validateRules(restartPolicyRules, path.child('restartPolicyRules'), errors, settings)
}

/** Rules of init containers are only looked at beside a policy. */
export function validateInitRestartRules(container: Container, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (container.restartPolicy !== undefined) validateRestartRules(container, path, errors, context)
  else if (container.restartPolicyRules?.length) {
    errors.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  }
}

function validateRules(
  restartPolicyRules: NonNullable<Container['restartPolicyRules']>,
  rules: FieldPath,
  errors: FieldErrors,
  settings: HookContext['settings'],
): void {
  if (restartPolicyRules.length > maxRules) errors.tooMany(rules, restartPolicyRules.length, maxRules)
  restartPolicyRules.forEach(({ action, exitCodes }, index) => {
    const at = rules.index(index)
    const codes = at.child('exitCodes')
    const validateAction = (...actions: string[]) => validateSupported(action, actions, at.child('action'), errors)
    if (settings.enabled('RestartAllContainersOnContainerExits')) validateAction('Restart', 'RestartAllContainers')
    else if (action === 'RestartAllContainers') errors.forgivable('restarts of all containers', () => validateAction('Restart'))
    else validateAction('Restart')
    if (exitCodes) validateSupported(exitCodes.operator, ['In', 'NotIn'], codes.child('operator'), errors)
    else errors.required(codes, 'must be specified')
    const count = exitCodes?.values?.length ?? 0
    if (count > maxExitCodes) errors.tooMany(codes.child('values'), count, maxExitCodes)
  })
}

/** Host ports of the containers (the first ones of the list at the path) must not conflict. */
export function validateHostPorts(containers: readonly Container[], path: FieldPath, errors: FieldErrors): void {
  const taken = new Set<string>()
  containers.forEach(({ ports = [] }, index) => {
    ports.forEach(({ protocol, hostIP = '', hostPort }, port) => {
      if (!hostPort) return
      const key = `${protocol}/${hostIP}/${hostPort}`
      if (taken.has(key)) errors.duplicate(path.index(index).child('ports').index(port).child('hostPort'), key)
      taken.add(key)
    })
  })
}

export function validatePadding({ image = '' }: { image?: string | undefined }, path: FieldPath, errors: FieldErrors): void {
  if (image.trim() !== image) errors.invalid(path.child('image'), image, 'must not have leading or trailing whitespace')
}
