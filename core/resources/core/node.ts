import { atomicList, bool, field, type Infer, list, message, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { flagAt } from '../selectable.ts'
import { nodeColumns } from './node-columns.ts'
import { NodeConfigSource, NodeStatus } from './node-status.ts'
import { pairPodCIDRs, validateNode, validateNodeStatus, validateNodeUpdate } from './node-validation.ts'
import { nodeWarnings } from './node-warnings.ts'
import { objectValidation } from './object-validation.ts'
import { NodeProxyOptions } from './proxy-options.ts'
import { Taint } from './scheduling.ts'

export const NodeSpec = message('NodeSpec', 'How a node takes part in the cluster.', () => ({
  podCIDR: field(1, string, 'Address range of its pods.'),
  podCIDRs: field(7, list(string, { listType: 'set' }), 'Address ranges of its pods, one per address family.', {
    patchStrategy: 'merge',
  }),
  providerID: field(3, string, 'Identifier by the cloud provider, as <provider>://<id>.'),
  unschedulable: field(4, bool, 'Keeps new pods away.'),
  taints: field(5, atomicList(Taint), 'Taints that pods have to tolerate.'),
  configSource: pointer(6, NodeConfigSource, 'No longer used.'),
  externalID: field(2, string, 'No longer used.'),
})).with({
  defaults(spec) {
    pairPodCIDRs(spec)
  },
})

export const Node = object('Node', 'A machine that runs pods.', specAndStatus(NodeSpec, NodeStatus))

type NodeValue = Infer<typeof Node>

/** The field of the removed dynamic configuration is kept if stored, and otherwise dropped. */
function dropConfiguration(node: NodeValue, old: NodeValue | undefined): void {
  if (old?.spec?.configSource === undefined) delete node.spec?.configSource
  if (old?.status?.config === undefined) delete node.status?.config
}

export const nodes = resource({
  group: '',
  version: 'v1',
  names: ['nodes', 'node', 'no'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  namespaced: false,
  schema: Node,
  columns: nodeColumns,
  storageKey: 'minions',
  strategy: {
    keepsStatusOnCreate: true,
    prepareCreate: (node) => dropConfiguration(node, undefined),
    prepareUpdate: dropConfiguration,
    prepareStatus: dropConfiguration,
    validate: objectValidation(validateNode),
    validateUpdate: validateNodeUpdate,
    validateStatus: validateNodeStatus,
    warnings: nodeWarnings,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
  subresources: [
    {
      name: 'proxy',
      kind: 'NodeProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      schema: NodeProxyOptions,
      connects: 'proxy',
      action: 'nodeProxy',
    },
  ],
  selectable: { 'spec.unschedulable': flagAt('.spec.unschedulable') },
})
