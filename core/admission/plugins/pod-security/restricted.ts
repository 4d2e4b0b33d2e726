/** Additional controls of level restricted, and the baseline controls that they replace. */
import { addedCapabilities, isProfile, procMount, seccompFields, unlessOwnUsers } from './baseline.ts'
import { type Check, type Container, type Control, containers, namesOf, type PodSpec, plural, quoted, setters, sorted } from './pod.ts'

/** Exempts Windows pods, which don't support it. */
const unlessWindows =
  (check: Check): Check =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod)

const privilegeEscalation: Check = ({ spec }) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (names.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containers(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

const capabilities: Check = ({ spec }) => {
  const keeping = namesOf(spec, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'))
  const details = [
    ...(keeping.length > 0 ? [`${containers(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...[addedCapabilities(spec, ['NET_BIND_SERVICE'])].filter((detail) => detail !== undefined),
  ]
  return details.length > 0 ? { reason: 'unrestricted capabilities', detail: details.join('; ') } : undefined
}

const allowedVolumes = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
]
const forbiddenVolumes = [
  ...['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd', 'flexVolume', 'cinder'],
  ...['cephfs', 'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte', 'azureDisk', 'photonPersistentDisk', 'portworxVolume'],
  ...['scaleIO', 'storageos'],
]

const hasSource = (volume: object) => (source: string) => (volume as { readonly [source: string]: unknown })[source] != null

const volumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some(hasSource(volume)))
  if (bad.length === 0) return undefined
  const names = bad.map(({ name }) => name)
  const types = sorted(bad.map((volume) => forbiddenVolumes.find(hasSource(volume)) ?? 'unknown'))
  const detail = `${plural('volume', names)} ${quoted(names)} ${plural('uses', names, 'use')} ${plural('restricted volume type', types)} ${quoted(types)}`
  return { reason: 'restricted volume types', detail }
}

/** Containers without the setting, if the pod has none for all of them. */
const silent = (spec: PodSpec, said: boolean, says: (container: Container) => boolean) =>
  said ? [] : namesOf(spec, (container) => !says(container))

const runAsNonRoot: Check = ({ spec }) => {
  const reason = 'runAsNonRoot != true'
  const ofPod = spec.securityContext?.runAsNonRoot
  const who = setters(
    ofPod === false,
    namesOf(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  )
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` }
  const open = silent(spec, ofPod === true, ({ securityContext }) => securityContext?.runAsNonRoot != null)
  return open.length > 0 ? { reason, detail: `pod or ${containers(open)} must set securityContext.runAsNonRoot=true` } : undefined
}

const runAsUser: Check = ({ spec }) => {
  const who = setters(
    spec.securityContext?.runAsUser === 0,
    namesOf(spec, ({ securityContext }) => securityContext?.runAsUser === 0),
  )
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` }
}

const seccomp: Check = (pod) => {
  const bad = seccompFields(pod)
  if (bad !== undefined) return bad
  const { spec } = pod
  const said = isProfile(spec.securityContext?.seccompProfile?.type)
  const open = silent(spec, said, ({ securityContext }) => securityContext?.seccompProfile != null)
  if (open.length === 0) return undefined
  const detail = `pod or ${containers(open)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`
  return { reason: 'seccompProfile', detail }
}

export const restrictedControls: readonly Control[] = [
  {
    id: 'allowPrivilegeEscalation',
    revisions: [
      { since: '1.8', check: privilegeEscalation },
      { since: '1.25', check: unlessWindows(privilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    replaces: 'capabilities',
    revisions: [
      { since: '1.22', check: capabilities },
      { since: '1.25', check: unlessWindows(capabilities) },
    ],
  },
  // Since then baseline exempts pods with user namespaces, and restricted does not.
  { id: 'procMount_restricted', replaces: 'procMount', revisions: [{ since: '1.35', check: procMount }] },
  { id: 'restrictedVolumes', replaces: 'hostPathVolumes', revisions: [{ since: '1.0', check: volumes }] },
  {
    id: 'runAsNonRoot',
    revisions: [
      { since: '1.0', check: runAsNonRoot },
      { since: '1.35', check: unlessOwnUsers(runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    revisions: [
      { since: '1.23', check: runAsUser },
      { since: '1.35', check: unlessOwnUsers(runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    replaces: 'seccompProfile',
    revisions: [
      { since: '1.19', check: seccomp },
      { since: '1.25', check: unlessWindows(seccomp) },
    ],
  },
]
