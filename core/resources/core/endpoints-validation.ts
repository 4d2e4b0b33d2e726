/** Validates Endpoints. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { portNumber } from '../../schema/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { checkAddress, checkFormat } from '../checks.ts'
import { checkOrdinaryAddress } from './address-validation.ts'
import { checkChoice, protocols } from './container-validation.ts'
import type { EndpointAddress, EndpointPort, Endpoints } from './endpoints.ts'

function checkEndpointAddress({ ip, hostname, nodeName }: Infer<typeof EndpointAddress>, path: FieldPath, errors: FieldErrors): void {
  checkAddress(ip, 'ip', path.child('ip'), errors)
  if (hostname) checkFormat(hostname, 'dns1123Label', path.child('hostname'), errors)
  checkFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  checkOrdinaryAddress(ip, path.child('ip'), errors)
}

function checkPort(
  { name, port, protocol, appProtocol }: Infer<typeof EndpointPort>,
  named: boolean,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (name) checkFormat(name, 'dns1123Label', path.child('name'), errors)
  else if (named) errors.required(path.child('name'))
  for (const problem of portNumber(port)) errors.invalid(path.child('port'), port, problem)
  checkChoice(protocol, protocols, path.child('protocol'), errors)
  checkFormat(appProtocol, 'qualifiedName', path.child('appProtocol'), errors)
}

export function checkEndpoints({ subsets = [] }: Infer<typeof Endpoints>, errors: FieldErrors): void {
  subsets.forEach(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = FieldPath.of('subsets').index(index)
    if (addresses.length + notReadyAddresses.length === 0) errors.required(at, 'must specify `addresses` or `notReadyAddresses`')
    for (const [i, address] of addresses.entries()) checkEndpointAddress(address, at.child('addresses').index(i), errors)
    for (const [i, address] of notReadyAddresses.entries()) checkEndpointAddress(address, at.child('notReadyAddresses').index(i), errors)
    for (const [i, port] of ports.entries()) checkPort(port, ports.length > 1, at.child('ports').index(i), errors)
  })
}
