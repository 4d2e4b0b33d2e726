/** Validation of claim status: allocation, consumers, and device status. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { checkFormat, checkSupported, checkUnchanged } from '../checks.ts'
import { checkNodeSelector } from '../core/scheduling-validation.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import type { AllocatedDeviceStatus, AllocationResult, NetworkDeviceData } from './allocation.ts'
import type { DeviceConfiguration } from './claim.ts'
import { checkBinding, checkData, checkDriver, checkLabel, checkList, checkPool, checkSet, checkShareID } from './name-validation.ts'
import { checkRequestName, checkRequestNames, requestNames } from './request-validation.ts'
import type { ResourceClaim } from './resourceclaim.ts'

type Claim = Infer<typeof ResourceClaim>
type Consumer = NonNullable<NonNullable<Claim['status']>['reservedFor']>[number]

const most = { consumers: 256, results: 32, config: 64, conditions: 8, interfaceName: 256, hardwareAddress: 128, addresses: 16 }
const root = FieldPath.of('status')

export function checkClaimStatus(claim: Claim, old: Claim, errors: FieldErrors): void {
  const { reservedFor = [], allocation, devices = [] } = claim.status ?? {}
  const path = root.child('reservedFor')
  checkSet(reservedFor, most.consumers, ({ uid }) => uid, path, errors, checkConsumer)
  const allocated = new Set(allocation?.devices?.results?.map(deviceID))
  checkSet(devices, Number.POSITIVE_INFINITY, deviceID, root.child('devices'), errors, (device, at) =>
    checkDeviceStatus(device, allocated, at, errors),
  )
  if (reservedFor.length > 0 && !allocation) errors.forbidden(path, 'may not be specified when `allocated` is not set')
  else if (claim.metadata?.deletionTimestamp) checkNoneAdded(reservedFor, old.status?.reservedFor ?? [], path, errors)
  const before = old.status?.allocation
  if (before && allocation) checkUnchanged(allocation, before, root.child('allocation'), errors)
  else if (allocation) checkAllocation(allocation, requestNames(claim.spec.devices ?? {}), root.child('allocation'), errors)
}

function checkConsumer(consumer: Consumer, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['resource', 'name', 'uid'] as const) if (consumer[name] === '') errors.required(path.child(name))
}

const identityOf = ({ apiGroup, resource, name, uid }: Consumer) => JSON.stringify([apiGroup ?? '', resource, name, uid])

/** A claim under deletion gets no new consumers. */
function checkNoneAdded(now: readonly Consumer[], before: readonly Consumer[], path: FieldPath, errors: FieldErrors): void {
  const known = new Set(before.map(identityOf))
  if (now.every((one) => known.has(identityOf(one)))) return
  errors.forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')
}

interface Place {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string | undefined
}

/** Identity of a device, or of a share of one, in a cluster. */
export const deviceID = ({ driver, pool, device, shareID }: Place) => [driver, pool, device, ...(shareID ? [shareID] : [])].join('/')

function checkPlace({ driver, pool, device, shareID }: Place, path: FieldPath, errors: FieldErrors): void {
  checkDriver(driver, path.child('driver'), errors)
  checkPool(pool, path.child('pool'), errors)
  checkLabel(device, path.child('device'), errors)
  checkShareID(shareID, path.child('shareID'), errors)
}

function checkAllocation(
  { devices = {}, nodeSelector }: Infer<typeof AllocationResult>,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('devices')
  checkList(devices.results ?? [], most.results, at.child('results'), errors, (result, where) => {
    checkRequestName(result.request, names, where.child('request'), errors)
    checkPlace(result, where, errors)
    checkBinding(result, where, errors)
  })
  checkList(devices.config ?? [], most.config, at.child('config'), errors, ({ source, requests = [], ...config }, where) => {
    if (source === '') errors.required(where.child('source'))
    else checkSupported(source, ['FromClaim', 'FromClass'], where.child('source'), errors)
    checkRequestNames(requests, names, where.child('requests'), errors)
    checkConfiguration(config, where, errors)
  })
  if (nodeSelector) checkNodeSelector(nodeSelector, path.child('nodeSelector'), errors)
}

export function checkConfiguration({ opaque }: Infer<typeof DeviceConfiguration>, path: FieldPath, errors: FieldErrors) {
  const at = path.child('opaque')
  if (!opaque) return errors.required(at)
  checkDriver(opaque.driver, at.child('driver'), errors)
  checkData(opaque.parameters, at.child('parameters'), errors)
}

function checkDeviceStatus(
  device: Infer<typeof AllocatedDeviceStatus>,
  allocated: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkPlace(device, path, errors)
  const id = deviceID(device)
  if (!allocated.has(id)) errors.invalid(path, id, 'must be an allocated device in the claim')
  const { data, networkData } = device
  // Written as null when empty.
  const conditions = device.conditions ?? []
  if (conditions.length > most.conditions) errors.tooMany(path.child('conditions'), conditions.length, most.conditions)
  validateConditions(conditions, path.child('conditions'), errors)
  if (data !== undefined && data !== null) checkData(data, path.child('data'), errors)
  if (networkData) checkNetwork(networkData, path.child('networkData'), errors)
}

function checkNetwork(data: Infer<typeof NetworkDeviceData>, path: FieldPath, errors: FieldErrors): void {
  const { interfaceName = '', hardwareAddress = '', ips = [] } = data
  if (interfaceName.length > most.interfaceName) errors.tooLong(path.child('interfaceName'), most.interfaceName)
  if (hardwareAddress.length > most.hardwareAddress) errors.tooLong(path.child('hardwareAddress'), most.hardwareAddress)
  checkSet(
    ips,
    most.addresses,
    (ip) => ip,
    path.child('ips'),
    errors,
    (ip, at) => checkFormat(ip, 'interfaceAddress', at, errors),
  )
}
