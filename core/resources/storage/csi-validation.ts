/** Validation of CSIDriver and CSINode. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, repeats, validateFormat, validateNonNegative, validateSupported } from '../validation.ts'
import type { CSIDriverSpec, TokenRequest } from './csidriver.ts'
import type { CSINode, CSINodeDriver } from './csinode.ts'
import { validateCSIDriverName } from './storage-validation.ts'

const tokenSeconds = { min: 600, max: 2 ** 32 }
const maxNodeIDLength = 256

export function defaultDriver(spec: Infer<typeof CSIDriverSpec>, { settings }: HookContext): void {
  spec.attachRequired ??= true
  spec.podInfoOnMount ??= false
  spec.storageCapacity ??= false
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent']
  spec.requiresRepublish ??= false
  spec.seLinuxMount ??= false
  if (settings.enabled('VolumeLimitScaling')) spec.preventPodSchedulingIfMissing ??= false
}

export function validateDriver(spec: Infer<typeof CSIDriverSpec>, path: FieldPath, errors: FieldErrors): void {
  const { fsGroupPolicy, volumeLifecycleModes = [], tokenRequests = [] } = spec
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec
  if (fsGroupPolicy !== undefined) {
    validateSupported(fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], path.child('fsGroupPolicy'), errors)
  }
  validateTokens(tokenRequests, path.child('tokenRequests'), errors)
  for (const mode of volumeLifecycleModes) validateSupported(mode, ['Persistent', 'Ephemeral'], path.child('volumeLifecycleModes'), errors)
  if (period !== undefined && period < 10) {
    errors.invalid(path.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds')
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.invalid(path.child('serviceAccountTokenInSecrets'), inSecrets, why)
  }
}

function validateTokens(requests: readonly Infer<typeof TokenRequest>[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>()
  requests.forEach(({ audience, expirationSeconds }, index) => {
    const at = path.index(index)
    if (seen.has(audience)) {
      errors.duplicate(at.child('audience'), audience)
      return
    }
    seen.add(audience)
    if (expirationSeconds === undefined) return
    const secondsAt = at.child('expirationSeconds')
    if (expirationSeconds < tokenSeconds.min)
      errors.invalid(secondsAt, expirationSeconds, 'may not specify a duration less than 10 minutes')
    if (expirationSeconds > tokenSeconds.max) {
      errors.invalid(secondsAt, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')
    }
  })
}

export function validateNode({ spec }: Infer<typeof CSINode>, errors: FieldErrors): void {
  const seen = new Set<string>()
  spec.drivers?.forEach((driver, index) => {
    const at = FieldPath.of('spec', 'drivers').index(index)
    validateNodeDriver(driver, at, errors)
    if (seen.has(driver.name)) errors.duplicate(at.child('name'), driver.name)
    seen.add(driver.name)
  })
}

function validateNodeDriver(
  { name, nodeID, allocatable, topologyKeys }: Infer<typeof CSINodeDriver>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateCSIDriverName(name, path.child('name'), errors)
  if (nodeID === '') errors.required(path.child('nodeID'))
  if (nodeID.length > maxNodeIDLength) errors.invalid(path.child('nodeID'), nodeID, `must be ${maxNodeIDLength} characters or less`)
  validateNonNegative(allocatable?.count, path.child('allocatable').child('count'), errors)
  const isRepeat = repeats()
  topologyKeys?.forEach((key) => {
    if (key === '') errors.required(path)
    if (isRepeat(key)) errors.duplicate(path, key)
    validateFormat(key, 'qualifiedName', path, errors)
  })
}

/** Driver entries may be added and removed; of an existing one only the allocatable count changes. */
export function validateNodeUpdate({ spec }: Infer<typeof CSINode>, old: Infer<typeof CSINode>, errors: FieldErrors): void {
  const drivers = new Map((old.spec.drivers ?? []).map((driver) => [driver.name, driver] as const).reverse())
  const path = FieldPath.of('spec', 'drivers')
  for (const [index, driver] of (spec.drivers ?? []).entries()) {
    const before = drivers.get(driver.name)
    const { allocatable: _now, ...now } = driver
    const { allocatable: _was, ...was } = before ?? driver
    // The reference names the list, not the item.
    const shown = () => errors.shown(path.index(index), asJson(now))
    if (!equal(asJson(now), asJson(was))) errors.addAsIs('FieldValueInvalid', path, shown(), 'field is immutable')
  }
}
