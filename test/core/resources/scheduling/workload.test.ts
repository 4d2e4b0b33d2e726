import { allGates, startServer, tables } from '../support.ts'

const client = startServer({ gates: allGates })
const apiVersion = 'scheduling.k8s.io/v1alpha2'
const label1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
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
      ['no templates', { 'spec.podGroupTemplates': undefined }, [`${at}: Required value: must have at least one item`]],
      [
        'too many templates',
        { 'spec.podGroupTemplates': Array.from({ length: 9 }, (_, i) => ({ ...template, name: `t${i}` })) },
        [`${at}: Too many: 9: must have at most 8 items`],
      ],
      ['duplicate template', { 'spec.podGroupTemplates.1': template }, [`${at}[1]: Duplicate value: "one"`]],
      ['name in capitals', { 'spec.podGroupTemplates.0.name': 'One' }, [`${at}[0].name: Invalid value: "One": ${label1123}`]],
      [
        'no policy',
        { 'spec.podGroupTemplates.0.schedulingPolicy': {} },
        [`${at}[0].schedulingPolicy: Invalid value: "": must specify one of: \`basic\`, \`gang\``],
      ],
      [
        'both policies',
        { 'spec.podGroupTemplates.0.schedulingPolicy.basic': {} },
        [
          `${at}[0].schedulingPolicy: Invalid value: "{\`basic\`, \`gang\`}": exactly one of \`basic\`, \`gang\` is required, but multiple fields are set`,
        ],
      ],
      [
        'gang with minCount 0',
        { 'spec.podGroupTemplates.0.schedulingPolicy.gang.minCount': 0 },
        [`${at}[0].schedulingPolicy.gang.minCount: Required value`],
      ],
      [
        'gang with a negative minCount',
        { 'spec.podGroupTemplates.0.schedulingPolicy.gang.minCount': -1 },
        [`${at}[0].schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than zero`],
      ],
      ['controller without a name', { 'spec.controllerRef.name': '' }, ['spec.controllerRef.name: Required value']],
    ],
    updates: [
      ['labels', { 'metadata.labels': { a: 'b' } }, []],
      [
        'templates',
        { 'spec.podGroupTemplates.0.name': 'two' },
        [
          'spec.podGroupTemplates: Invalid value: [{"name":"two","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}]: field is immutable',
        ],
      ],
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
      ['name in capitals', { 'metadata.name': 'A' }, [`metadata.name: Invalid value: "A": ${label1123}`]],
    ],
    updates: [
      [
        'policy',
        { 'spec.schedulingPolicy': { gang: { minCount: 1 } } },
        ['spec.schedulingPolicy: Invalid value: {"gang":{"minCount":1}}: field is immutable'],
      ],
    ],
  },
)
