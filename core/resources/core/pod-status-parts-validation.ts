/** Validation of parts of a pod's status: claims behind its resources, and what node agents report about containers. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { inRange } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { repeats, validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type { ContainerStatus, LinuxContainerUser, ResourceStatus } from './container-status.ts'
import type { Container } from './container-validation.ts'
import type { PodSpec } from './pod-spec-validation.ts'
import type { NodeAllocatableResourceClaimStatus, PodExtendedResourceClaimStatus, PodStatus } from './pod-status.ts'
import { signOf } from './quantities.ts'

type Status = Infer<typeof PodStatus>
type Statuses = readonly Infer<typeof ContainerStatus>[]

const max = { id: 2 ** 31 - 1, healthMessage: 1024, imageReference: 256 }

/** The claim that stands for the pod's extended resources (KEP-5004). */
export function validateExtendedClaim(
  { requestMappings, resourceClaimName }: Infer<typeof PodExtendedResourceClaimStatus>,
  { containers, initContainers = [] }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const byName = new Map([...initContainers, ...containers].map((container) => [container.name, container]))
  const at = path.child('requestMappings')
  const isRepeat = repeats()
  if (!requestMappings?.length) errors.required(at, 'at least one request mapping is required')
  requestMappings?.forEach(({ containerName, resourceName, requestName }, index) => {
    const here = at.index(index)
    const container = byName.get(containerName)
    if (!container) {
      errors.invalid(
        here.child('containerName'),
        containerName,
        'must match the name of an entry in spec.initContainers.name or spec.containers.name',
      )
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const where = 'spec.initContainers.resources.requests or spec.containers.resources.requests'
      errors.invalid(here.child('resourceName'), resourceName, `must match the extended resource name of an entry in ${where}`)
    }
    // The reference names no item here.
    validateFormat(requestName, 'dns1123Label', path.child('requestName'), errors)
    if (!isRepeat(JSON.stringify([containerName, resourceName, requestName]))) return
    for (const [name, value] of Object.entries({ containerName, resourceName, requestName })) errors.duplicate(here.child(name), value)
  })
  validateRequiredFormat(resourceClaimName, 'dns1123Subdomain', path.child('resourceClaimName'), errors)
}

/** Node resources that are obtained through claims (KEP-5517). */
export function validateNodeClaims(
  statuses: readonly Infer<typeof NodeAllocatableResourceClaimStatus>[],
  { resourceClaimStatuses = [] }: Status,
  { resourceClaims = [] }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  { platform }: HookContext,
): void {
  const known = new Set([...resourceClaims, ...resourceClaimStatuses].map(({ resourceClaimName }) => resourceClaimName))
  const isNative = (name: string) => !name.includes('/') || name.includes(`${platform.labelDomain}/`)
  statuses.forEach(({ resourceClaimName: claim, containers, resources }, index) => {
    const at = path.index(index)
    const name = at.child('resourceClaimName')
    if (claim === '') errors.required(name, 'must not be empty')
    if (!known.has(claim)) errors.invalid(name, claim, 'no mapping found in pod reference')
    if (!containers?.length) errors.required(at.child('containers'), 'must not be empty')
    const amounts = Object.entries(resources ?? {})
    if (amounts.length === 0) errors.required(at.child('resources'), 'must not be empty')
    for (const [resource, amount] of amounts) {
      const here = at.child('resources').key(resource)
      if (!isNative(resource)) errors.invalid(here, resource, 'must be a node allocatable resource name')
      if (signOf(amount) < 0) errors.invalid(here, amount, 'must be non-negative')
    }
  })
}

function validateUser({ uid, gid, supplementalGroups = [] }: Infer<typeof LinuxContainerUser>, path: FieldPath, errors: FieldErrors): void {
  const validateId = (id: number, at: FieldPath) => {
    for (const problem of inRange(id, 0, max.id)) errors.invalid(at, id, problem)
  }
  validateId(uid, path.child('uid'))
  validateId(gid, path.child('gid'))
  supplementalGroups.forEach((group, index) => {
    validateId(group, path.child('supplementalGroups').index(index))
  })
}

/** Identities of first processes. */
export function validateUsers(statuses: Statuses = [], os: string | undefined, path: FieldPath, errors: FieldErrors): void {
  statuses.forEach(({ user }, index) => {
    const at = path.index(index).child('user').child('linux')
    if (!user?.linux) return
    if (os === 'windows') errors.forbidden(at, 'cannot be set for a windows pod')
    else if (os === undefined || os === 'linux') validateUser(user.linux, at, errors)
  })
}

function isAllocated(name: string, { resources = {} }: Container): boolean {
  if (!name.startsWith('claim:')) return Object.hasOwn(resources.requests ?? {}, name)
  return (resources.claims ?? []).some((claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`)
}

const claimWords =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"

/** Health of the devices that containers use (KEP-4680). */
export function validateHealth(statuses: Statuses = [], containers: readonly Container[], path: FieldPath, errors: FieldErrors): void {
  statuses.forEach(({ name, allocatedResourcesStatus = [] }, index) => {
    const container = containers.find((each) => each.name === name)
    allocatedResourcesStatus.forEach((resource, at) => {
      const here = path.index(index).child('allocatedResourcesStatus').index(at)
      if (container && !isAllocated(resource.name, container)) {
        const isClaim = resource.name.startsWith('claim:')
        errors.invalid(here.child('name'), resource.name, isClaim ? claimWords : "must match one of the container's resource requests")
      }
      validateDevices(resource, here.child('resources'), errors)
    })
  })
}

function validateDevices({ resources = [] }: Infer<typeof ResourceStatus>, path: FieldPath, errors: FieldErrors): void {
  const isRepeat = repeats()
  resources.forEach(({ resourceID, health, message }, index) => {
    const at = path.index(index)
    validateSupported(health, ['Healthy', 'Unhealthy', 'Unknown'], at.child('health'), errors)
    if (message === '') errors.required(at.child('message'), 'must be non-empty if specified')
    else if (message !== undefined && message.length > max.healthMessage) errors.tooLong(at.child('message'), max.healthMessage)
    if (isRepeat(resourceID)) errors.duplicate(at.child('resourceID'), resourceID)
  })
}

/** Nothing is allocated for ephemeral containers. */
export function validateNoHealth(statuses: Statuses = [], path: FieldPath, errors: FieldErrors): void {
  statuses.forEach(({ allocatedResourcesStatus = [] }, index) => {
    if (allocatedResourcesStatus.length === 0) return
    errors.forbidden(path.index(index).child('allocatedResourcesStatus'), 'must not be specified in container status')
  })
}

/** Images that volumes resolved to (KEP-5365). */
export function validateVolumeStatuses(statuses: Statuses = [], path: FieldPath, errors: FieldErrors): void {
  statuses.forEach(({ volumeMounts = [] }, index) => {
    volumeMounts.forEach(({ volumeStatus }, mount) => {
      if (!volumeStatus?.image) return
      const { imageRef } = volumeStatus.image
      const at = path.index(index).child('volumeMounts').index(mount).child('volumeStatus').child('imageVolumeStatus').child('imageRef')
      if (!imageRef) errors.required(at, 'imageRef must not be empty')
      else if (imageRef.length > max.imageReference) errors.tooLong(at, max.imageReference)
    })
  })
}
