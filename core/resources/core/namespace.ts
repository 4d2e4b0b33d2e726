import { atomicList, field, keyedList, message, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { namespaceColumns } from './columns.ts'
import { ConditionStatus } from './enums.ts'
import { specFinalizers } from './namespace-subresources.ts'
import { keepFinalizers, labelWithName, prepareNamespace, validateNamespace, validateNamespaceStatus } from './namespace-validation.ts'
import { objectValidation } from './object-validation.ts'

export const NamespaceSpec = message('NamespaceSpec', 'What a namespace still waits for.', () => ({
  finalizers: field(1, atomicList(string), 'Parties that must clean up before the namespace is removed.', {
    goType: 'v1.FinalizerName',
  }),
}))

export const NamespaceCondition = message('NamespaceCondition', 'An observation about a namespace, mostly about its deletion.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1.NamespaceConditionType',
    openEnum: [
      'NamespaceDeletionDiscoveryFailure',
      'NamespaceDeletionContentFailure',
      'NamespaceDeletionGroupVersionParsingFailure',
      'NamespaceContentRemaining',
      'NamespaceFinalizersRemaining',
    ],
  }),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  lastTransitionTime: field(4, time, 'When the status last changed from one value to another.'),
  reason: field(5, string, 'One word in CamelCase that programs can match.'),
  message: field(6, string, 'Details for people.'),
}))

export const NamespaceStatus = message('NamespaceStatus', 'State of a namespace.', () => ({
  phase: field(1, string, 'Active or Terminating.', { goType: 'v1.NamespacePhase', enum: ['Active', 'Terminating'] }),
  conditions: keyedList(2, NamespaceCondition, 'type', 'Latest observations, one per condition type.'),
})).with({
  defaults(status) {
    status.phase ||= 'Active'
  },
})

export const Namespace = object('Namespace', 'A scope for names and policies.', specAndStatus(NamespaceSpec, NamespaceStatus))

export const namespaces = resource({
  group: '',
  version: 'v1',
  names: ['namespaces', 'namespace', 'ns'],
  metadataOnUpdate: ['object', 'update'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: Namespace,
  columns: namespaceColumns,
  strategy: {
    defaults: labelWithName,
    prepareCreate: prepareNamespace,
    prepareUpdate: keepFinalizers,
    prepareDelete(namespace) {
      // Namespaces have no grace period, not even one of 0 (reference: the namespaces' own storage).
      delete namespace.metadata?.deletionGracePeriodSeconds
      namespace.status = { ...namespace.status, phase: 'Terminating' }
    },
    validate: objectValidation(validateNamespace),
    validateStatus: validateNamespaceStatus,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
  subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'], schema: Namespace, strategy: specFinalizers }],
  nameFormat: 'dns1123Label',
  selectable: { 'status.phase': '.status.phase' },
  specFinalizers: true,
})
