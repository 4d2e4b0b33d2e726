import { atomicList, field, int32, message, pointer, required, string } from '../../schema/model.ts'
import { Protocol } from './enums.ts'

export const PortStatus = message('PortStatus', 'State of a port of a load balancer.', () => ({
  port: required(1, int32, 'Port number.'),
  protocol: required(2, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol }),
  error: pointer(3, string, 'Why the port does not work, in one CamelCase or prefixed word.'),
}))

export const LoadBalancerIngress = message('LoadBalancerIngress', 'A place where a load balancer accepts traffic.', () => ({
  ip: field(1, string, 'Its address.'),
  hostname: field(2, string, 'Its host name.'),
  ipMode: pointer(3, string, 'How traffic arrives: VIP keeps the address as destination, Proxy replaces it.', {
    goType: 'v1.LoadBalancerIPMode',
    openEnum: ['VIP', 'Proxy'],
  }),
  ports: field(4, atomicList(PortStatus), 'State of its ports.'),
}))

export const LoadBalancerStatus = message('LoadBalancerStatus', 'Addresses at which a load balancer accepts traffic.', () => ({
  ingress: field(1, atomicList(LoadBalancerIngress), 'Places where traffic enters.'),
}))
