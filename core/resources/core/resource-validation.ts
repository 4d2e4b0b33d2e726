/** Validation of resource names, quantities, requests and limits. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat } from '../validation.ts'
import { compare, type ResourceList, signOf } from './quantities.ts'
import type { ResourceRequirements as ResourceRequirementsSchema } from './resources.ts'

type Requirements = Infer<typeof ResourceRequirementsSchema>

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])
const objectCounts = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const quotaResources = new Set([
  ...containerResources,
  ...['requests.cpu', 'requests.memory', 'requests.storage', 'requests.ephemeral-storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
  ...objectCounts,
])
const standardResources = new Set([...quotaResources, 'storage'])
const integerResources = new Set(objectCounts)
/** Resources allowed at pod level. */
const podResources = ['cpu', 'memory']

export const isHugePages = (name: string) => name.startsWith('hugepages-')
const isQuotaHugePages = (name: string) => isHugePages(name) || name.startsWith('requests.hugepages-')
type Naming = Pick<HookContext, 'platform'>
/** Without domain, or with the platform's own. */
export const isNative = (name: string, { platform }: Naming) => !name.includes('/') || name.includes(`${platform.labelDomain}/`)
export const allowsOvercommit = (name: string, context: Naming) => isNative(name, context) && !isHugePages(name)
export const isQuotaResource = (name: string) => quotaResources.has(name) || isQuotaHugePages(name)

export function isExtended(name: string, context: Naming): boolean {
  return !isNative(name, context) && !name.startsWith('requests.') && formats.qualifiedName(`requests.${name}`).length === 0
}

/** Whether quantities of the resource must be integers. */
const isInteger = (name: string, context: HookContext) => integerResources.has(name) || isExtended(name, context)

export function validateResourceName(name: string, path: FieldPath, errors: FieldErrors): boolean {
  const before = errors.count
  validateFormat(name, 'qualifiedName', path, errors)
  if (errors.count === before && !name.includes('/') && !standardResources.has(name) && !isQuotaHugePages(name)) {
    errors.invalid(path, name, 'must be a standard resource type or fully qualified')
  }
  return errors.count === before
}

export function validateContainerResourceName(name: string, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  validateResourceName(name, path, errors)
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name)) errors.invalid(path, name, 'must be a standard resource for containers')
  } else if (!isNative(name, context) && !isExtended(name, context)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard")
  }
}

function validatePodResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (validateResourceName(name, path, errors) && !podResources.includes(name) && !isHugePages(name)) {
    errors.notSupported(path, name, ['cpu', 'hugepages-', 'memory'])
  }
}

export function validateAmount(name: string, amount: string, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (signOf(amount) < 0) errors.invalid(path, amount, 'must be greater than or equal to 0')
  if (isInteger(name, context) && scaledQuantity(parseQuantity(amount), -3) % 1000n !== 0n) {
    errors.invalid(path, amount, 'must be an integer')
  }
}

function validateHugePages(name: string, amount: string, path: FieldPath, errors: FieldErrors): void {
  const size = scaledQuantity(parseQuantity(name.slice('hugepages-'.length)), 0)
  const value = scaledQuantity(parseQuantity(amount), 0)
  if (size <= 0n || value % size !== 0n || value <= 0n) {
    errors.forgivable('whole huge pages', () => errors.invalid(path, amount, `${amount} is not positive integer multiple of ${name}`))
  }
}

const asksFor = (list: ResourceList, test: (name: string) => boolean) => Object.keys(list).some(test)
const isComputed = (name: string) => name === 'cpu' || name === 'memory'

/** Validates requests and limits of containers (`container`) or of a pod as a whole. */
export function validateRequirements(
  { requests = {}, limits = {}, claims = [] }: Requirements,
  of: 'container' | 'pod',
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const validateName = of === 'pod' ? validatePodResourceName : validateContainerResourceName
  const at = { limits: path.child('limits'), requests: path.child('requests') }
  for (const [name, amount] of Object.entries(limits)) {
    const own = at.limits.key(name)
    validateName(name, own, errors, context)
    validateAmount(name, amount, own, errors, context)
    if (isHugePages(name)) validateHugePages(name, amount, own, errors)
  }
  for (const [name, amount] of Object.entries(requests)) {
    const own = at.requests.key(name)
    validateName(name, own, errors, context)
    validateAmount(name, amount, own, errors, context)
    const limit = limits[name]
    if (limit === undefined) {
      if (!allowsOvercommit(name, context)) errors.required(at.limits, 'Limit must be set for non overcommitable resources')
    } else {
      const order = compare(amount, limit)
      if (order !== 0 && !allowsOvercommit(name, context)) {
        errors.invalid(at.requests, amount, `must be equal to ${name} limit of ${limit}`)
      } else if (order > 0) errors.invalid(at.requests, amount, `must be less than or equal to ${name} limit of ${limit}`)
    }
    if (isHugePages(name)) validateHugePages(name, amount, own, errors)
  }
  const asks = (test: (name: string) => boolean) => asksFor(limits, test) || asksFor(requests, test)
  if (asks(isHugePages) && !asks(isComputed)) errors.forbidden(path, 'HugePages require cpu or memory')
  if (claims.length > 0) validateClaims(claims, claimNames, path.child('claims'), errors)
}

/** Claims must exist in the pod, and be unique with their request. */
function validateClaims(
  claims: NonNullable<Requirements['claims']>,
  known: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  /** Number of named requests per claim. */
  const parts = new Map<string, number>()
  let names: string | undefined
  claims.forEach(({ name, request }, index) => {
    const at = path.index(index)
    if (name === '') {
      errors.required(at)
      return
    }
    if (seen.has(name)) errors.duplicate(at, name)
    else {
      const key = request ? `${name}/${request}` : name
      if (request) validateFormat(request, 'dns1123Label', at.child('request'), errors)
      if (seen.has(key)) errors.duplicate(at, key)
      else if (!request) for (let count = parts.get(name) ?? 0; count > 0; count--) errors.duplicate(at, name)
      if (request && !seen.has(key)) parts.set(name, (parts.get(name) ?? 0) + 1)
      seen.add(key)
    }
    if (!known.has(name)) {
      names ??= known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`
      errors.add('FieldValueNotFound', at, name, `must be one of the names in pod.spec.resourceClaims${names}`)
    }
  })
}
