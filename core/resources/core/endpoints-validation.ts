/** Validates Endpoints. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { portNumber } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { validateAddress, validateFormat } from '../validation.ts'
import { validateOrdinaryAddress } from './address-validation.ts'
import { protocols, validateChoice } from './container-validation.ts'
import type { EndpointAddress, EndpointPort, Endpoints } from './endpoints.ts'

function validateEndpointAddress({ ip, hostname, nodeName }: Infer<typeof EndpointAddress>, path: FieldPath, errors: FieldErrors): void {
  validateAddress(ip, 'ip', path.child('ip'), errors)
  if (hostname) validateFormat(hostname, 'dns1123Label', path.child('hostname'), errors)
  validateFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  validateOrdinaryAddress(ip, path.child('ip'), errors)
}

function validatePort(
  { name, port, protocol, appProtocol }: Infer<typeof EndpointPort>,
  named: boolean,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (name) validateFormat(name, 'dns1123Label', path.child('name'), errors)
  else if (named) errors.required(path.child('name'))
  for (const problem of portNumber(port)) errors.invalid(path.child('port'), port, problem)
  validateChoice(protocol, protocols, path.child('protocol'), errors)
  validateFormat(appProtocol, 'qualifiedName', path.child('appProtocol'), errors)
}

export function validateEndpoints({ subsets = [] }: Infer<typeof Endpoints>, errors: FieldErrors): void {
  subsets.forEach(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = FieldPath.of('subsets').index(index)
    if (addresses.length + notReadyAddresses.length === 0) errors.required(at, 'must specify `addresses` or `notReadyAddresses`')
    for (const [i, address] of addresses.entries()) validateEndpointAddress(address, at.child('addresses').index(i), errors)
    for (const [i, address] of notReadyAddresses.entries()) validateEndpointAddress(address, at.child('notReadyAddresses').index(i), errors)
    for (const [i, port] of ports.entries()) validatePort(port, ports.length > 1, at.child('ports').index(i), errors)
  })
}
