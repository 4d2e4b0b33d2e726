import type { Infer } from '../../schema/model.ts'
import { age, ageColumn, countColumn, nameColumn, none, sinceColumn, textColumn } from '../cells.ts'
import type { ResourceClaim } from './resourceclaim.ts'
import type { PoolStatus, ResourcePoolStatusRequest } from './v1alpha3/resourcepoolstatusrequest.ts'

/** Columns of device classes and claim templates. */
export const plainColumns = [nameColumn, ageColumn]

type ClaimRow = Infer<typeof ResourceClaim>

function stateText({ metadata, status }: ClaimRow): string {
  const deleted = Boolean(metadata?.deletionTimestamp)
  if (!status?.allocation) return deleted ? 'deleted' : 'pending'
  const states = status.reservedFor?.length ? 'allocated,reserved' : 'allocated'
  return deleted ? `deleted,${states}` : states
}

export const resourceClaimColumns = [nameColumn, textColumn('State', 'State of the claim.', stateText), ageColumn]

export const resourceSliceColumns = [
  nameColumn,
  textColumn('Node', 'Node that has the devices.', '.spec.nodeName'),
  textColumn('Driver', 'Driver of the devices.', '.spec.driver'),
  textColumn('Pool', 'Pool that the slice belongs to.', '.spec.pool.name'),
  ageColumn,
]

export const deviceTaintRuleColumns = [
  nameColumn,
  textColumn('Key', 'Key of the taint.', '.spec.taint.key'),
  textColumn('Value', 'Value of the taint.', '.spec.taint.value'),
  textColumn('Effect', 'Effect of the taint.', '.spec.taint.effect'),
  sinceColumn('TimeAdded', 'Time since the taint was added.', '.spec.taint.timeAdded', ''),
  ageColumn,
]

type PoolRequestRow = Infer<typeof ResourcePoolStatusRequest>

/** The condition that ended a request: Complete or Failed, whichever is true first. */
function ended({ status }: PoolRequestRow) {
  return status?.conditions?.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'))
}

/** Column with a sum over pools; `-` without a result. */
const sum = (count: (pool: Infer<typeof PoolStatus>) => number) => (request: PoolRequestRow) => {
  if (!request.status || ended(request)?.type === 'Failed') return '-'
  return String((request.status.pools ?? []).reduce((total, pool) => total + count(pool), 0))
}

function requestStatus(request: PoolRequestRow): string {
  const state = ended(request)?.type ?? 'Pending'
  const { poolCount = 0, pools = [] } = request.status ?? {}
  return state === 'Complete' && poolCount > pools.length ? `Complete (${pools.length}/${poolCount} pools)` : state
}

export const resourcePoolStatusRequestColumns = [
  nameColumn,
  textColumn('Driver', 'Driver of the pools.', '.spec.driver'),
  textColumn(
    'Total',
    'Devices in all pools.',
    sum(({ totalDevices = 0 }) => totalDevices),
  ),
  textColumn(
    'Available',
    'Devices that can be allocated.',
    sum(({ availableDevices = 0 }) => availableDevices),
  ),
  textColumn(
    'Allocated',
    'Devices that are allocated.',
    sum(({ allocatedDevices = 0 }) => allocatedDevices),
  ),
  textColumn(
    'Unavailable',
    'Devices that cannot be allocated.',
    sum(({ unavailableDevices = 0 }) => unavailableDevices),
  ),
  textColumn(
    'Errors',
    'Pools that could not be counted.',
    sum(({ validationError }) => (validationError === undefined ? 0 : 1)),
  ),
  countColumn('Pools', 'Pools that match.', '.status.poolCount'),
  textColumn('Status', 'State of the request.', requestStatus),
  textColumn<PoolRequestRow>('Completed', 'Time since it was answered.', (request, context) => {
    const end = ended(request)
    return end?.type === 'Complete' ? age(end.lastTransitionTime, context) : none
  }),
]
