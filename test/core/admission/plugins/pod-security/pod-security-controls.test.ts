/** One pod for each control of the Pod Security Standards, in every version, and the messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEvaluate, detailsOf } from '../../../../../core/admission/plugins/pod-security/controls.ts'
import type { PodLike } from '../../../../../core/admission/plugins/pod-security/pod.ts'
import type { Version } from '../../../../../core/admission/plugins/pod-security/policy.ts'
import { createPlatform } from '../../../../../core/platform.ts'

const evaluate = createEvaluate(createPlatform('kubernetes').name, '1.36')

interface Change {
  readonly pod?: object
  readonly podContext?: object
  readonly container?: object
  readonly context?: object
  readonly annotations?: { readonly [key: string]: string }
}

/** A pod that is restricted in every version, apart from the given change. */
function podWith({ pod = {}, podContext = {}, container = {}, context = {}, annotations = {} }: Change): PodLike {
  const own = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
  const all = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
  return {
    annotations,
    spec: {
      securityContext: { ...all, ...podContext },
      containers: [{ name: 'c', image: 'i', ...container, securityContext: { ...own, ...context } }],
      ...pod,
    },
  }
}

/** Minor versions that forbid it: from (inclusive) to (exclusive). */
type Span = readonly [from: number, until: number]
const always: Span = [0, Number.POSITIVE_INFINITY]
const since = (from: number): Span => [from, Number.POSITIVE_INFINITY]
const until = (end: number): Span => [0, end]
const never: Span = [0, 0]

const volume = (source: string) => ({ pod: { volumes: [{ name: 'v', [source]: {} }] } })
const sysctl = (name: string) => ({ podContext: { sysctls: [{ name, value: '1' }] } })
const ownUsers = { hostUsers: false }
const windows = { os: { name: 'windows' } }

