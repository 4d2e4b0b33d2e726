/** Validation of endpoint slices. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { type FormatName, formats, portNumber } from '../../schema/formats.ts'
import { parseAddress } from '../../schema/ip.ts'
import type { Infer } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'
import { validateFormat } from '../validation.ts'
import type { Endpoint, EndpointSlice } from './endpointslice.ts'

const max = { endpoints: 1000, addresses: 100, ports: 20_000, labels: 16, hints: 8 }
const byteCounts: { readonly [type: string]: number } = { IPv4: 4, IPv6: 16 }

export function validateEndpointSlice(slice: Infer<typeof EndpointSlice>, errors: FieldErrors): void {
  const { addressType, endpoints, ports } = slice
  const at = FieldPath.of('endpoints')
  if ((endpoints?.length ?? 0) > max.endpoints) errors.tooMany(at, endpoints?.length, max.endpoints)
  else {
    endpoints?.forEach((endpoint, index) => {
      validateEndpoint(endpoint, addressType, at.index(index), errors)
    })
  }
  validatePorts(ports ?? [], FieldPath.of('ports'), errors)
}

function validateEndpoint(endpoint: Infer<typeof Endpoint>, type: string, path: FieldPath, errors: FieldErrors): void {
  const { addresses, nodeName, hostname, deprecatedTopology, hints } = endpoint
  const at = path.child('addresses')
  const count = addresses?.length ?? 0
  if (count === 0) errors.required(at, 'must contain at least 1 address')
  if (count > max.addresses) errors.tooMany(at, count, max.addresses)
  addresses?.forEach((address, index) => {
    validateAddress(address, type, at.index(index), errors)
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

function validateAddress(address: string, type: string, path: FieldPath, errors: FieldErrors): void {
  if (type === 'FQDN') validateFormat(address, 'fullyQualifiedDomainName', path, errors)
  const length = byteCounts[type]
  if (length === undefined) return
  const problems = formats.ip(address)
  for (const problem of problems) errors.invalid(path, address, problem)
  if (problems.length === 0 && parseAddress(address)?.bytes.length !== length) {
    errors.invalid(path, address, `must be an ${type} address`)
  }
}

function validatePorts(ports: NonNullable<Infer<typeof EndpointSlice>['ports']>, path: FieldPath, errors: FieldErrors): void {
  if (ports.length > max.ports) {
    errors.tooMany(path, ports.length, max.ports)
    return
  }
  const seen = new Set<string>()
  ports.forEach(({ name = '', port, appProtocol }, index) => {
    const at = path.index(index)
    if (name !== '') validateFormat(name, 'dns1123Label', at.child('name'), errors)
    if (seen.has(name)) errors.duplicate(at.child('name'), name)
    seen.add(name)
    if (port !== undefined) for (const problem of portNumber(port)) errors.invalid(at.child('port'), port, problem)
    validateFormat(appProtocol, 'qualifiedName', at.child('appProtocol'), errors)
  })
}
