/** Validates requests of the state of device pools (KEP-5677) in the order of the reference's generated validation. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { isNewImmutable, validateNeeded } from '../declared-validation.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { asJson, validateFormat, validateUnchanged } from '../validation.ts'
import type { PoolStatus, ResourcePoolStatusRequest } from './v1alpha3/resourcepoolstatusrequest.ts'

type Request = Infer<typeof ResourcePoolStatusRequest>
type Pool = Infer<typeof PoolStatus>

const max = { pools: 1000, conditions: 10, limit: 1000, poolName: 253, error: 256 }
const [specPath, statusPath] = [FieldPath.of('spec'), FieldPath.of('status')]

/** Numbers of a pool with the least allowed one. */
const counts = {
  resourceSliceCount: 1,
  totalDevices: 0,
  allocatedDevices: 0,
  availableDevices: 0,
  unavailableDevices: 0,
} satisfies { readonly [name in keyof Pool]?: number }

export function validatePoolRequest({ spec }: Request, errors: FieldErrors, _context: HookContext, old?: Request): void {
  if (!isNewImmutable(spec, old && { value: old.spec }, specPath, errors)) return
  validateNeeded(spec.driver, 'longNameCaseless', specPath.child('driver'), errors)
  if (spec.poolName !== undefined) validatePoolName(spec.poolName, specPath.child('poolName'), errors)
  const { limit = 0 } = spec
  if (limit > max.limit) errors.invalid(specPath.child('limit'), limit, `must be less than or equal to ${max.limit}`)
  validateLeast(spec.limit, 1, specPath.child('limit'), errors)
}

/** A status can be set once. */
export function validatePoolRequestStatus({ status }: Request, old: Request, errors: FieldErrors): void {
  if (old.status) validateUnchanged(status, old.status, statusPath, errors)
  if (old.status || !status) return
  const { poolCount, pools = [], conditions = [] } = status
  const at = { conditions: statusPath.child('conditions'), pools: statusPath.child('pools'), count: statusPath.child('poolCount') }
  validateConditions(conditions, at.conditions, errors)
  if (poolCount === undefined) errors.required(at.count)
  validateLeast(poolCount, 0, at.count, errors)
  if (pools.length > max.pools) errors.tooMany(at.pools, pools.length, max.pools)
  else for (const [index, pool] of pools.entries()) validatePool(pool, at.pools.index(index), errors)
  if (conditions.length > max.conditions) errors.tooMany(at.conditions, conditions.length, max.conditions)
}

function validatePool(pool: Pool, path: FieldPath, errors: FieldErrors): void {
  validateNeeded(pool.driver, 'longNameCaseless', path.child('driver'), errors)
  if (pool.poolName) validatePoolName(pool.poolName, path.child('poolName'), errors)
  else errors.required(path.child('poolName'))
  if (pool.generation === 0) errors.required(path.child('generation'))
  validateLeast(pool.generation, 0, path.child('generation'), errors)
  for (const [name, least] of Object.entries(counts)) validateLeast(pool[name as keyof typeof counts], least, path.child(name), errors)
  validateFormat(pool.nodeName, 'longName', path.child('nodeName'), errors)
  if (pool.validationError && new TextEncoder().encode(pool.validationError).length > max.error)
    errors.tooLong(path.child('validationError'), max.error)
}

function validateLeast(value: number | undefined, least: number, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined && value < least) errors.invalid(path, asJson(value), `must be greater than or equal to ${least}`)
}

/** One or more subdomains, separated by slashes. */
function validatePoolName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name.length > max.poolName) errors.tooLong(path, max.poolName)
  name.split('/').forEach((part, index) => {
    if (part === '') errors.invalid(path, name, `segment ${index}: must not be empty`)
    else for (const problem of formats.longName(part)) errors.invalid(path, part, `segment ${index}: ${problem}`)
  })
}
