/** Validation of claim status: allocation, consumers, and device status. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateNodeSelector } from '../core/scheduling-validation.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { validateFormat, validateSupported, validateUnchanged } from '../validation.ts'
import type { AllocatedDeviceStatus, AllocationResult, NetworkDeviceData } from './allocation.ts'
import {
  validateBinding,
  validateData,
  validateDriver,
  validateList,
  validateName,
  validatePoolName,
  validateSet,
  validateShareID,
} from './name-validation.ts'
import { requestNames, validateConfiguration, validateRequestName, validateRequestNames } from './request-validation.ts'
import type { ResourceClaim } from './resourceclaim.ts'

type Claim = Infer<typeof ResourceClaim>
type Consumer = NonNullable<NonNullable<Claim['status']>['reservedFor']>[number]

const max = { consumers: 256, results: 32, config: 64, conditions: 8, interfaceName: 256, hardwareAddress: 128, addresses: 16 }
const root = FieldPath.of('status')

export function validateClaimStatus(claim: Claim, old: Claim, errors: FieldErrors): void {
  const { reservedFor = [], allocation, devices = [] } = claim.status ?? {}
  const path = root.child('reservedFor')
  validateSet(reservedFor, max.consumers, ({ uid }) => uid, path, errors, validateConsumer)
  const allocated = new Set(allocation?.devices?.results?.map(deviceID))
  validateSet(
    devices,
    Number.POSITIVE_INFINITY,
    deviceID,
    root.child('devices'),
    errors,
    (device, at) => validateDeviceStatus(device, allocated, at, errors),
    shownID,
  )
  if (reservedFor.length > 0 && !allocation) errors.forbidden(path, 'may not be specified when `allocated` is not set')
  else if (claim.metadata?.deletionTimestamp) validateNoneAdded(reservedFor, old.status?.reservedFor ?? [], path, errors)
  const before = old.status?.allocation
  if (before && allocation) validateUnchanged(allocation, before, root.child('allocation'), errors)
  else if (allocation) validateAllocation(allocation, requestNames(claim.spec.devices ?? {}), root.child('allocation'), errors)
}

function validateConsumer(consumer: Consumer, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['resource', 'name', 'uid'] as const) if (consumer[name] === '') errors.required(path.child(name))
}

const identityOf = ({ apiGroup, resource, name, uid }: Consumer) => JSON.stringify([apiGroup ?? '', resource, name, uid])

/** A claim under deletion gets no new consumers. */
function validateNoneAdded(now: readonly Consumer[], before: readonly Consumer[], path: FieldPath, errors: FieldErrors): void {
  const known = new Set(before.map(identityOf))
  if (now.every((one) => known.has(identityOf(one)))) return
  errors.forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')
}

type DeviceTarget = Pick<Infer<typeof AllocatedDeviceStatus>, 'driver' | 'pool' | 'device' | 'shareID'>

/** Identity of a device, or of a share of one, in a cluster. */
export const deviceID = ({ driver, pool, device, shareID }: DeviceTarget) => [driver, pool, device, ...(shareID ? [shareID] : [])].join('/')

/** The identity as errors show it. */
const shownID = ({ driver, pool, device, shareID = '' }: DeviceTarget) => ({ Driver: driver, Pool: pool, Device: device, ShareID: shareID })

function validatePlace({ driver, pool, device, shareID }: DeviceTarget, path: FieldPath, errors: FieldErrors): void {
  validateDriver(driver, path.child('driver'), errors)
  validatePoolName(pool, path.child('pool'), errors)
  validateName(device, path.child('device'), errors)
  validateShareID(shareID, path.child('shareID'), errors)
}

function validateAllocation(
  { devices = {}, nodeSelector }: Infer<typeof AllocationResult>,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('devices')
  validateList(devices.results ?? [], max.results, at.child('results'), errors, (result, where) => {
    validateRequestName(result.request, names, where.child('request'), errors)
    validatePlace(result, where, errors)
    validateBinding(result, where, errors)
  })
  validateList(devices.config ?? [], max.config, at.child('config'), errors, ({ source, requests = [], ...config }, where) => {
    if (source === '') errors.required(where.child('source'))
    else validateSupported(source, ['FromClaim', 'FromClass'], where.child('source'), errors)
    validateRequestNames(requests, names, where.child('requests'), errors)
    validateConfiguration(config, where, errors)
  })
  if (nodeSelector) validateNodeSelector(nodeSelector, path.child('nodeSelector'), errors)
}

function validateDeviceStatus(
  device: Infer<typeof AllocatedDeviceStatus>,
  allocated: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validatePlace(device, path, errors)
  if (!allocated.has(deviceID(device)))
    errors.addAsIs('FieldValueInvalid', path, shownID(device), 'must be an allocated device in the claim')
  const { data, networkData } = device
  // Written as null when empty.
  const conditions = device.conditions ?? []
  if (conditions.length > max.conditions) errors.tooMany(path.child('conditions'), conditions.length, max.conditions)
  validateConditions(conditions, path.child('conditions'), errors)
  if (data !== undefined && data !== null) validateData(data, path.child('data'), errors)
  if (networkData) validateNetwork(networkData, path.child('networkData'), errors)
}

function validateNetwork(data: Infer<typeof NetworkDeviceData>, path: FieldPath, errors: FieldErrors): void {
  const { interfaceName = '', hardwareAddress = '', ips = [] } = data
  if (interfaceName.length > max.interfaceName) errors.tooLong(path.child('interfaceName'), max.interfaceName)
  if (hardwareAddress.length > max.hardwareAddress) errors.tooLong(path.child('hardwareAddress'), max.hardwareAddress)
  validateSet(
    ips,
    max.addresses,
    (ip) => ip,
    path.child('ips'),
    errors,
    (ip, at) => validateFormat(ip, 'interfaceAddress', at, errors),
  )
}
