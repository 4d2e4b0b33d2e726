/** Validation that depends on the operating system and on host namespaces. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import type { Container } from './container-validation.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type Visit = (container: Container, path: FieldPath) => void

/** Visits the containers of all lists: init, main, ephemeral. */
export function eachContainer(spec: PodSpec, path: FieldPath, visit: Visit): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) visit(container, path.child(list).index(index))
  }
}

/** Members of security contexts and specs that don't apply to Windows. */
const linuxOfPod = ['appArmorProfile', 'seLinuxOptions'] as const
const linuxOfSpec = ['hostUsers', 'hostPID', 'hostIPC'] as const
const moreOfPod = ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'] as const
const lastOfPod = ['runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'] as const
const linuxOfContainer = [
  ...['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem'],
  ...['privileged', 'allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'],
]
const onWindows = 'cannot be set for a windows pod'

function forbidSet(object: object | undefined, names: readonly string[], path: FieldPath, errors: FieldErrors, why = onWindows): void {
  const members = new Map(Object.entries(object ?? {}))
  for (const name of names) if (members.get(name) !== undefined) errors.forbidden(path.child(name), why)
}

function validateWindows(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('securityContext')
  forbidSet(spec.securityContext, linuxOfPod, at, errors)
  forbidSet(spec, linuxOfSpec, path, errors)
  forbidSet(spec.securityContext, moreOfPod, at, errors)
  forbidSet(spec, ['shareProcessNamespace'], path, errors)
  forbidSet(spec.securityContext, lastOfPod, at, errors)
  eachContainer(spec, path, ({ securityContext }, own) => {
    forbidSet(securityContext, linuxOfContainer, own.child('securityContext'), errors)
  })
}

function validateLinux(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const why = 'windows options cannot be set for a linux pod'
  forbidSet(spec.securityContext, ['windowsOptions'], path.child('securityContext'), errors, why)
  eachContainer(spec, path, ({ securityContext }, own) => {
    forbidSet(securityContext, ['windowsOptions'], own.child('securityContext'), errors, why)
  })
}

export function validateOS(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const name = spec.os?.name
  if (name === undefined) return
  const at = path.child('os')
  if (name === '') errors.required(at.child('name'))
  else if (name === 'linux') validateLinux(spec, path, errors)
  else if (name === 'windows') validateWindows(spec, path, errors)
  else validateSupported(name, ['linux', 'windows'], at, errors)
}

/** All containers of a pod must be host process containers, on the host's network. */
export function validateHostProcess(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  let all = 0
  let host = 0
  eachContainer(spec, path, ({ securityContext }, at) => {
    const own = securityContext?.windowsOptions?.hostProcess
    all++
    if (own ?? ofPod) host++
    if (ofPod === undefined || own === undefined || own === ofPod) return
    const where = at.child('securityContext').child('windowsOptions').child('hostProcess')
    errors.invalid(where, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`)
  })
  if (host === 0) return
  if (host !== all) {
    errors.invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers')
  }
  if (!spec.hostNetwork) {
    errors.invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers')
  }
}

/** Pods with a user namespace can't share other host namespaces (KEP-127). */
export function validateHostUsers(spec: PodSpec, path: FieldPath, errors: FieldErrors, { settings }: HookContext): void {
  if (spec.hostUsers !== false) return
  const why = 'when `hostUsers` is false'
  if (spec.hostNetwork && !settings.enabled('UserNamespacesHostNetworkSupport')) {
    errors.forgivable('host network and users', () => errors.forbidden(path.child('hostNetwork'), why))
  }
  if (spec.hostPID) errors.forbidden(path.child('HostPID'), why)
  if (spec.hostIPC) errors.forbidden(path.child('HostIPC'), why)
  eachContainer(spec, path, ({ volumeDevices = [] }, at) => {
    if (volumeDevices.length > 0) errors.forgivable('devices and users', () => errors.forbidden(at.child('volumeDevices'), why))
  })
}
