import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFamilies, type ServiceSpec } from '../../../../core/resources/core/service-defaults.ts'
import { freshName, type Json, refusedCases, send, storedCases, updatedCases, withServer } from './harness.ts'

withServer()
const path = '/api/v1/namespaces/default/services'
const service = (spec: Json): Json => ({ spec: { ports: [{ port: 80 }], ...spec } })
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

storedCases(path, [
  [
    'defaults',
    service({}),
    {
      'spec.type': 'ClusterIP',
      'spec.sessionAffinity': 'None',
      'spec.internalTrafficPolicy': 'Cluster',
      'spec.externalTrafficPolicy': undefined,
      'spec.ipFamilies': ['IPv4'],
      'spec.ipFamilyPolicy': 'SingleStack',
      status: { loadBalancer: {} },
    },
  ],
  ['ports', service({ ports: [{ port: 80 }] }), { 'spec.ports.0.protocol': 'TCP', 'spec.ports.0.port': 80, 'spec.ports.0.targetPort': 80 }],
  ['named target ports stay', service({ ports: [{ port: 80, targetPort: 'http' }] }), { 'spec.ports.0.targetPort': 'http' }],
  ['session affinity', service({ sessionAffinity: 'ClientIP' }), { 'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 10800 } } }],
  [
    'traffic policy of NodePort',
    service({ type: 'NodePort' }),
    { 'spec.externalTrafficPolicy': 'Cluster', 'spec.allocateLoadBalancerNodePorts': undefined },
  ],
  [
    'LoadBalancer',
    service({ type: 'LoadBalancer' }),
    { 'spec.externalTrafficPolicy': 'Cluster', 'spec.allocateLoadBalancerNodePorts': true },
  ],
  ['external addresses', service({ externalIPs: ['203.0.113.1'] }), { 'spec.externalTrafficPolicy': 'Cluster' }],
  [
    'headless',
    service({ clusterIP: 'None', selector: { a: 'b' } }),
    {
      'spec.clusterIP': 'None',
      'spec.clusterIPs': ['None'],
      'spec.ipFamilies': ['IPv4'],
      'spec.ipFamilyPolicy': 'SingleStack',
    },
  ],
  [
    'headless without selector',
    service({ clusterIP: 'None' }),
    { 'spec.ipFamilies': ['IPv4', 'IPv6'], 'spec.ipFamilyPolicy': 'RequireDualStack' },
  ],
  [
    'ExternalName',
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
    {
      'spec.type': 'ExternalName',
      'spec.sessionAffinity': 'None',
      'spec.internalTrafficPolicy': undefined,
      'spec.ipFamilies': undefined,
      'spec.clusterIP': undefined,
    },
  ],
  ['a name that starts with a digit', { metadata: { name: '1st' }, ...service({}) }, { 'metadata.name': '1st' }],
])

refusedCases(path, [
  ['no ports', { spec: {} }, 'spec.ports: Required value'],
  [
    'two ports without names',
    service({ ports: [{ port: 80 }, { port: 81 }] }),
    'spec.ports[0].name: Required value',
    'spec.ports[1].name: Required value',
  ],
  [
    'duplicate port names',
    service({
      ports: [
        { name: 'a', port: 80 },
        { name: 'a', port: 81 },
      ],
    }),
    'spec.ports[1].name: Duplicate value: "a"',
  ],
  [
    'duplicate ports',
    service({
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    }),
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ],
  [
    'port 0',
    service({ ports: [{ port: 0, targetPort: 80 }] }),
    'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
  ],
  [
    'an unknown protocol',
    service({ ports: [{ port: 80, protocol: 'x' }] }),
    'spec.ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
  ],
  [
    'a node port of type ClusterIP',
    service({ ports: [{ port: 80, nodePort: 30000 }] }),
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    'an unknown type',
    service({ type: 'X' }),
    'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    'a headless NodePort',
    service({ type: 'NodePort', clusterIP: 'None', selector: { a: 'b' } }),
    `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
  ],
  [
    'an invalid address',
    service({ clusterIP: 'x' }),
    'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  ['an ExternalName without name', { spec: { type: 'ExternalName' } }, 'spec.externalName: Required value'],
  [
    'an invalid externalName',
    { spec: { type: 'ExternalName', externalName: 'a_b' } },
    `spec.externalName: Invalid value: "a_b": ${subdomain}`,
  ],
  [
    'an unknown affinity',
    service({ sessionAffinity: 'X' }),
    'spec.sessionAffinity: Unsupported value: "X": supported values: "ClientIP", "None"',
  ],
  [
    'a session timeout of 0 seconds',
    service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
  ],
  [
    'a loopback external IP',
    service({ externalIPs: ['127.0.0.1'] }),
    'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    'loadBalancerSourceRanges of type ClusterIP',
    service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    'invalid loadBalancerSourceRanges',
    service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] }),
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
  [
    'allocateLoadBalancerNodePorts of type ClusterIP',
    service({ allocateLoadBalancerNodePorts: true }),
    "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    'loadBalancerClass of type ClusterIP',
    service({ loadBalancerClass: 'a/b' }),
    "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    'externalTrafficPolicy of type ClusterIP',
    service({ externalTrafficPolicy: 'Local' }),
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    'an unknown distribution',
    service({ trafficDistribution: 'X' }),
    'spec.trafficDistribution: Unsupported value: "X": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
  ['duplicate families', service({ ipFamilies: ['IPv4', 'IPv4'] }), 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
  [
    'an address of the other IP family',
    service({ clusterIP: '2001:db8::1', ipFamilies: ['IPv4'] }),
    'spec.clusterIPs[0]: Invalid value: "2001:db8::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
  ],
])

updatedCases(path, [
  ['another selector', service({ selector: { a: 'b' } }), { spec: { selector: { a: 'c' } } }],
  [
    'another address',
    service({ clusterIP: 'None', selector: { a: 'b' } }),
    { spec: { clusterIP: '10.0.0.9' } },
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set',
  ],
  [
    'another class',
    service({ type: 'LoadBalancer', loadBalancerClass: 'a/b' }),
    { spec: { loadBalancerClass: 'a/c' } },
    'spec.loadBalancerClass: Invalid value: "a/c": may not change once set',
  ],
])

test('changing the type clears the fields that the new type does not use', async () => {
  const name = freshName()
  await send('POST', path, { metadata: { name }, ...service({ type: 'LoadBalancer' }) })
  const { code, body } = await send('PATCH', `${path}/${name}`, {
    spec: { type: 'ExternalName', externalName: 'example.com', ports: null },
  })
  assert.equal(code, 200, JSON.stringify(body))
  for (const field of [
    'clusterIP',
    'clusterIPs',
    'ipFamilies',
    'ipFamilyPolicy',
    'allocateLoadBalancerNodePorts',
    'externalTrafficPolicy',
  ]) {
    assert.equal(body.spec?.[field], undefined, field)
  }
})

test('status of load balancers', async () => {
  const name = freshName()
  await send('POST', path, { metadata: { name }, ...service({ type: 'LoadBalancer' }) })
  const { code, body } = await send('PATCH', `${path}/${name}/status`, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } })
  assert.equal(code, 200, JSON.stringify(body))
  assert.deepEqual(body.status, { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } })
})

const familyCases: readonly (readonly [
  title: string,
  spec: ServiceSpec,
  cluster: readonly ('IPv4' | 'IPv6')[],
  families: string[],
  policy: string,
])[] = [
  ['in a single-stack cluster', { type: 'ClusterIP' }, ['IPv6'], ['IPv6'], 'SingleStack'],
  [
    'PreferDualStack in a single-stack cluster',
    { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack' },
    ['IPv4'],
    ['IPv4'],
    'PreferDualStack',
  ],
  [
    'PreferDualStack in a dual-stack cluster',
    { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack' },
    ['IPv4', 'IPv6'],
    ['IPv4', 'IPv6'],
    'PreferDualStack',
  ],
  [
    'families of the given addresses',
    { type: 'ClusterIP', clusterIPs: ['10.0.0.1', 'fd00::1'] },
    ['IPv4', 'IPv6'],
    ['IPv4', 'IPv6'],
    'RequireDualStack',
  ],
]
for (const [title, spec, cluster, families, policy] of familyCases) {
  test(`families ${title}`, () => {
    defaultFamilies(spec, cluster)
    assert.deepEqual([spec.ipFamilies, spec.ipFamilyPolicy], [families, policy])
  })
}
