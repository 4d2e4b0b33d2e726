import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allGates, assertHas, causesOf, startServer, tables } from '../support.ts'

const client = startServer({ gates: allGates })
const apiVersion = 'scheduling.k8s.io/v1alpha2'
const label1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const label1123Subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const sources = '`resourceClaimName`, `resourceClaimTemplateName`'
const template = { name: 'one', schedulingPolicy: { gang: { minCount: 2 } } }
const at = 'spec.podGroupTemplates'

tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/workloads`,
    manifest: {
      apiVersion,
      kind: 'Workload',
      metadata: { name: 'w' },
      spec: { controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'j' }, podGroupTemplates: [template] },
    },
  },
  {
    stored: [['two policies', { 'spec.podGroupTemplates.1': { name: 'two', schedulingPolicy: { basic: {} } } }, {}]],
    refused: [
      ['no templates', { 'spec.podGroupTemplates': undefined }, [`${at}: Required value`]],
      [
        'too many templates',
        { 'spec.podGroupTemplates': Array.from({ length: 9 }, (_, i) => ({ ...template, name: `t${i}` })) },
        [`${at}: Too many: 9: must have at most 8 items`],
      ],
      [
        'duplicate template',
        { 'spec.podGroupTemplates.1': template },
        [`${at}[1]: Duplicate value: {"name":"one","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}`],
      ],
      ['name in capitals', { 'spec.podGroupTemplates.0.name': 'One' }, [`${at}[0].name: Invalid value: "One": ${label1123}`]],
      [
        'no policy',
        { 'spec.podGroupTemplates.0.schedulingPolicy': {} },
        [`${at}[0].schedulingPolicy: Invalid value: "": must specify one of: \`basic\`, \`gang\``],
      ],
      [
        'both policies',
        { 'spec.podGroupTemplates.0.schedulingPolicy.basic': {} },
        [`${at}[0].schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: \`basic\`, \`gang\``],
      ],
      [
        'gang with minCount 0',
        { 'spec.podGroupTemplates.0.schedulingPolicy.gang.minCount': 0 },
        [`${at}[0].schedulingPolicy.gang.minCount: Required value`],
      ],
      [
        'gang with a negative minCount',
        { 'spec.podGroupTemplates.0.schedulingPolicy.gang.minCount': -1 },
        [`${at}[0].schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1`],
      ],
      [
        'everything of a template',
        {
          'spec.podGroupTemplates.0': {
            name: 'a.b',
            schedulingPolicy: { basic: {}, gang: { minCount: -1 } },
            schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] },
            resourceClaims: [{ name: 'a' }, { name: 'a', resourceClaimName: 'X', resourceClaimTemplateName: 'y' }],
            disruptionMode: 'x',
            priorityClassName: 'X',
            priority: 1_000_000_001,
          },
        },
        [
          `${at}[0].name: Invalid value: "a.b": must not contain dots`,
          `${at}[0].schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: \`basic\`, \`gang\``,
          `${at}[0].schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1`,
          `${at}[0].schedulingConstraints.topology: Too many: 2: must have at most 1 item`,
          `${at}[0].resourceClaims[1]: Duplicate value: {"name":"a","resourceClaimName":"X","resourceClaimTemplateName":"y"}`,
          `${at}[0].resourceClaims[0]: Invalid value: "": must specify one of: ${sources}`,
          `${at}[0].resourceClaims[1]: Invalid value: "{resourceClaimName, resourceClaimTemplateName}": must specify exactly one of: ${sources}`,
          `${at}[0].resourceClaims[1].resourceClaimName: Invalid value: "X": ${label1123Subdomain}`,
          `${at}[0].disruptionMode: Unsupported value: "x": supported values: "Pod", "PodGroup"`,
          `${at}[0].priorityClassName: Invalid value: "X": ${label1123Subdomain}`,
          `${at}[0].priority: Invalid value: 1000000001: must be less than or equal to 1000000000`,
        ],
      ],
      [
        'no topology, and too many claims',
        {
          'spec.podGroupTemplates.0.schedulingConstraints': { topology: [{ key: '' }] },
          'spec.podGroupTemplates.0.resourceClaims': ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })),
        },
        [
          `${at}[0].schedulingConstraints.topology[0].key: Required value`,
          `${at}[0].resourceClaims: Too many: 5: must have at most 4 items`,
        ],
      ],
      ['name in capitals, of the workload', { 'metadata.name': 'A' }, [`metadata.name: Invalid value: "A": ${label1123Subdomain}`]],
      ['controller without a name', { 'spec.controllerRef.name': '' }, ['spec.controllerRef.name: Required value']],
    ],
    updates: [
      ['labels', { 'metadata.labels': { a: 'b' } }, []],
      ['templates', { 'spec.podGroupTemplates.0.name': 'two' }, ['spec.podGroupTemplates: Invalid value: null: field is immutable']],
      ['controller', { 'spec.controllerRef': undefined }, ['spec.controllerRef: Invalid value: null: field is immutable']],
    ],
  },
)

tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/podgroups`,
    manifest: { apiVersion, kind: 'PodGroup', metadata: { name: 'g' }, spec: { schedulingPolicy: { basic: {} } } },
  },
  {
    refused: [
      [
        'template without workload name',
        { 'spec.podGroupTemplateRef': { workload: { workloadName: '', podGroupTemplateName: 'one' } } },
        ['spec.podGroupTemplateRef.workload.workloadName: Required value'],
      ],
      ['name in capitals', { 'metadata.name': 'A' }, [`metadata.name: Invalid value: "A": ${label1123Subdomain}`]],
      ['no template', { 'spec.podGroupTemplateRef': {} }, ['spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`']],
      [
        'priority of the system',
        { 'spec.disruptionMode': '', 'spec.priorityClassName': 'system-node-critical' },
        [
          'spec.disruptionMode: Unsupported value: "": supported values: "Pod", "PodGroup"',
          'spec.priority: Invalid value: 2000001000: must be less than or equal to 1000000000',
        ],
      ],
    ],
    updates: [
      [
        'policy',
        { 'spec.schedulingPolicy': { gang: { minCount: 1 } } },
        ['spec.schedulingPolicy: Invalid value: null: field is immutable'],
      ],
      ...['schedulingConstraints', 'resourceClaims', 'disruptionMode', 'priorityClassName', 'priority'].map(
        (name) =>
          [
            name,
            {
              [`spec.${name}`]: {
                ...{ schedulingConstraints: { topology: [{ key: '' }] }, resourceClaims: [{ name: 'a', resourceClaimName: 'X' }] },
                ...{ disruptionMode: 'PodGroup', priorityClassName: 'X', priority: 1 },
              }[name],
            },
            [`spec.${name}: Invalid value: null: field is immutable`],
          ] as const,
      ),
    ],
  },
)

const groups = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups'
const group = (spec: object) => ({
  apiVersion,
  kind: 'PodGroup',
  metadata: { name: 's' },
  spec: { schedulingPolicy: { basic: {} }, ...spec },
})

test('the priority of a pod group is that of its class', async () => {
  const { send } = await client
  const made = async (spec: object) => (await send('POST', `${groups}?dryRun=All`, group(spec))).body
  assertHas(await made({}), { spec: { priority: 0 } })
  assertHas(await made({ priority: 0 }), { spec: { priority: 0 } })
  assertHas(await made({ priorityClassName: 'x' }), {
    code: 403,
    message: 'podgroups.scheduling.k8s.io "s" is forbidden: no PriorityClass with name x was found',
  })
  assertHas(await made({ priority: 1 }), {
    code: 403,
    message:
      'podgroups.scheduling.k8s.io "s" is forbidden: priority set in the pod group (1) must match the priority computed (0) based on the priority class set in the spec',
  })
})

test('claims in the status of a pod group are those of its spec', async () => {
  const { send } = await client
  const made = await send('POST', groups, group({ resourceClaims: [{ name: 'a', resourceClaimName: 'x' }] }))
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const causes = async (...resourceClaimStatuses: object[]) =>
    causesOf(await send('PUT', `${groups}/s/status?dryRun=All`, { ...made.body, status: { resourceClaimStatuses } }))
  const path = 'status.resourceClaimStatuses'
  assert.deepEqual(await causes({ name: 'a', resourceClaimName: 'y' }), [])
  assert.deepEqual(await causes({ name: 'b' }, { name: 'a', resourceClaimName: 'X' }), [
    `${path}[0].name: Invalid value: "b": must match the name of an entry in \`spec.resourceClaims\``,
    `${path}[1].resourceClaimName: Invalid value: "X": ${label1123Subdomain}`,
  ])
})
