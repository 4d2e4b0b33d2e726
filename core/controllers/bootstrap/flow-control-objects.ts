/** Priority levels and flow schemas that every cluster has (apiserver/pkg/apis/flowcontrol/bootstrap). */
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { mandatoryLevels, mandatorySchemas } from '../../resources/flowcontrol/mandatory.ts'
import type { JsonObject } from '../../schema/model.ts'

/** Objects of a cluster, in the order in which they are written. */
export interface FlowControlObjects {
  readonly levels: readonly ApiObject[]
  readonly schemas: readonly ApiObject[]
}

type Level = readonly [name: string, shares: number, lendablePercent: number, queues: number, handSize: number]

const suggestedLevels: readonly Level[] = [
  ['system', 30, 33, 64, 6],
  ['node-high', 40, 25, 64, 6],
  ['leader-election', 10, 0, 16, 4],
  ['workload-high', 40, 50, 128, 6],
  ['workload-low', 100, 90, 128, 6],
  ['global-default', 20, 50, 128, 6],
]
const queueLengthLimit = 50

const levelSpec = ([, nominalConcurrencyShares, lendablePercent, queues, handSize]: Level): JsonObject => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } },
    lendablePercent,
  },
})

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } })
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } })

/** A rule for all resources of these groups in any namespace. */
const resourceRule = (verbs: string[], apiGroup: string, resources: string[], clusterScope: boolean): JsonObject => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  ...(clusterScope && { clusterScope }),
  namespaces: ['*'],
})

const everything: JsonObject = {
  resourceRules: [resourceRule(['*'], '*', ['*'], true)],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

interface Schema {
  readonly name: string
  readonly level: string
  readonly precedence: number
  /** What tells flows apart; absent: the schema is one flow. */
  readonly flows?: 'ByUser' | 'ByNamespace'
  readonly subjects: JsonObject[]
  /** Absent: all requests of the subjects. */
  readonly rules?: JsonObject
}

function suggestedSchemas({ component, namespaces, name }: Platform): readonly Schema[] {
  const nodes = [group('system:nodes')]
  const everyone = [group('system:unauthenticated'), group('system:authenticated')]
  const manager = user(`system:${component}-controller-manager`)
  const scheduler = user(`system:${component}-scheduler`)
  const systemAccounts: JsonObject = { kind: 'ServiceAccount', serviceAccount: { namespace: namespaces.system, name: '*' } }
  const leases = (verbs: string[]) => resourceRule(verbs, name('coordination.<domain>'), ['leases'], false)
  return [
    { name: 'system-nodes', level: 'system', precedence: 500, flows: 'ByUser', subjects: nodes },
    {
      name: 'system-node-high',
      level: 'node-high',
      precedence: 400,
      flows: 'ByUser',
      subjects: nodes,
      rules: { resourceRules: [resourceRule(['*'], '', ['nodes', 'nodes/status'], true), leases(['*'])] },
    },
    {
      name: 'probes',
      level: 'exempt',
      precedence: 2,
      subjects: everyone,
      rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
    },
    {
      name: 'system-leader-election',
      level: 'leader-election',
      precedence: 100,
      flows: 'ByUser',
      subjects: [manager, scheduler, systemAccounts],
      rules: { resourceRules: [leases(['get', 'create', 'update'])] },
    },
    { name: `${component}-controller-manager`, level: 'workload-high', precedence: 800, flows: 'ByNamespace', subjects: [manager] },
    { name: `${component}-scheduler`, level: 'workload-high', precedence: 800, flows: 'ByNamespace', subjects: [scheduler] },
    {
      name: `${component}-system-service-accounts`,
      level: 'workload-high',
      precedence: 900,
      flows: 'ByNamespace',
      subjects: [systemAccounts],
    },
    { name: 'service-accounts', level: 'workload-low', precedence: 9000, flows: 'ByUser', subjects: [group('system:serviceaccounts')] },
    { name: 'global-default', level: 'global-default', precedence: 9900, flows: 'ByUser', subjects: everyone },
  ]
}

const schemaSpec = ({ level, precedence, flows, subjects, rules = everything }: Schema): JsonObject => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(flows && { distinguisherMethod: { type: flows } }),
  rules: [{ subjects, ...rules }],
})

/** Objects that operators may change or delete, and those that the server insists on. */
export function flowControlObjects(platform: Platform): { readonly suggested: FlowControlObjects; readonly mandatory: FlowControlObjects } {
  const apiVersion = platform.name('flowcontrol.apiserver.<domain>/v1')
  const object = (kind: string) => (name: string, spec: JsonObject) => ({
    kind,
    apiVersion,
    metadata: { name, annotations: { [platform.name(autoUpdateAnnotation)]: 'true' } },
    spec: structuredClone(spec),
  })
  const [level, schema] = [object('PriorityLevelConfiguration'), object('FlowSchema')]
  return {
    suggested: {
      levels: suggestedLevels.map((row) => level(row[0], levelSpec(row))),
      schemas: suggestedSchemas(platform).map((row) => schema(row.name, schemaSpec(row))),
    },
    mandatory: {
      levels: ['catch-all', 'exempt'].map((name) => level(name, mandatoryLevels[name]!)),
      schemas: ['exempt', 'catch-all'].map((name) => schema(name, mandatorySchemas[name]!)),
    },
  }
}

/** `true` on objects that the server keeps as in this release. */
export const autoUpdateAnnotation = 'apf.<labels>/autoupdate-spec'
