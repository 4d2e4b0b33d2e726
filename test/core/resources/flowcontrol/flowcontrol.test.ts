import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
const rule = {
  subjects: [{ kind: 'User', user: { name: '*' } }],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
}
const schema = {
  apiVersion,
  kind: 'FlowSchema',
  metadata: { name: 'mine' },
  spec: { priorityLevelConfiguration: { name: 'workload-low' }, rules: [rule] },
}

tables(
  client,
  { path: `/apis/${apiVersion}/flowschemas`, manifest: schema },
  {
    stored: [['precedence', {}, { metadata: { generation: 1 }, spec: { matchingPrecedence: 1000 } }]],
    refused: [
      [
        'matching precedence too high',
        { 'spec.matchingPrecedence': 10001 },
        ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
      ],
      [
        'matching precedence 1',
        { 'spec.matchingPrecedence': 1 },
        ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
      ],
      [
        'no level',
        { 'spec.priorityLevelConfiguration.name': '' },
        ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
      ],
      [
        'no subjects',
        { 'spec.rules.0.subjects': [] },
        ['spec.rules[0].subjects: Required value: subjects must contain at least one value'],
      ],
      [
        'no rules',
        { 'spec.rules.0.resourceRules': [] },
        ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
      ],
      [
        'subject of another kind',
        { 'spec.rules.0.subjects': [{ kind: 'Group', user: { name: 'a' } }] },
        [
          "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
          "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
        ],
      ],
      [
        'verbs together with *',
        { 'spec.rules.0.resourceRules.0.verbs': ['*', 'get'] },
        ['spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs'],
      ],
      [
        'no namespaces',
        { 'spec.rules.0.resourceRules.0.namespaces': [] },
        [
          'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
        ],
      ],
    ],
  },
)

const limited = { limitResponse: { type: 'Queue', queuing: {} } }
tables(
  client,
  {
    path: `/apis/${apiVersion}/prioritylevelconfigurations`,
    manifest: { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'mine' }, spec: { type: 'Limited', limited } },
  },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          spec: {
            limited: {
              nominalConcurrencyShares: 30,
              lendablePercent: 0,
              limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
            },
          },
        },
      ],
      ['no shares', { 'spec.limited.nominalConcurrencyShares': 0 }, { spec: { limited: { nominalConcurrencyShares: 0 } } }],
    ],
    refused: [
      ['no limits', { 'spec.limited': undefined }, ['spec.limited: Required value: must not be empty when type is Limited']],
      [
        'exempt',
        { spec: { type: 'Exempt' } },
        ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
      ],
      [
        'hand size above the number of queues',
        { 'spec.limited.limitResponse.queuing': { queues: 4, handSize: 5 } },
        ['spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)'],
      ],
      [
        'lendablePercent above 100',
        { 'spec.limited.lendablePercent': 101 },
        ['spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive'],
      ],
      [
        'queues without queuing',
        { 'spec.limited.limitResponse': { type: 'Queue' } },
        ['spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited'],
      ],
    ],
  },
)
