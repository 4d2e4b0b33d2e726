/** Validation of security contexts. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, validateSupported } from '../validation.ts'
import { validateDescendingPath } from './path-validation.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import type {
  AppArmorProfile,
  PodSecurityContext as PodSecurityContextSchema,
  SeccompProfile,
  SecurityContext as SecurityContextSchema,
} from './security.ts'
import { validateWindowsOptions } from './windows-validation.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type PodSecurityContext = Infer<typeof PodSecurityContextSchema>

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']
const maxId = 2 ** 31 - 1

function validateId(id: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (id !== undefined && (id < 0 || id > maxId)) errors.invalid(path, id, `must be between 0 and ${maxId}, inclusive`)
}

function validateSeccomp(profile: Infer<typeof SeccompProfile> | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return
  const { type, localhostProfile: file } = profile
  const at = path.child('localhostProfile')
  if (type === '') errors.required(path.child('type'), 'type is required when seccompProfile is set')
  else validateSupported(type, profileTypes, path.child('type'), errors)
  if (type === 'Localhost') {
    if (file === undefined) errors.required(at, 'must be set when seccomp type is Localhost')
    else validateDescendingPath(file, at, errors)
  } else if (file !== undefined) {
    // The reference shows the whole profile.
    errors.addAsIs('FieldValueInvalid', at, errors.shown(path, asJson(profile)), 'can only be set when seccomp type is Localhost')
  }
}

const maxPathLength = 4095

function validateAppArmor(profile: Infer<typeof AppArmorProfile> | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return
  const { type, localhostProfile: name } = profile
  const at = path.child('localhostProfile')
  if (type === '') errors.required(path.child('type'), 'type is required when appArmorProfile is set')
  else if (type !== 'Localhost') {
    validateSupported(type, profileTypes, path.child('type'), errors)
    if (name !== undefined && profileTypes.includes(type)) errors.invalid(at, name, 'can only be set when AppArmor type is Localhost')
  } else if (name === undefined || name === '') errors.required(at, 'must be set when AppArmor type is Localhost')
  else {
    if (name.trim() !== name) errors.invalid(at, name, 'must not be padded with whitespace')
    if (name.length > maxPathLength) errors.tooLong(at, maxPathLength)
  }
}

export function validateSecurityContext(
  context: Infer<typeof SecurityContextSchema> | undefined,
  hostUsers: boolean,
  { settings }: HookContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (context === undefined) return
  const { procMount, privileged, allowPrivilegeEscalation, capabilities } = context
  if (privileged && !settings.allowPrivileged) errors.forbidden(path.child('privileged'), 'disallowed by cluster policy')
  validateId(context.runAsUser, path.child('runAsUser'), errors)
  validateId(context.runAsGroup, path.child('runAsGroup'), errors)
  if (procMount !== undefined) {
    validateSupported(procMount, ['Default', 'Unmasked'], path.child('procMount'), errors)
    if (hostUsers && procMount === 'Unmasked') {
      errors.invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`')
    }
  }
  validateSeccomp(context.seccompProfile, path.child('seccompProfile'), errors)
  if (allowPrivilegeEscalation === false) {
    const refuse = (what: string) => errors.invalid(path, asJson(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`)
    if (privileged) refuse('`privileged` to true')
    for (const capability of capabilities?.add ?? []) if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN')
  }
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors)
  validateAppArmor(context.appArmorProfile, path.child('appArmorProfile'), errors)
}

/** As in sysctl(8), with both separators. */
const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/
const sysctlLimit = 253
const sysctlMessage = `must have at most ${sysctlLimit} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`

/** Namespace of a kernel parameter. */
function namespaceOf(sysctl: string): 'net' | 'ipc' | undefined {
  const name = sysctl.replaceAll('/', '.')
  if (name.startsWith('net.')) return 'net'
  return name === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name) ? 'ipc' : undefined
}

function validateSysctls(sysctls: NonNullable<PodSecurityContext['sysctls']>, spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>()
  sysctls.forEach(({ name }, index) => {
    const at = path.index(index).child('name')
    const namespace = namespaceOf(name)
    if (name === '') errors.required(at)
    else if (name.length > sysctlLimit || !sysctlName.test(name)) errors.invalid(at, name, sysctlMessage)
    else if (seen.has(name)) errors.duplicate(at, name)
    const shared = (what: string) =>
      errors.forgivable('parameters of the node', () => errors.invalid(at, name, `may not be specified when '${what}' is true`))
    if (spec.hostNetwork && namespace === 'net') shared('hostNetwork')
    else if (spec.hostIPC && namespace === 'ipc') shared('hostIPC')
    seen.add(name)
  })
}

export function validatePodSecurityContext(spec: PodSpec, path: FieldPath, errors: FieldErrors, { settings }: HookContext): void {
  const context = spec.securityContext
  if (context === undefined) return
  validateId(context.fsGroup, path.child('fsGroup'), errors)
  validateId(context.runAsUser, path.child('runAsUser'), errors)
  validateId(context.runAsGroup, path.child('runAsGroup'), errors)
  context.supplementalGroups?.forEach((group, index) => {
    validateId(group, path.child('supplementalGroups').index(index), errors)
  })
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')
  }
  validateSysctls(context.sysctls ?? [], spec, path.child('sysctls'), errors)
  const choose = (name: 'fsGroupChangePolicy' | 'supplementalGroupsPolicy' | 'seLinuxChangePolicy', allowed: readonly string[]) => {
    if (context[name] !== undefined) validateSupported(context[name], allowed, path.child(name), errors)
  }
  choose('fsGroupChangePolicy', ['Always', 'OnRootMismatch'])
  validateSeccomp(context.seccompProfile, path.child('seccompProfile'), errors)
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors)
  validateAppArmor(context.appArmorProfile, path.child('appArmorProfile'), errors)
  choose('supplementalGroupsPolicy', ['Merge', 'Strict'])
  if (settings.enabled('SELinuxMount')) choose('seLinuxChangePolicy', ['MountOption', 'Recursive'])
  else if (context.seLinuxChangePolicy !== 'MountOption') choose('seLinuxChangePolicy', ['Recursive'])
  else errors.forgivable('SELinux labels by mount', () => choose('seLinuxChangePolicy', ['Recursive']))
}
