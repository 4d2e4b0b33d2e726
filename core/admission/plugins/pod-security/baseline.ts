/** Controls of level baseline, in the order of messages (Pod Security Standards; versions and texts: pod-security-admission/policy). */
import type { Check, CommonContext, Container, Control } from './pod.ts'
import { containers, containersOf, namesOf, plural, quoted, setters, sorted } from './pod.ts'

const defaultCapabilities = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD'],
  ...['NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]
const safeSysctls = [
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies'],
  ...['net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start'],
]
const sysctlsSince27 = [...safeSysctls, 'net.ipv4.ip_local_reserved_ports']
const keepalive = ['tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'].map((name) => `net.ipv4.${name}`)
const sysctlsSince29 = [...sysctlsSince27, ...keepalive]
const sysctlsSince32 = [...sysctlsSince29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']
const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

/** Allowed profile types, for AppArmor and seccomp. */
export const isProfile = (type = '') => type === 'RuntimeDefault' || type === 'Localhost'

/** Forbidden profile types, and where they are set. */
function badProfiles(
  spec: Parameters<Check>[0]['spec'],
  profileOf: (context: CommonContext) => { readonly type?: string } | null | undefined,
) {
  const badType = (context: CommonContext | null | undefined): readonly string[] => {
    const profile = context && profileOf(context)
    return profile && !isProfile(profile.type) ? [profile.type ?? ''] : []
  }
  const ofPod = badType(spec.securityContext)
  const ofContainers = containersOf(spec).flatMap(({ securityContext }) => badType(securityContext))
  const names = namesOf(spec, ({ securityContext }) => badType(securityContext).length > 0)
  return { values: sorted([...ofPod, ...ofContainers]), setters: setters(ofPod.length > 0, names) }
}

const appArmor =
  (prefix: string): Check =>
  ({ annotations, spec }) => {
    const { values, setters: who } = badProfiles(spec, ({ appArmorProfile }) => appArmorProfile)
    const isAllowed = (value: string) => value === '' || value === 'runtime/default' || value.startsWith('localhost/')
    const marks = Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(prefix) && !isAllowed(value))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .sort()
    const all = [...values, ...marks]
    if (all.length === 0) return undefined
    const by = [...(who === '' ? [] : [who]), ...(marks.length > 0 ? [plural('annotation', marks)] : [])].join(' and ')
    return { reason: plural('forbidden AppArmor profile', all), detail: `${by} must not set AppArmor profile type to ${quoted(all)}` }
  }

const added = ({ securityContext }: Container, allowed: readonly string[]) =>
  (securityContext?.capabilities?.add ?? []).filter((each) => !allowed.includes(each))

/** Added capabilities beyond the allowed ones. */
export function addedCapabilities(spec: Parameters<Check>[0]['spec'], allowed: readonly string[]): string | undefined {
  const names = namesOf(spec, (container) => added(container, allowed).length > 0)
  const values = sorted(containersOf(spec).flatMap((container) => added(container, allowed)))
  return names.length > 0 ? `${containers(names)} must not include ${quoted(values)} in securityContext.capabilities.add` : undefined
}

const capabilities: Check = ({ spec }) => {
  const detail = addedCapabilities(spec, defaultCapabilities)
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail }
}

const hostNamespaces: Check = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field])
  return shared.length > 0 ? { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') } : undefined
}

const hostPathVolumes: Check = ({ spec: { volumes } }) => {
  const names = (volumes ?? []).filter((volume) => volume['hostPath'] != null).map(({ name }) => name)
  return names.length > 0 ? { reason: 'hostPath volumes', detail: `${plural('volume', names)} ${quoted(names)}` } : undefined
}

const hostPorts: Check = ({ spec }) => {
  const portsOf = ({ ports }: Container) => (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []))
  const names = namesOf(spec, (container) => portsOf(container).length > 0)
  if (names.length === 0) return undefined
  const ports = sorted(containersOf(spec).flatMap(portsOf))
  return {
    reason: 'hostPort',
    detail: `${containers(names)} ${plural('uses', names, 'use')} ${plural('hostPort', ports)} ${ports.join(', ')}`,
  }
}

const handlersOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container) => [
  ...[livenessProbe, readinessProbe, startupProbe],
  ...[lifecycle?.postStart, lifecycle?.preStop],
]
const hostsOf = (container: Container) =>
  handlersOf(container).flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => (host ? [host] : [])))

const hostHandlers: Check = ({ spec }) => {
  const names = sorted(namesOf(spec, (container) => hostsOf(container).length > 0))
  if (names.length === 0) return undefined
  const hosts = sorted(containersOf(spec).flatMap(hostsOf))
  const what = plural('probe or lifecycle host', hosts)
  return { reason: 'probe or lifecycle host', detail: `${containers(names)} ${plural('uses', names, 'use')} ${what} ${quoted(hosts)}` }
}

const privileged: Check = ({ spec }) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.privileged === true)
  return names.length > 0
    ? { reason: 'privileged', detail: `${containers(names)} must not set securityContext.privileged=true` }
    : undefined
}