const rows: readonly (readonly [what: string, change: Change, baseline: Span, restricted: Span])[] = [
  ['nothing', {}, never, never],
  ['HostProcess of the pod', { podContext: { windowsOptions: { hostProcess: true } } }, always, always],
  ['HostProcess of a container', { context: { windowsOptions: { hostProcess: true } } }, always, always],
  ['no HostProcess', { context: { windowsOptions: { hostProcess: false } } }, never, never],
  ['host network', { pod: { hostNetwork: true } }, always, always],
  ['host PID', { pod: { hostPID: true } }, always, always],
  ['host IPC', { pod: { hostIPC: true } }, always, always],
  ['privileged', { context: { privileged: true } }, always, always],
  ['not privileged', { context: { privileged: false } }, never, never],
  ['a capability beyond the defaults', { context: { capabilities: { add: ['NET_RAW'], drop: ['ALL'] } } }, always, always],
  ['a default capability', { context: { capabilities: { add: ['CHOWN'], drop: ['ALL'] } } }, never, since(22)],
  ['NET_BIND_SERVICE', { context: { capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } } }, never, never],
  ['capabilities not dropped', { context: { capabilities: {} } }, never, since(22)],
  ['not all capabilities dropped', { context: { capabilities: { drop: ['KILL'] } } }, never, since(22)],
  ['capabilities not dropped on Windows', { context: { capabilities: undefined }, pod: windows }, never, [22, 25]],
  ['a host path', volume('hostPath'), always, always],
  ['a host port', { container: { ports: [{ hostPort: 80 }] } }, always, always],
  ['a container port', { container: { ports: [{ containerPort: 80, hostPort: 0 }] } }, never, never],
  ['a host in a probe', { container: { livenessProbe: { httpGet: { host: 'a' } } } }, since(34), since(34)],
  ['a host in a TCP probe', { container: { startupProbe: { tcpSocket: { host: 'a' } } } }, since(34), since(34)],
  ['a host in a lifecycle hook', { container: { lifecycle: { preStop: { httpGet: { host: 'a' } } } } }, since(34), since(34)],
  ['a probe without host', { container: { readinessProbe: { httpGet: { path: '/' } } } }, never, never],
  ['AppArmor unconfined', { context: { appArmorProfile: { type: 'Unconfined' } } }, always, always],
  ['AppArmor unconfined for the pod', { podContext: { appArmorProfile: { type: 'Unconfined' } } }, always, always],
  ['a Localhost AppArmor profile', { podContext: { appArmorProfile: { type: 'Localhost' } } }, never, never],
  [
    'AppArmor unconfined by annotation',
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
    always,
    always,
  ],
  [
    'a Localhost AppArmor profile by annotation',
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a' } },
    never,
    never,
  ],
  ['an SELinux type', { context: { seLinuxOptions: { type: 'x_t' } } }, always, always],
  ['container_t', { podContext: { seLinuxOptions: { type: 'container_t', level: 's0' } } }, never, never],
  ['container_engine_t', { context: { seLinuxOptions: { type: 'container_engine_t' } } }, until(31), until(31)],
  ['an SELinux user', { podContext: { seLinuxOptions: { user: 'u' } } }, always, always],
  ['an SELinux role', { context: { seLinuxOptions: { role: 'r' } } }, always, always],
  ['/proc unmasked', { context: { procMount: 'Unmasked' } }, always, always],
  ['unmasked /proc with a user namespace', { context: { procMount: 'Unmasked' }, pod: ownUsers }, until(35), always],
  ['/proc by default', { context: { procMount: 'Default' } }, never, never],
  ['seccomp unconfined', { podContext: { seccompProfile: { type: 'Unconfined' } } }, since(19), since(19)],
  ['seccomp unconfined for a container', { context: { seccompProfile: { type: 'Unconfined' } } }, since(19), since(19)],
  ['no seccomp profile', { podContext: { seccompProfile: undefined } }, never, since(19)],
  ['no seccomp profile on Windows', { podContext: { seccompProfile: undefined }, pod: windows }, never, [19, 25]],
  [
    'a seccomp profile of the container',
    { podContext: { seccompProfile: undefined }, context: { seccompProfile: { type: 'Localhost' } } },
    never,
    never,
  ],
  ['seccomp unconfined by annotation', { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } }, until(19), until(19)],
  [
    'seccomp unconfined by annotation of a container',
    { annotations: { 'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined' } },
    until(19),
    until(19),
  ],
  ['a seccomp profile by annotation', { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'docker/default' } }, never, never],
  ['a safe sysctl', sysctl('kernel.shm_rmid_forced'), never, never],
  ['another sysctl', sysctl('kernel.msgmax'), always, always],
  ['a sysctl of 1.27', sysctl('net.ipv4.ip_local_reserved_ports'), until(27), until(27)],
  ['a sysctl of 1.29', sysctl('net.ipv4.tcp_keepalive_time'), until(29), until(29)],
  ['a sysctl of 1.32', sysctl('net.ipv4.tcp_rmem'), until(32), until(32)],
  ['a network volume', volume('nfs'), never, always],
  ['a persistent volume claim', volume('persistentVolumeClaim'), never, never],
  ['an image volume', volume('image'), never, never],
  ['allowPrivilegeEscalation unset', { context: { allowPrivilegeEscalation: undefined } }, never, since(8)],
  ['allowPrivilegeEscalation true', { context: { allowPrivilegeEscalation: true } }, never, since(8)],
  ['allowPrivilegeEscalation unset on Windows', { context: { allowPrivilegeEscalation: undefined }, pod: windows }, never, [8, 25]],
  ['runAsNonRoot false', { podContext: { runAsNonRoot: false } }, never, always],
  ['runAsNonRoot unset', { podContext: { runAsNonRoot: undefined } }, never, always],
  ['runAsNonRoot true in the container', { podContext: { runAsNonRoot: undefined }, context: { runAsNonRoot: true } }, never, never],
  ['runAsNonRoot false in the container', { context: { runAsNonRoot: false } }, never, always],
  ['runAsNonRoot unset with a user namespace', { podContext: { runAsNonRoot: undefined }, pod: ownUsers }, never, until(35)],
  ['user 0', { podContext: { runAsUser: 0 } }, never, since(23)],
  ['user 0 in the container', { context: { runAsUser: 0 } }, never, since(23)],
  ['user 0 with a user namespace', { podContext: { runAsUser: 0 }, pod: ownUsers }, never, [23, 35]],
  ['another user', { podContext: { runAsUser: 1000 } }, never, never],
  ['an init container', { pod: { initContainers: [{ name: 'i', securityContext: { privileged: true } }] } }, always, always],
  ['an ephemeral container', { pod: { ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] } }, always, always],
]

const versions: readonly Version[] = [...Array.from({ length: 38 }, (_, minor) => `1.${minor}` as const), 'latest']

