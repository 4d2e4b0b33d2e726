import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'discovery.k8s.io/v1'
const manifest = {
  apiVersion,
  kind: 'EndpointSlice',
  metadata: { name: 's' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [{ port: 80 }],
}

tables(
  client,
  { path: `/apis/${apiVersion}/namespaces/default/endpointslices`, manifest },
  {
    stored: [['name and protocol of ports', {}, { metadata: { generation: 1 }, ports: [{ name: '', protocol: 'TCP', port: 80 }] }]],
    refused: [
      ['no address type', { addressType: undefined }, ['addressType: Required value']],
      [
        'the same node as a hint twice',
        { 'endpoints.0.hints': { forNodes: [{ name: 'n' }, { name: 'n' }] } },
        ['endpoints[0].hints.forNodes[1].name: Duplicate value: "n"'],
      ],
      [
        'more nodes as hints than 8',
        { 'endpoints.0.hints': { forNodes: Array.from({ length: 9 }, (_, index) => ({ name: `n${index}` })) } },
        ['endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items'],
      ],
      [
        'an address of the other IP family',
        { endpoints: [{ addresses: ['::1'] }] },
        [
          'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
          'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        ],
      ],
      ...(
        [
          ['IPv4', '0.0.0.0', 'may not be unspecified (0.0.0.0)'],
          ['IPv4', '127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
          ['IPv4', '169.254.169.254', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
          ['IPv4', '224.0.0.1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
          ['IPv6', '::', 'may not be unspecified (::)'],
          ['IPv6', '::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
          ['IPv6', 'fe80::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
          ['IPv6', 'ff02::1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
          ['IPv6', '2001:DB8::1', 'must be in canonical form ("2001:db8::1")'],
        ] as const
      ).map(
        ([addressType, address, why]) =>
          [
            address,
            { addressType, endpoints: [{ addresses: [address] }] },
            [`endpoints[0].addresses[0]: Invalid value: "${address}": ${why}`],
          ] as const,
      ),
      ['no address', { endpoints: [{ addresses: [] }] }, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
      ['two ports with one name', { ports: [{ port: 80 }, { port: 81 }] }, ['ports[1].name: Duplicate value: ""']],
      [
        'bad host name',
        { endpoints: [{ addresses: ['10.0.0.1'], hostname: 'a.b' }] },
        ['endpoints[0].hostname: Invalid value: "a.b": must not contain dots'],
      ],
    ],
    updates: [['address type', { addressType: 'FQDN', endpoints: [] }, ['addressType: Invalid value: "FQDN": field is immutable']]],
  },
)
