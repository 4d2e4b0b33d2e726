/** Validation of pod specs, in pods and templates. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'
import { asJson, validateFormat, validateSupported } from '../validation.ts'
import { validateEphemeralContainers, validateInitContainers, validateMainContainers } from './container-lists.ts'
import { type PodView, validateChoice } from './container-validation.ts'
import { validateDNS, validateHostAliases, validateHostnameOverride } from './dns-validation.ts'
import { isMirrorPod } from './mirror-pod.ts'
import { validateHostProcess, validateHostUsers, validateOS } from './os-validation.ts'
import { aggregate } from './pod-requests.ts'
import type { PodResourceClaim, PodSpec as PodSpecSchema } from './pod-spec.ts'
import { compare } from './quantities.ts'
import { isHugePages, validateRequirements } from './resource-validation.ts'
import { validateAffinity, validateSpread, validateTolerations } from './scheduling-validation.ts'
import { validatePodSecurityContext } from './security-validation.ts'
import { validateVolumes } from './volume-validation.ts'

export type PodSpec = Infer<typeof PodSpecSchema>

const maxInt32 = 2 ** 31 - 1

interface PodMetadata {
  readonly name?: string | undefined
  readonly annotations?: { readonly [key: string]: string } | undefined
}

/** Adds all errors of a spec. `pod`: the pod's metadata, or `undefined` for a template. */
export function validatePodSpec(
  given: PodSpec,
  pod: PodMetadata | undefined,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  // A required list that is absent is null.
  const spec = given.containers ? given : { ...given, containers: [] }
  const { initContainers = [], ephemeralContainers = [], resourceClaims = [] } = spec
  const volumes = validateVolumes(spec.volumes ?? [], pod && (pod.name ?? ''), path.child('volumes'), errors, context)
  const view: PodView = {
    volumes,
    claims: new Set(resourceClaims.map(({ name }) => name).filter(Boolean)),
    restartPolicy: spec.restartPolicy,
    hostUsers: spec.hostUsers ?? true,
    gracePeriod: spec.terminationGracePeriodSeconds,
    os: spec.os?.name,
  }
  if (isMirrorPod(pod?.annotations, context.platform))
    for (const _ of resourceClaims) errors.forbidden(FieldPath.of(''), 'static pods do not support resource claims')
  else validateClaims(resourceClaims, path.child('resourceClaims'), errors)
  validateMainContainers(spec.containers, view, path.child('containers'), errors, context)
  validateInitContainers(initContainers, spec.containers, view, path.child('initContainers'), errors, context)
  const others = [...spec.containers, ...initContainers]
  validateEphemeralContainers(ephemeralContainers, others, view, path.child('ephemeralContainers'), errors, context)
  validatePodResources(spec, view, path.child('resources'), errors, context)
  if (spec.hostNetwork) validateHostNetworkPorts(spec, pod !== undefined, path.child('containers'), errors)
  validateChoice(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], path.child('restartPolicy'), errors)
  validateChoice(spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], path.child('dnsPolicy'), errors)
  validateLabels(spec.nodeSelector, path.child('nodeSelector'), errors)
  validatePodSecurityContext(spec, path.child('securityContext'), errors, context)
  if (spec.affinity) validateAffinity(spec.affinity, path.child('affinity'), errors, context)
  validateDNS(spec, path.child('dnsConfig'), errors)
  validateGates(spec, path, errors)
  validateSpread(spec.topologySpreadConstraints ?? [], path.child('topologySpreadConstraints'), errors, context)
  validateHostProcess(spec, path, errors)
  validateHostUsers(spec, path, errors, context)
  validateHostnameOverride(spec, path.child('hostnameOverride'), errors)
  validateNames(spec, path, errors, context)
  validateOS(spec, path, errors)
  validateSchedulingGroup(spec, path.child('schedulingGroup').child('podGroupName'), errors)
  validateFileKeyRefs(spec, path, errors)
}

