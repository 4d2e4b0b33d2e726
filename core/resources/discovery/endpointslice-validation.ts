/** Validation of endpoint slices. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { type FormatName, formats } from '../../schema/formats/formats.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'
import { validateOrdinaryAddress } from '../core/address-validation.ts'
import { asJson, validateFormat } from '../validation.ts'
import type { Endpoint, EndpointSlice } from './endpointslice.ts'

const max = { endpoints: 1000, addresses: 100, ports: 20_000, labels: 16, hints: 8 }
/** Addresses of each type; IPv6 ones only in their canonical spelling. */
const families: { readonly [type: string]: { readonly bytes: number; readonly format: FormatName } } = {
  IPv4: { bytes: 4, format: 'ip' },
  IPv6: { bytes: 16, format: 'strictIP' },
}

type Slice = Infer<typeof EndpointSlice>

/** Unchanged endpoints are not validated again, because older releases accepted more. */
export function validateEndpointSlice(slice: Slice, errors: FieldErrors, _context: HookContext, old?: Slice): void {
  const { addressType, endpoints, ports } = slice
  const at = FieldPath.of('endpoints')
  validatePorts(ports ?? [], FieldPath.of('ports'), errors)
  if (old && equal(asJson(endpoints), asJson(old.endpoints))) return
  if ((endpoints?.length ?? 0) > max.endpoints) errors.tooMany(at, endpoints?.length, max.endpoints)
  else {
    endpoints?.forEach((endpoint, index) => {
      validateEndpoint(endpoint, addressType, at.index(index), errors)
    })
  }
}

const nodeLabel = '<labels>/hostname'

const nodesOf = ({ endpoints }: Slice, label: string) =>
  new Set((endpoints ?? []).flatMap((each) => each.deprecatedTopology?.[label] ?? []))

/** Changed endpoints have no topology, but a change of it counts; a node that it named before becomes the node name. */
export function dropTopology(slice: Slice, { platform }: HookContext, old?: Slice): void {
  if (old && equal(asJson(slice.endpoints), asJson(old.endpoints))) return
  if (old && slice.metadata && slice.endpoints?.some(({ deprecatedTopology }) => deprecatedTopology))
    slice.metadata.generation = (old.metadata?.generation ?? 0) + 1
  const label = platform.name(nodeLabel)
  const known = old && nodesOf(old, label)
  for (const endpoint of slice.endpoints ?? []) {
    const node = endpoint.deprecatedTopology?.[label]
    if (node !== undefined && known?.has(node)) endpoint.nodeName ??= node
    delete endpoint.deprecatedTopology
  }
}

function validateEndpoint(endpoint: Infer<typeof Endpoint>, type: string, path: FieldPath, errors: FieldErrors): void {
  const { addresses, nodeName, hostname, deprecatedTopology, hints } = endpoint
  const at = path.child('addresses')
  const count = addresses?.length ?? 0
  if (count === 0) errors.required(at, 'must contain at least 1 address')
  if (count > max.addresses) errors.tooMany(at, count, max.addresses)
  addresses?.forEach((address, index) => {
    validateAddress(address, type, at, index, errors)
  })
  validateFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  const topology = path.child('deprecatedTopology')
  const labels = Object.keys(deprecatedTopology ?? {}).length
  if (labels > max.labels) errors.tooMany(topology, labels, max.labels)
  validateLabels(deprecatedTopology, topology, errors)
  validateFormat(hostname, 'dns1123Label', path.child('hostname'), errors)
  validateHints(hints?.forZones ?? [], 'labelValue', path.child('hints').child('forZones'), errors)
  validateHints(hints?.forNodes ?? [], 'dns1123Subdomain', path.child('hints').child('forNodes'), errors)
}

/** Names of zones or nodes. */
function validateHints(hints: readonly { readonly name: string }[], format: FormatName, path: FieldPath, errors: FieldErrors): void {
  if (hints.length > max.hints) {
    errors.tooMany(path, hints.length, max.hints)
    return
  }
  const seen = new Set<string>()
  hints.forEach(({ name }, index) => {
    const at = path.index(index).child('name')
    if (seen.has(name)) errors.duplicate(at, name)
    seen.add(name)
    validateFormat(name, format, at, errors)
  })
}

function validateAddress(address: string, type: string, list: FieldPath, index: number, errors: FieldErrors): void {
  const path = list.index(index)
  if (type === 'FQDN') validateFormat(address, 'fullyQualifiedDomainName', path, errors)
  const family = families[type]
  if (family === undefined) return
  const problems = formats[family.format](address)
  for (const problem of problems) errors.invalid(path, address, problem)
  if (problems.length > 0) return
  // As in the reference, the error names the list.
  if (parseAddress(address)?.bytes.length !== family.bytes) errors.invalid(list, address, `must be an ${type} address`)
  validateOrdinaryAddress(address, path, errors)
}

function validatePorts(ports: NonNullable<Infer<typeof EndpointSlice>['ports']>, path: FieldPath, errors: FieldErrors): void {
  if (ports.length > max.ports) {
    errors.tooMany(path, ports.length, max.ports)
    return
  }
  const seen = new Set<string>()
  ports.forEach(({ name = '', appProtocol }, index) => {
    const at = path.index(index)
    if (name !== '') validateFormat(name, 'dns1123Label', at.child('name'), errors)
    if (seen.has(name)) errors.duplicate(at.child('name'), name)
    seen.add(name)
    errors.moveLast(at.child('protocol'))
    validateFormat(appProtocol, 'qualifiedName', at.child('appProtocol'), errors)
  })
}
