/** Validation of pod status. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { addressWarnings } from '../address-warnings.ts'
import { asJson, validateAddress, validateFormat, validateUnchanged } from '../validation.ts'
import type { ContainerStatus } from './container-status.ts'
import type { Pod } from './pod.ts'
import { validatePodAnnotationUpdates } from './pod-annotation-validation.ts'
import { isSidecar } from './pod-requests.ts'
import type { PodSpec } from './pod-spec-validation.ts'
import type { PodStatus } from './pod-status.ts'
import {
  validateExtendedClaim,
  validateHealth,
  validateNodeClaims,
  validateNoHealth,
  validateUsers,
  validateVolumeStatuses,
} from './pod-status-parts-validation.ts'

type PodLike = Infer<typeof Pod>
type Status = Infer<typeof PodStatus>
type Statuses = readonly Infer<typeof ContainerStatus>[]

const ownConditions = ['PodScheduled', 'Ready', 'Initialized']

export function validatePodStatus(pod: PodLike, old: PodLike, errors: FieldErrors, context: HookContext): void {
  const { status = {}, spec } = pod
  const { status: before = {} } = old
  const path = FieldPath.of('status')
  validatePodAnnotationUpdates(pod.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}, errors, context)
  const refuseNegative = (generation: number | undefined, at: FieldPath) => {
    if (generation !== undefined && generation < 0) errors.invalid(at, generation, 'must be a non-negative integer')
  }
  status.conditions?.forEach(({ type, observedGeneration }, index) => {
    const at = path.child('conditions').index(index)
    refuseNegative(observedGeneration, at.child('observedGeneration'))
    if (!ownConditions.includes(type)) validateFormat(type, 'qualifiedName', at.child('Type'), errors)
  })
  if (status.nominatedNodeName && status.nominatedNodeName !== before.nominatedNodeName) {
    validateFormat(status.nominatedNodeName, 'dns1123Subdomain', path.child('nominatedNodeName'), errors)
    if (old.spec?.nodeName && context.settings.enabled('ClearingNominatedNodeNameAfterBinding')) {
      errors.forbidden(path.child('nominatedNodeName'), 'may not be set on pods that are already bound to a node')
    }
  }
  refuseNegative(status.observedGeneration, path.child('observedGeneration'))
  validateUnchanged(status.qosClass ?? '', before.qosClass ?? '', path.child('qosClass'), errors)
  const policy = old.spec?.restartPolicy
  const sidecars = new Set((old.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  const none = new Set<string>()
  validateTransitions(status.containerStatuses, before.containerStatuses, policy, none, path.child('containerStatuses'), errors)
  validateTransitions(
    status.initContainerStatuses,
    before.initContainerStatuses,
    policy,
    sidecars,
    path.child('initContainerStatuses'),
    errors,
  )
  const ephemeral = path.child('ephemeralContainerStatuses')
  validateTransitions(status.ephemeralContainerStatuses, before.ephemeralContainerStatuses, 'Never', none, ephemeral, errors)
  const claims = new Set((spec?.resourceClaims ?? []).map(({ name }) => name))
  const seen = new Set<string>()
  status.resourceClaimStatuses?.forEach(({ name, resourceClaimName }, index) => {
    const here = path.child('resourceClaimStatuses').index(index)
    const at = here.child('name')
    if (!claims.has(name)) errors.invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`')
    if (seen.has(name)) errors.duplicate(at, name)
    seen.add(name)
    if (resourceClaimName !== undefined) validateFormat(resourceClaimName, 'dns1123Subdomain', here.child('resourceClaimName'), errors)
  })
  validateClaimStatuses(status, spec ?? { containers: [] }, path, errors, context)
  validateAddresses(status.podIPs, path.child('podIPs'), errors)
  const [first] = status.hostIPs ?? []
  if (first && first.ip !== (status.hostIP ?? '')) {
    errors.invalid(path.child('hostIPs').index(0).child('ip'), first.ip, 'must be equal to `hostIP`')
  }
  validateAddresses(status.hostIPs, path.child('hostIPs'), errors)
  validateReports(status, spec ?? { containers: [] }, path, errors)
}

function validateClaimStatuses(status: Status, spec: PodSpec, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { extendedResourceClaimStatus: extended, nodeAllocatableResourceClaimStatuses: allocatable = [] } = status
  if (extended) validateExtendedClaim(extended, spec, path.child('extendedResourceClaimStatus'), errors)
  validateNodeClaims(allocatable, status, spec, path.child('nodeAllocatableResourceClaimStatuses'), errors, context)
}

const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const

/** What node agents report about containers. */
function validateReports(status: Status, { containers, initContainers = [], os }: PodSpec, path: FieldPath, errors: FieldErrors): void {
  for (const list of lists) validateUsers(status[list], os?.name, path.child(list), errors)
  validateHealth(status.containerStatuses, containers, path.child('containerStatuses'), errors)
  validateHealth(status.initContainerStatuses, initContainers, path.child('initContainerStatuses'), errors)
  validateNoHealth(status.ephemeralContainerStatuses, path.child('ephemeralContainerStatuses'), errors)
  for (const list of lists) validateVolumeStatuses(status[list], path.child(list), errors)
}

/** Terminated containers that don't restart must stay terminated. */
function validateTransitions(
  statuses: Statuses = [],
  old: Statuses = [],
  policy: string | undefined,
  exempt: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy === 'Always') return
  const going = new Set(statuses.filter(({ state }) => !state?.terminated).map(({ name }) => name))
  old.forEach(({ name, state }, index) => {
    const ended = state?.terminated
    if (!ended || exempt.has(name) || (ended.exitCode !== 0 && policy === 'OnFailure')) return
    if (going.has(name)) {
      errors.forbidden(path.index(index).child('state'), 'may not be transitioned to non-terminated state')
    }
  })
}

function validateAddresses(addresses: readonly { ip: string }[] = [], path: FieldPath, errors: FieldErrors): void {
  for (const [index, { ip }] of addresses.entries()) validateAddress(ip, 'ip', path.index(index), errors)
  if (addresses.length < 2) return
  const wrong = addresses.findIndex(({ ip }) => parseAddress(ip) === undefined)
  if (wrong >= 0) errors.internal(path, `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]?.ip}`)
  const families = new Set(addresses.map(({ ip }) => ip.includes(':')))
  if (wrong >= 0 || families.size < 2 || addresses.length > 2) {
    errors.invalid(path, asJson(addresses), 'may specify no more than one IP for each IP family')
  }
}

type Addresses = readonly { readonly ip: string }[]

/** Validation allows at most two addresses per family. */
export function podStatusWarnings({ status }: PodLike): string[] {
  const of = (name: string, addresses: Addresses = []) =>
    addresses.flatMap(({ ip }, index) => addressWarnings(FieldPath.of('status', name).index(index).child('ip'), ip))
  return [...of('podIPs', status?.podIPs), ...of('hostIPs', status?.hostIPs)]
}
