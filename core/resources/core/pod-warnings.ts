/** Warnings about pods and pod templates (pkg/api/pod/warnings.go). */
import type { Platform } from '../../platform.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { addressWarnings } from '../address-warnings.ts'
import { podNameWarnings } from '../pod-name-warning.ts'
import { boundedWarnings } from '../warnings.ts'
import { byteWarnings } from './byte-warnings.ts'
import type { Container as ContainerSchema } from './container.ts'
import { deprecatedLabel, nodeSelectorTermWarnings } from './node-label-warnings.ts'
import { eachContainer } from './os-validation.ts'
import { hasPaths, pathWarnings } from './path-warnings.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { portWarnings } from './port-warnings.ts'
import { appArmor, seccomp } from './profile-annotations.ts'
import { volumeWarnings } from './volume-warnings.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type Container = Infer<typeof ContainerSchema>
type Annotations = { readonly [key: string]: string }

/** A pod or pod template. */
export interface PodLike {
  readonly metadata?: { readonly annotations?: Annotations | undefined } | undefined
  readonly spec?: PodSpec | undefined
}

/** Only on create: updates of pods are frequent, and made by controllers. */
export function warnOfNewPod(
  pod: PodLike & { metadata?: { name?: string } | undefined },
  old: PodLike | undefined,
  context: HookContext,
): string[] {
  if (old !== undefined) return []
  return [...podNameWarnings(pod.metadata?.name, "the Pod's hostname"), ...boundedWarnings(podWarnings(pod, FieldPath.root, context))]
}

const bytes = ['memory', 'ephemeral-storage']