/** Requires the default masks of /proc. */
export const procMount: Check = ({ spec }) => {
  const bad = ({ securityContext }: Container) => {
    const mount = securityContext?.procMount
    return mount != null && mount !== 'Default' ? [mount] : []
  }
  const names = namesOf(spec, (container) => bad(container).length > 0)
  const values = sorted(containersOf(spec).flatMap(bad))
  return names.length > 0
    ? { reason: 'procMount', detail: `${containers(names)} must not set securityContext.procMount to ${quoted(values)}` }
    : undefined
}

/** Exempts pods with user namespaces, whose root is unprivileged on the node. */
export const unlessOwnUsers =
  (check: Check): Check =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod)

const seLinux =
  (types: readonly string[]): Check =>
  ({ spec }) => {
    const optionsOf = (context: CommonContext | null | undefined) => context?.seLinuxOptions ?? {}
    const isBad = ({ type = '', user = '', role = '' }) => !types.includes(type) || user !== '' || role !== ''
    const names = namesOf(spec, ({ securityContext }) => isBad(optionsOf(securityContext)))
    const podToo = isBad(optionsOf(spec.securityContext))
    if (!podToo && names.length === 0) return undefined
    const all = [spec, ...containersOf(spec)].map(({ securityContext }) => optionsOf(securityContext))
    const badTypes = sorted(all.map(({ type = '' }) => type).filter((type) => !types.includes(type)))
    const faults = [
      ...(badTypes.length > 0 ? [`${plural('type', badTypes)} ${quoted(badTypes)}`] : []),
      ...(all.some(({ user }) => user) ? ['user may not be set'] : []),
      ...(all.some(({ role }) => role) ? ['role may not be set'] : []),
    ]
    const detail = `${setters(podToo, names)} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`
    return { reason: 'seLinuxOptions', detail }
  }

const podMark = 'seccomp.security.alpha.<labels>/pod'
const containerMark = 'container.seccomp.security.alpha.<labels>/'

/** Seccomp annotations, from before the field. */
const seccompMarks =
  (name: (text: string) => string): Check =>
  ({ annotations, spec }) => {
    const isAllowed = (value: string) => ['runtime/default', 'docker/default'].includes(value) || value.startsWith('localhost/')
    const keys = [name(podMark), ...containersOf(spec).map((container) => name(containerMark) + container.name)]
    const bad = keys.filter((key) => Object.hasOwn(annotations, key) && !isAllowed(annotations[key] ?? ''))
    const marks = sorted(bad.map((key) => `${key}=${JSON.stringify(annotations[key])}`))
    return marks.length > 0
      ? { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', marks)} ${marks.join(', ')}` }
      : undefined
  }

export const seccompFields: Check = ({ spec }) => {
  const { values, setters: who } = badProfiles(spec, ({ seccompProfile }) => seccompProfile)
  return values.length > 0
    ? { reason: 'seccompProfile', detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}` }
    : undefined
}

const sysctls =
  (allowed: readonly string[]): Check =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name))
    return names.length > 0 ? { reason: 'forbidden sysctls', detail: names.join(', ') } : undefined
  }

const windowsHostProcess: Check = ({ spec }) => {
  const isBad = ({ securityContext }: { readonly securityContext?: CommonContext | undefined }) =>
    securityContext?.windowsOptions?.hostProcess === true
  const who = setters(isBad(spec), namesOf(spec, isBad))
  return who === '' ? undefined : { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` }
}

/** `name` resolves placeholders in annotation keys. */
export const baselineControls = (name: (text: string) => string): readonly Control[] => [
  { id: 'appArmorProfile', revisions: [{ since: '1.0', check: appArmor(name('container.apparmor.security.beta.<labels>/')) }] },
  { id: 'capabilities', revisions: [{ since: '1.0', check: capabilities }] },
  { id: 'hostNamespaces', revisions: [{ since: '1.0', check: hostNamespaces }] },
  { id: 'hostPathVolumes', revisions: [{ since: '1.0', check: hostPathVolumes }] },
  { id: 'hostPorts', revisions: [{ since: '1.0', check: hostPorts }] },
  { id: 'hostHandlers', revisions: [{ since: '1.34', check: hostHandlers }] },
  { id: 'privileged', revisions: [{ since: '1.0', check: privileged }] },
  {
    id: 'procMount',
    revisions: [
      { since: '1.0', check: procMount },
      { since: '1.35', check: unlessOwnUsers(procMount) },
    ],
  },
  {
    id: 'seLinuxOptions',
    revisions: [
      { since: '1.0', check: seLinux(seLinuxTypes) },
      { since: '1.31', check: seLinux([...seLinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    id: 'seccompProfile',
    revisions: [
      { since: '1.0', check: seccompMarks(name) },
      { since: '1.19', check: seccompFields },
    ],
  },
  {
    id: 'sysctls',
    revisions: [
      { since: '1.0', check: sysctls(safeSysctls) },
      { since: '1.27', check: sysctls(sysctlsSince27) },
      { since: '1.29', check: sysctls(sysctlsSince29) },
      { since: '1.32', check: sysctls(sysctlsSince32) },
    ],
  },
  { id: 'windowsHostProcess', revisions: [{ since: '1.0', check: windowsHostProcess }] },
]
