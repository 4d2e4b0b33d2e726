/** Validation of ports and peers of network policies. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats, portNumber } from '../../schema/formats/formats.ts'
import { contains, parseNetwork } from '../../schema/formats/ip.ts'
import type { Infer } from '../../schema/model.ts'
import { Protocol } from '../core/enums.ts'
import { validateAddress, validateFormat, validateSupported } from '../validation.ts'
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from './networkpolicy.ts'

export function validatePort({ protocol, port, endPort }: Infer<typeof NetworkPolicyPort>, path: FieldPath, errors: FieldErrors): void {
  if (protocol !== undefined) validateSupported(protocol, Protocol, path.child('protocol'), errors)
  if (typeof port === 'number') validatePortNumbers(port, endPort, path, errors)
  else {
    const words = port === undefined ? 'not specified' : 'non-numeric'
    if (endPort !== undefined) errors.invalid(path.child('endPort'), endPort, `may not be specified when \`port\` is ${words}`)
    validateFormat(port, 'portName', path.child('port'), errors)
  }
}

function validatePortNumbers(port: number, endPort: number | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const problem of portNumber(port)) errors.invalid(path.child('port'), port, problem)
  if (endPort === undefined) return
  const at = path.child('endPort')
  // As in the reference, the value shown is the first port.
  if (endPort < port) errors.invalid(at, port, 'must be greater than or equal to `port`')
  for (const problem of portNumber(endPort)) errors.invalid(at, endPort, problem)
}

export function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: Infer<typeof NetworkPolicyPeer>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const bySelector = podSelector !== undefined || namespaceSelector !== undefined
  if (!bySelector && ipBlock === undefined) errors.required(path, 'must specify a peer')
  if (bySelector && ipBlock !== undefined) errors.forbidden(path, 'may not specify both ipBlock and another peer')
}

export function validateBlock({ cidr, except = [] }: Infer<typeof IPBlock>, path: FieldPath, errors: FieldErrors): void {
  if (cidr === '') {
    errors.required(path.child('cidr'))
    return
  }
  validateAddress(cidr, 'cidr', path.child('cidr'), errors)
  const block = parseNetwork(cidr)
  if (block === undefined) return
  except.forEach((part, index) => {
    const at = path.child('except').index(index)
    const problems = formats.cidr(part)
    for (const problem of problems) errors.invalid(at, part, problem)
    const network = parseNetwork(part)
    if (problems.length > 0 || network === undefined) return
    if (!contains(block, network.address) || block.prefix >= network.prefix) {
      errors.invalid(at, part, 'must be a strict subset of `cidr`')
    }
  })
}
