import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { checkFormat, checkRequiredFormat } from '../checks.ts'
import type { ResourceSliceSpec } from './resourceslice.ts'

const most = { devices: 128, sets: 8 }

/** A slice says in exactly one way which nodes can reach its devices; their names are unique. */
export function validateSlice(spec: Infer<typeof ResourceSliceSpec>, path: FieldPath, errors: FieldErrors): void {
  const { pool, nodeName, nodeSelector, allNodes, perDeviceNodeSelection, devices = [], sharedCounters = [] } = spec
  validatePool(pool, path.child('pool'), errors)
  const given = [nodeName !== undefined, nodeSelector !== undefined, allNodes, perDeviceNodeSelection].filter(Boolean).length
  const ways = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`'
  if (given === 0) errors.required(path, `exactly one of ${ways} is required`)
  if (given > 1) errors.invalid(path, null, `exactly one of ${ways} is required, but multiple fields are set`)
  if (nodeName !== undefined) checkRequiredFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  if (devices.length > most.devices) errors.tooMany(path.child('devices'), devices.length, most.devices)
  if (sharedCounters.length > most.sets) errors.tooMany(path.child('sharedCounters'), sharedCounters.length, most.sets)
  const seen = new Set<string>()
  devices.forEach(({ name }, index) => {
    const at = path.child('devices').index(index).child('name')
    checkRequiredFormat(name, 'dns1123Label', at, errors)
    if (seen.has(name)) errors.duplicate(at, name)
    seen.add(name)
  })
}

function validatePool(
  { name, generation, resourceSliceCount }: Infer<typeof ResourceSliceSpec>['pool'],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === '') errors.required(path.child('name'))
  else for (const part of name.split('/')) checkFormat(part, 'dns1123Subdomain', path.child('name'), errors)
  if (resourceSliceCount <= 0) errors.invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero')
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to zero')
}