test(`${rows.length} pods in ${versions.length} versions of three levels`, () => {
  const wrong = rows.flatMap(([what, change, baseline, restricted]) =>
    versions.flatMap((version) => {
      const pod = podWith(change)
      const spans = { privileged: never, baseline, restricted } as const
      // A version that is not known yet means the latest known one.
      const at = version === 'latest' ? 36 : Math.min(Number(version.slice(2)), 36)
      return (['privileged', 'baseline', 'restricted'] as const).flatMap((level) => {
        const [from, end] = spans[level]
        const violations = evaluate({ level, version }, pod)
        return (at >= from && at < end) === violations.length > 0 ? [] : [`${level} ${version}: ${what}: ${detailsOf(violations)}`]
      })
    }),
  )
  assert.deepEqual(wrong, [])
})

test('an emulated release knows no later policy versions', () => {
  const pod = podWith({ container: { livenessProbe: { httpGet: { host: 'a' } } } })
  const emulated = createEvaluate(createPlatform('kubernetes').name, '1.33')
  assert.equal(emulated({ level: 'baseline', version: 'latest' }, pod).length, 0)
  assert.equal(evaluate({ level: 'baseline', version: 'latest' }, pod).length, 1)
})

test('messages for a pod that violates every control', () => {
  const bad = {
    image: 'i',
    ports: [{ hostPort: 80 }, { hostPort: 443 }],
    livenessProbe: { httpGet: { host: 'h' } },
    securityContext: {
      privileged: true,
      capabilities: { add: ['NET_RAW', 'BPF'] },
      appArmorProfile: { type: 'Unconfined' },
      seLinuxOptions: { type: 'x_t', user: 'u', role: 'r' },
      procMount: 'Unmasked',
      seccompProfile: { type: 'Unconfined' },
      runAsUser: 0,
    },
  }
  const pod = podWith({
    annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'x"y' },
    pod: {
      containers: [
        { name: 'a', ...bad },
        { name: 'b', ...bad },
      ],
      hostPID: true,
      hostIPC: true,
      volumes: [
        { name: 'v', hostPath: {} },
        { name: 'w', nfs: {} },
      ],
      securityContext: { sysctls: [{ name: 's.a' }, { name: 's.b' }], windowsOptions: { hostProcess: true } },
    },
  })
  const both = 'containers "a", "b"'
  const common = (volumes: string, capabilities: string) => [
    `forbidden AppArmor profiles (${both} and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="x\\"y"")`,
    ...(capabilities === '' ? [] : [capabilities]),
    'host namespaces (hostPID=true, hostIPC=true)',
    ...(volumes === '' ? [] : [volumes]),
    `hostPort (${both} use hostPorts 443, 80)`,
    `probe or lifecycle host (${both} use probe or lifecycle host "h")`,
    `privileged (${both} must not set securityContext.privileged=true)`,
  ]
  const procMount = `procMount (${both} must not set securityContext.procMount to "Unmasked")`
  const seLinux = `seLinuxOptions (${both} set forbidden securityContext.seLinuxOptions: type "x_t"; user may not be set; role may not be set)`
  const seccomp = `seccompProfile (${both} must not set securityContext.seccompProfile.type to "Unconfined")`
  const rest = ['forbidden sysctls (s.a, s.b)', 'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)']
  const added = `must not include "BPF", "NET_RAW" in securityContext.capabilities.add`
  assert.equal(
    detailsOf(evaluate({ level: 'baseline', version: 'latest' }, pod)),
    [...common('hostPath volumes (volume "v")', `non-default capabilities (${both} ${added})`), procMount, seLinux, seccomp, ...rest].join(
      ', ',
    ),
  )
  assert.equal(
    detailsOf(evaluate({ level: 'restricted', version: 'latest' }, pod)),
    [
      ...common('', ''),
      seLinux,
      ...rest,
      `allowPrivilegeEscalation != false (${both} must set securityContext.allowPrivilegeEscalation=false)`,
      `unrestricted capabilities (${both} must set securityContext.capabilities.drop=["ALL"]; ${both} ${added})`,
      procMount,
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
      `runAsNonRoot != true (pod or ${both} must set securityContext.runAsNonRoot=true)`,
      `runAsUser=0 (${both} must not set runAsUser=0)`,
      seccomp,
    ].join(', '),
  )
})
