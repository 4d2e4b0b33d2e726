/** Validation of resource slices. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateNodeSelector } from '../core/scheduling-validation.ts'
import { asJson, validateFormat, validateUnchanged } from '../validation.ts'
import { hasList, validateCounters, validateDevice } from './device-validation.ts'
import { validateDriver, validateLabel, validatePoolName, validateSet } from './name-validation.ts'
import type { ResourceSliceSpec } from './resourceslice.ts'

/** Maximum number per slice; fewer for devices with taints, counters or lists, which are more expensive to allocate. */
const max = { devices: 128, heavyDevices: 64, sets: 8 }
const ways = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`'

type Spec = Infer<typeof ResourceSliceSpec>

/** Validates a spec with all its parts; `old`: the stored one, on updates. */
export function validateSlice(spec: Spec, old: Spec | undefined, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { driver, pool, perDeviceNodeSelection = false, devices = [], sharedCounters = [] } = spec
  validateDriver(driver, path.child('driver'), errors)
  validatePool(pool, path.child('pool'), errors)
  if (old) {
    validateUnchanged(pool.name, old.pool.name, path.child('pool').child('name'), errors)
    validateUnchanged(driver, old.driver, path.child('driver'), errors)
    validateUnchanged(spec.nodeName, old.nodeName, path.child('nodeName'), errors)
  }
  validateNodes(spec, path, errors)
  if (given(spec, 'sharedCounters') && given(spec, 'devices'))
    errors.invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed')
  const heavy = devices.some(
    ({ taints = [], consumesCounters = [], attributes = {} }) =>
      taints.length > 0 || consumesCounters.length > 0 || Object.values(attributes).some(hasList),
  )
  const nameOf = ({ name }: { readonly name: string }) => name
  validateSet(devices, heavy ? max.heavyDevices : max.devices, nameOf, path.child('devices'), errors, (device, at) =>
    validateDevice(device, perDeviceNodeSelection, at, errors, context),
  )
  validateSet(sharedCounters, max.sets, nameOf, path.child('sharedCounters'), errors, ({ name, counters }, at) => {
    validateLabel(name, at.child('name'), errors)
    validateCounters(counters, at.child('counters'), errors)
  })
}

/** Exactly one kind of node selection must be set. */
function validateNodes({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: Spec, path: FieldPath, errors: FieldErrors): void {
  const chosen: string[] = []
  if (nodeName === '') errors.invalid(path.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string')
  else if (nodeName !== undefined) {
    chosen.push('`nodeName`')
    validateFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  }
  if (nodeSelector) {
    chosen.push('`nodeSelector`')
    const at = path.child('nodeSelector')
    validateNodeSelector(nodeSelector, at, errors)
    const terms = nodeSelector.nodeSelectorTerms
    if (terms?.length !== 1)
      errors.invalid(
        at.child('nodeSelectorTerms'),
        asJson(given(nodeSelector, 'nodeSelectorTerms')),
        'must have exactly one node selector term',
      )
  }
  for (const [name, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value) chosen.push(`\`${name}\``)
    else if (value === false) errors.invalid(path.child(name), false, 'must be either unset or set to true')
  }
  if (chosen.length === 0) errors.required(path, `exactly one of ${ways} is required`)
  if (chosen.length > 1) {
    errors.invalid(path, `{${chosen.join(', ')}}`, `exactly one of ${ways} is required, but multiple fields are set`)
  }
}

function validatePool({ name, generation, resourceSliceCount }: Spec['pool'], path: FieldPath, errors: FieldErrors): void {
  validatePoolName(name, path.child('name'), errors)
  if (resourceSliceCount <= 0) errors.invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero')
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to zero')
}
