import { atomicList, field, int32, intOrString, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { Protocol } from '../core/enums.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { validateSupported } from '../validation.ts'
import { networkPolicyColumns } from './columns.ts'
import { validateBlock, validatePeer, validatePort } from './networkpolicy-validation.ts'
import { networkPolicyWarnings } from './networkpolicy-warnings.ts'

const policyTypes = ['Ingress', 'Egress']

export const IPBlock = message('IPBlock', 'A range of addresses with exceptions.', () => ({
  cidr: required(1, string, 'The range.'),
  except: field(2, atomicList(string), 'Parts of the range that are left out.'),
})).with({ validate: (block, path, errors) => validateBlock(block, path, errors) })

export const NetworkPolicyPort = message('NetworkPolicyPort', 'A port, or a range of them.', () => ({
  protocol: pointer(1, string, 'UDP, TCP or SCTP; TCP by default.', { goType: 'v1.Protocol', publishedEnum: Protocol }),
  port: pointer(2, intOrString, 'Port number or name; all when absent.'),
  endPort: pointer(3, int32, 'Last port of a range that starts at port.'),
})).with({
  defaults(port) {
    port.protocol ??= 'TCP'
  },
  validate: (port, path, errors) => validatePort(port, path, errors),
})

export const NetworkPolicyPeer = message('NetworkPolicyPeer', 'The other end of a connection: pods, or a range of addresses.', () => ({
  podSelector: pointer(1, LabelSelector, "Pods, by label; in the namespaces of namespaceSelector or in the policy's own."),
  namespaceSelector: pointer(2, LabelSelector, 'Namespaces, by label; {} for all.'),
  ipBlock: pointer(3, IPBlock, 'Range of addresses; excludes the other two.'),
})).with({ validate: (peer, path, errors) => validatePeer(peer, path, errors) })

export const NetworkPolicyIngressRule = message('NetworkPolicyIngressRule', 'Incoming traffic that is allowed.', () => ({
  ports: field(1, atomicList(NetworkPolicyPort), 'Ports; all when empty.'),
  from: field(2, atomicList(NetworkPolicyPeer), 'Sources; all when empty.'),
}))

export const NetworkPolicyEgressRule = message('NetworkPolicyEgressRule', 'Outgoing traffic that is allowed.', () => ({
  ports: field(1, atomicList(NetworkPolicyPort), 'Ports; all when empty.'),
  to: field(2, atomicList(NetworkPolicyPeer), 'Destinations; all when empty.'),
}))

export const NetworkPolicySpec = message('NetworkPolicySpec', 'Traffic that is allowed for some pods.', () => ({
  podSelector: field(1, LabelSelector, 'Pods that the policy protects; {} for all of the namespace.', { omitEmpty: false }),
  ingress: field(2, atomicList(NetworkPolicyIngressRule), 'Incoming traffic that is allowed; none when empty.'),
  egress: field(3, atomicList(NetworkPolicyEgressRule), 'Outgoing traffic that is allowed; none when empty.'),
  policyTypes: field(
    4,
    atomicList(withFacets(string, { publishedEnum: policyTypes })),
    'Directions that are restricted: Ingress, Egress or both.',
    { goType: 'v1.PolicyType' },
  ),
})).with({
  defaults(spec) {
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress']
  },
  validate({ policyTypes: types = [] }, path, errors) {
    const at = path.child('policyTypes')
    if (types.length > policyTypes.length) errors.invalid(at, types, 'may not specify more than two policyTypes')
    else
      types.forEach((type, index) => {
        validateSupported(type, policyTypes, at.index(index), errors)
      })
  },
})

export const NetworkPolicy = object('NetworkPolicy', 'Restricts the traffic of pods.', () => ({
  spec: field(2, NetworkPolicySpec, 'Desired state.'),
}))

export const networkPolicies = resource({
  group: 'networking.<domain>',
  version: 'v1',
  names: ['networkpolicies', 'networkpolicy', 'netpol'],
  schema: NetworkPolicy,
  columns: networkPolicyColumns,
  lifecycle: { introduced: '1.7' },
  generation: 'spec',
  strategy: { countsAsChange: 'empty', warnings: networkPolicyWarnings },
})