const deprecatedAnnotations: readonly (readonly [key: string, message: string])[] = [
  ['scheduler.alpha.<labels>/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.<labels>/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.<labels>/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]
const useSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead'
export const useAppArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead'

/** @param at path of a template; the root for pods, whose AppArmor annotations are reported when they become fields */
export function* podWarnings({ metadata, spec }: PodLike, at: FieldPath, { platform, settings }: HookContext): Iterable<string> {
  if (spec === undefined) return
  const path = at.child('spec')
  const { securityContext: security, volumes = [] } = spec
  yield* placementWarnings(spec, path, platform)
  const annotations = metadata?.annotations ?? {}
  // Fast check: all reported annotations are from alpha and beta versions, which few pods have.
  const isOld = Object.keys(annotations).some((key) => key.includes('alpha.') || key.includes('beta.'))
  const annotated = (key: string, message: string) =>
    annotations[key] === undefined ? [] : [`${at.child('metadata').child('annotations').key(key)}: ${message}`]
  if (isOld) for (const [key, message] of deprecatedAnnotations) yield* annotated(platform.name(key), message)
  for (const [index, volume] of volumes.entries()) yield* volumeWarnings(volume, () => path.child('volumes').index(index), settings)
  for (const volume of volumes) if (hasPaths(volume)) yield* pathWarnings(volume)
  if (spec.hostAliases) yield* repeated(spec.hostAliases, 'ip', path.child('hostAliases'), 'duplicate ip')
  if (spec.imagePullSecrets) yield* pullSecretWarnings(spec, path.child('imagePullSecrets'))
  yield* byteWarnings(spec.overhead, bytes, path, 'overhead')
  if (isOld && !security?.seccompProfile) yield* annotated(platform.name(seccomp.ofPod), useSeccomp)
  const containers: { container: Container; at: FieldPath; ports: Container['ports'] }[] = []
  eachContainer(spec, path, (container, at) => void containers.push({ container: container as Container, at, ports: container.ports }))
  const isTemplate = at !== FieldPath.root
  for (const { container, at } of containers) {
    const { name, securityContext: own, resources } = container
    if (isOld && !own?.seccompProfile) yield* annotated(`${platform.name(seccomp.ofContainer)}${name}`, useSeccomp)
    const hasAppArmor = security?.appArmorProfile ?? own?.appArmorProfile
    if (isOld && isTemplate && !hasAppArmor) yield* annotated(`${platform.name(appArmor.ofContainer)}${name}`, useAppArmor)
    yield* byteWarnings(resources?.limits, bytes, at, 'resources', 'limits')
    yield* byteWarnings(resources?.requests, bytes, at, 'resources', 'requests')
    if ((container.env?.length ?? 0) > 1) yield* variableWarnings(container, at.child('env'))
  }
  yield* portWarnings(containers)
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield `${path.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`
  }
  if (spec.affinity) yield* affinityWarnings(spec, path.child('affinity'))
  for (const [index, server] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    yield* addressWarnings(path.child('dnsConfig').child('nameservers').index(index), server)
  }
  for (const [index, { ip }] of (spec.hostAliases ?? []).entries()) {
    yield* addressWarnings(path.child('hostAliases').index(index).child('ip'), ip)
  }
}

function* placementWarnings(spec: PodSpec, path: FieldPath, platform: Platform): Iterable<string> {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const message = deprecatedLabel(key, platform)
    if (message) yield `${path.child('nodeSelector').key(key)}: ${message}`
  }
  if (spec.affinity?.nodeAffinity)
    yield* nodeAffinityWarnings(spec.affinity.nodeAffinity, path.child('affinity').child('nodeAffinity'), platform)
  for (const [index, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const spread = path.child('topologySpreadConstraints').index(index)
    const message = deprecatedLabel(topologyKey, platform)
    if (message) yield `${spread.child('topologyKey')}: ${topologyKey} is ${message}`
    if (!labelSelector) yield matchesNothing(spread)
  }
}

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>

function* nodeAffinityWarnings(affinity: NodeAffinity, at: FieldPath, platform: Platform): Iterable<string> {
  const terms = affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const termsAt = at.child('requiredDuringSchedulingIgnoredDuringExecution').child('nodeSelectorTerms')
  for (const [index, term] of terms.entries()) yield* nodeSelectorTermWarnings(term, false, termsAt.index(index), platform)
  const preferredAt = at.child('preferredDuringSchedulingIgnoredDuringExecution')
  for (const [index, { preference }] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    yield* nodeSelectorTermWarnings(preference, true, preferredAt.index(index).child('preference'), platform)
  }
}

const matchesNothing = (at: FieldPath) => `${at.child('labelSelector')}: a null labelSelector results in matching no pod`

function* affinityWarnings({ affinity }: PodSpec, path: FieldPath): Iterable<string> {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: required = [],
      preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
    } = affinity?.[kind] ?? {}
    const requiredAt = path.child(kind).child('requiredDuringSchedulingIgnoredDuringExecution')
    for (const [index, { labelSelector }] of required.entries()) if (!labelSelector) yield matchesNothing(requiredAt.index(index))
    const preferredAt = path.child(kind).child('preferredDuringSchedulingIgnoredDuringExecution')
    for (const [index, { podAffinityTerm }] of preferred.entries()) {
      if (!podAffinityTerm?.labelSelector) yield matchesNothing(preferredAt.index(index).child('podAffinityTerm'))
    }
  }
}

/** Items with the same key as an earlier one. */
function* repeated<K extends string>(
  items: readonly { readonly [name in K]?: string | undefined }[] | undefined,
  key: K,
  path: FieldPath,
  message: string,
): Iterable<string> {
  const known = new Set<string>()
  for (const [index, item] of (items ?? []).entries()) {
    const value = item[key] ?? ''
    if (known.has(value)) yield `${path.index(index).child(key)}: ${message} ${JSON.stringify(value)}`
    known.add(value)
  }
}

function* pullSecretWarnings({ imagePullSecrets: secrets = [] }: PodSpec, path: FieldPath): Iterable<string> {
  yield* repeated(secrets, 'name', path, 'duplicate name')
  for (const [index, { name }] of secrets.entries()) if (!name) yield `${path.index(index).child('name')}: invalid empty name ""`
}

/** A variable that replaces an earlier one without referring to it is lost when the list is applied by key. */
function* variableWarnings({ env = [] }: Container, path: FieldPath): Iterable<string> {
  const known = new Set<string>()
  for (const [index, { name, value = '', valueFrom }] of env.entries()) {
    const reference = known.has(name) ? `$(${name})` : ''
    if (reference !== '' && (valueFrom !== undefined || value === reference || !value.includes(reference))) {
      yield `${path.index(index)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`
    }
    known.add(name)
  }
}