function validateClaims(claims: readonly Infer<typeof PodResourceClaim>[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>()
  claims.forEach((claim, index) => {
    const { name, resourceClaimName, resourceClaimTemplateName } = claim
    const at = path.index(index)
    if (name === '') errors.required(at.child('name'))
    else if (names.has(name)) errors.duplicate(at.child('name'), name)
    else validateFormat(name, 'dns1123Label', at.child('name'), errors)
    names.add(name)
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.invalid(at, asJson(claim), 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.invalid(at, asJson(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')
    }
    validateFormat(resourceClaimName, 'dns1123Subdomain', at.child('resourceClaimName'), errors)
    validateFormat(resourceClaimTemplateName, 'dns1123Subdomain', at.child('resourceClaimTemplateName'), errors)
  })
}

/** KEP-2837: pod-level requests must cover the containers' requests. */
function validatePodResources(spec: PodSpec, { claims }: PodView, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { resources, containers, initContainers = [] } = spec
  if (!resources) return
  if (spec.os?.name === 'windows') {
    errors.forbidden(path, 'may not be set for a windows pod')
    return
  }
  if (given(resources, 'claims')) errors.forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level')
  validateRequirements(resources, 'pod', claims, path, errors, context)
  for (const side of ['requests', 'limits'] as const) {
    for (const [name, amount] of Object.entries(aggregate(containers, initContainers, side))) {
      const own = resources[side]?.[name]
      if (own === undefined || (side === 'limits' && !isHugePages(name)) || compare(amount, own) <= 0) continue
      errors.invalid(path.child(side).key(name), own, `must be greater than or equal to aggregate container ${side} of ${amount}`)
    }
  }
  containers.forEach((container, index) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const own = resources.limits?.[name]
      if (own === undefined || compare(limit, own) <= 0) continue
      const at = path.child('containers').index(index).key(name).child('limits')
      errors.invalid(at, limit, `must be less than or equal to pod limits of ${own}`)
    }
  })
}

/** Templates may omit host ports, which pods get by default. */
function validateHostNetworkPorts({ containers }: PodSpec, isPod: boolean, path: FieldPath, errors: FieldErrors): void {
  containers.forEach(({ ports = [] }, index) => {
    ports.forEach(({ hostPort = 0, containerPort }, port) => {
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return
      const at = path.index(index).child('ports').index(port).child('hostPort')
      errors.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')
    })
  })
}

function validateGates({ readinessGates = [], schedulingGates = [] }: PodSpec, path: FieldPath, errors: FieldErrors): void {
  readinessGates.forEach(({ conditionType }, index) => {
    validateFormat(conditionType, 'qualifiedName', path.child('readinessGates').index(index).child('conditionType'), errors)
  })
  const seen = new Set<string>()
  schedulingGates.forEach(({ name }, index) => {
    const at = path.child('schedulingGates').index(index)
    validateFormat(name, 'qualifiedName', at, errors)
    if (seen.has(name)) errors.duplicate(at, name)
    seen.add(name)
  })
}

function validateNames(spec: PodSpec, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { activeDeadlineSeconds: deadline, preemptionPolicy, overhead } = spec
  const named = (
    name: 'serviceAccountName' | 'nodeName' | 'priorityClassName' | 'hostname' | 'subdomain',
    format: 'dns1123Label' | 'dns1123Subdomain',
  ) => {
    if (spec[name]) validateFormat(spec[name], format, path.child(name), errors)
  }
  named('serviceAccountName', 'dns1123Subdomain')
  named('nodeName', 'dns1123Subdomain')
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    errors.invalid(path.child('activeDeadlineSeconds'), deadline, `must be between 1 and ${maxInt32}, inclusive`)
  }
  named('hostname', 'dns1123Label')
  named('subdomain', 'dns1123Label')
  validateTolerations(spec.tolerations ?? [], path.child('tolerations'), errors, context)
  validateHostAliases(spec.hostAliases ?? [], path.child('hostAliases'), errors)
  named('priorityClassName', 'dns1123Subdomain')
  validateFormat(spec.runtimeClassName, 'dns1123Subdomain', path.child('runtimeClassName'), errors)
  if (preemptionPolicy === '') errors.required(path.child('preemptionPolicy'))
  else if (preemptionPolicy !== undefined) {
    validateSupported(preemptionPolicy, ['PreemptLowerPriority', 'Never'], path.child('preemptionPolicy'), errors)
  }
  if (overhead) validateRequirements({ limits: overhead }, 'container', new Set(), path.child('overhead'), errors, context)
}

/** KEP-4671; a union with one member so far. */
function validateSchedulingGroup({ schedulingGroup: group }: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (group && group.podGroupName === undefined) errors.invalid(path, undefined, 'must specify one of: `podGroupName`')
  validateFormat(group?.podGroupName, 'dns1123Subdomain', path, errors)
}

/** Environment files must be on volumes that the pod itself can write. */
function validateFileKeyRefs({ volumes = [], ...spec }: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const byName = new Map(volumes.map((volume) => [volume.name, volume]).reverse() as [string, (typeof volumes)[number]][])
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach(({ env = [] }, index) => {
      env.forEach(({ valueFrom }, variable) => {
        const name = valueFrom?.fileKeyRef?.volumeName
        if (name === undefined) return
        const volume = byName.get(name)
        const at = path.child(list).index(index).child('env').index(variable)
        const where = at.child('valueFrom').child('fileKeyRef').child('volumeName')
        if (!volume) errors.notFound(where, name)
        else if (!volume.emptyDir) errors.invalid(where, name, 'referenced volume must be of type emptyDir')
      })
    })
  }
}
