/** Validation of ports and peers of network policies. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats, portNumber } from '../../schema/formats.ts'
import { contains, parseNetwork } from '../../schema/ip.ts'
import type { Infer } from '../../schema/model.ts'
import { validateAddress, validateFormat } from '../validation.ts'
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from './networkpolicy.ts'

export function validatePort({ port, endPort }: Infer<typeof NetworkPolicyPort>, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('port')
  if (typeof port === 'number') for (const problem of portNumber(port)) errors.invalid(at, port, problem)
  else validateFormat(port, 'portName', at, errors)
  if (endPort === undefined) return
  const endAt = path.child('endPort')
  if (port === undefined) errors.required(at, 'must be specified if `endPort` is specified')
  else if (typeof port === 'string') errors.invalid(at, port, 'may not be specified when `port` is non-numeric')
  else if (endPort < port) errors.invalid(endAt, endPort, 'must be greater than or equal to `port`')
  for (const problem of portNumber(endPort)) errors.invalid(endAt, endPort, problem)
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
  except.forEach((part, index) => {
    const at = path.child('except').index(index)
    const problems = formats.cidr(part)
    for (const problem of problems) errors.invalid(at, part, problem)
    const network = parseNetwork(part)
    if (problems.length > 0 || network === undefined || block === undefined) return
    if (!contains(block, network.address) || block.prefix >= network.prefix) {
      errors.invalid(at, part, 'must be a strict subset of `cidr`')
    }
  })
}
