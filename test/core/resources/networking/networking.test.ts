import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Manifest, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const apiVersion = 'networking.k8s.io/v1'
const path = (plural: string) => `/apis/${apiVersion}/namespaces/default/${plural}`
const backend = { service: { name: 'web', port: { number: 80 } } }
const rule = { host: 'example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }
const ingress = { apiVersion, kind: 'Ingress', metadata: { name: 'web' }, spec: { rules: [rule] } }
const first = 'spec.rules.0.http.paths.0'
const firstPath = 'spec.rules[0].http.paths[0]'

tables(
  client,
  { path: path('ingresses'), manifest: ingress },
  {
    stored: [['without changes', {}, { metadata: { generation: 1 }, spec: { rules: [rule] }, status: { loadBalancer: {} } }]],
    refused: [
      [
        'neither defaultBackend nor rules',
        { 'spec.rules': undefined },
        ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
      ],
      [
        'a class that differs from the annotation',
        { 'metadata.annotations': { 'kubernetes.io/ingress.class': 'a' }, 'spec.ingressClassName': 'b' },
        ['annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified'],
      ],
      ['no paths', { 'spec.rules.0.http.paths': [] }, ['spec.rules[0].http.paths: Required value']],
      ['no path type', { [`${first}.pathType`]: undefined }, [`${firstPath}.pathType: Required value: pathType must be specified`]],
      [
        'unknown path type',
        { [`${first}.pathType`]: 'Regex' },
        [`${firstPath}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
      ],
      ['relative path', { [`${first}.path`]: 'a' }, [`${firstPath}.path: Invalid value: "a": must be an absolute path`]],
      ['path with ..', { [`${first}.path`]: '/a/../b' }, [`${firstPath}.path: Invalid value: "/a/../b": must not contain '/../'`]],
      [
        'IP address as host',
        { 'spec.rules.0.host': '1.2.3.4' },
        ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
      ],
      [
        'both backends',
        { [`${first}.backend.resource`]: { kind: 'Bucket', name: 'b' } },
        [`${firstPath}.backend: Invalid value: "": cannot set both resource and service backends`],
      ],
      [
        'errors in order: host, path, backend',
        { 'spec.rules.0.host': 'A', [`${first}.path`]: 'a', [`${first}.backend`]: {} },
        [
          "spec.rules[0].host: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          `${firstPath}.path: Invalid value: "a": must be an absolute path`,
          `${firstPath}.backend: Invalid value: "": resource or service backend is required`,
        ],
      ],
      [
        'no backend without path type',
        { [`${first}.backend`]: {}, [`${first}.pathType`]: undefined },
        [`${firstPath}.pathType: Required value: pathType must be specified`],
      ],
      ['no backend', { [`${first}.backend`]: {} }, [`${firstPath}.backend: Invalid value: "": resource or service backend is required`]],
      [
        'no port',
        { [`${first}.backend.service.port`]: undefined },
        [`${firstPath}.backend: Required value: port name or number is required`],
      ],
      [
        'both ports',
        { [`${first}.backend.service.port.name`]: 'http' },
        [`${firstPath}.backend: Invalid value: "": cannot set both port name & port number`],
      ],
      [
        'bad port',
        { 'spec.defaultBackend': { service: { name: 'web', port: { number: 70000 } } } },
        ['spec.defaultBackend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive'],
      ],
    ],
  },
)

test('the deprecated ingress class annotation gives a warning', async () => {
  const metadata = { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'x' } }
  const { warnings } = await (await client).send('POST', `${path('ingresses')}?dryRun=All`, { ...ingress, metadata })
  assert.deepEqual(warnings, [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`])
})

const parameters = { kind: 'Settings', name: 's' }
tables(
  client,
  {
    path: `/apis/${apiVersion}/ingressclasses`,
    manifest: { apiVersion, kind: 'IngressClass', metadata: { name: 'c' }, spec: { controller: 'example.com/ingress' } },
  },
  {
    stored: [['scope', { 'spec.parameters': parameters }, { spec: { parameters: { scope: 'Cluster' } } }]],
    refused: [
      ['no controller', { 'spec.controller': undefined }, ['spec.controller: Required value']],
      [
        'namespace with scope Cluster',
        { 'spec.parameters': { ...parameters, namespace: 'n' } },
        ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
      ],
      [
        'no namespace',
        { 'spec.parameters': { ...parameters, scope: 'Namespace' } },
        ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
      ],
    ],
    updates: [
      [
        'controller',
        { 'spec.controller': 'example.com/other' },
        ['spec.controller: Invalid value: "example.com/other": field is immutable'],
      ],
    ],
  },
)

const policy = { apiVersion, kind: 'NetworkPolicy', metadata: { name: 'p' }, spec: { podSelector: {} } }
tables(
  client,
  { path: path('networkpolicies'), manifest: policy },
  {
    stored: [
      ['incoming traffic', {}, { spec: { policyTypes: ['Ingress'] } }],
      ['both directions', { 'spec.egress': [{}] }, { spec: { policyTypes: ['Ingress', 'Egress'] } }],
      ['protocol', { 'spec.ingress': [{ ports: [{ port: 80 }] }] }, { spec: { ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }] } }],
    ],
    refused: [
      ['empty peer', { 'spec.ingress': [{ from: [{}] }] }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
      [
        'peer with ipBlock and selector',
        { 'spec.egress': [{ to: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
        ['spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer'],
      ],
      [
        'except outside of the CIDR',
        { 'spec.egress': [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
        ['spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`'],
      ],
      [
        'a port range that ends before it starts',
        { 'spec.ingress': [{ ports: [{ port: 80, endPort: 79 }] }] },
        ['spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
      ],
      [
        'the end of a range without its start',
        { 'spec.ingress': [{ ports: [{ endPort: 80 }] }] },
        ['spec.ingress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is not specified'],
      ],
      [
        'unknown protocol',
        { 'spec.ingress': [{ ports: [{ protocol: 'ICMP' }] }] },
        ['spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'],
      ],
      [
        'three directions',
        { 'spec.policyTypes': ['A', 'B', 'C'] },
        ['spec.policyTypes: Invalid value: ["A","B","C"]: may not specify more than two policyTypes'],
      ],
      [
        'exceptions of a malformed range',
        { 'spec.ingress': [{ from: [{ ipBlock: { cidr: 'x', except: ['y'] } }] }] },
        ['spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
      ],
      [
        'unknown direction',
        { 'spec.policyTypes': ['Sideways'] },
        ['spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"'],
      ],
    ],
  },
)

const parentRef = { resource: 'services', name: 'web', namespace: 'default' }
tables(
  client,
  {
    path: `/apis/${apiVersion}/ipaddresses`,
    fixedName: true,
    manifest: { apiVersion, kind: 'IPAddress', metadata: { name: '10.0.0.9' }, spec: { parentRef } },
  },
  {
    refused: [
      [
        'a name that is no IP address',
        { 'metadata.name': 'ten' },
        ['metadata.name: Invalid value: "ten": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
      ],
      ['no parent', { 'spec.parentRef': undefined }, ['spec.parentRef: Required value']],
    ],
    updates: [
      [
        'parent',
        { 'spec.parentRef.name': 'api' },
        ['spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"api"}: field is immutable'],
      ],
    ],
  },
)

tables(
  client,
  {
    path: `/apis/${apiVersion}/servicecidrs`,
    manifest: { apiVersion, kind: 'ServiceCIDR', metadata: { name: 'more' }, spec: { cidrs: ['10.1.0.0/16'] } },
  },
  {
    refused: [
      ['no range', { 'spec.cidrs': [] }, ['spec.cidrs: Required value: at least one CIDR required']],
      [
        'one family twice',
        { 'spec.cidrs': ['10.1.0.0/16', '10.2.0.0/16'] },
        [
          'spec.cidrs: Invalid value: ["10.1.0.0/16","10.2.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
        ],
      ],
    ],
    updates: [['ranges', { 'spec.cidrs': ['10.3.0.0/16'] }, ['spec.cidrs[0]: Invalid value: "10.3.0.0/16": field is immutable']]],
  },
)

test('the annotation of a class is deprecated only without the field', async () => {
  const annotated = withChanges(ingress, { 'metadata.annotations': { 'kubernetes.io/ingress.class': 'a' } })
  const send = async (manifest: Manifest) => (await (await client).send('POST', `${path('ingresses')}?dryRun=All`, manifest)).warnings
  assert.deepEqual(await send(annotated), [
    `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
  ])
  assert.deepEqual(await send(withChanges(annotated, { 'spec.ingressClassName': 'a' })), [])
})
