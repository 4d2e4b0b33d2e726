import type { JsonObject } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { Eviction } from '../policy/eviction.ts'
import { flagAt } from '../selectable.ts'
import { Binding } from './binding.ts'
import { objectValidation } from './object-validation.ts'
import { podColumns } from './pod-columns.ts'
import { defaultPod } from './pod-defaults.ts'
import { ephemeralContainers } from './pod-ephemeral.ts'
import { PodAttachOptions, PodExecOptions, PodLogOptions, PodPortForwardOptions } from './pod-options.ts'
import { keepReported, preparePod } from './pod-preparation.ts'
import { resize } from './pod-resize.ts'
import { PodSpec } from './pod-spec.ts'
import { PodStatus } from './pod-status.ts'
import { podStatusWarnings, validatePodStatus } from './pod-status-validation.ts'
import { validatePodUpdate } from './pod-update-validation.ts'
import { validatePod } from './pod-validation.ts'
import { warnOfNewPod } from './pod-warnings.ts'
import { PodProxyOptions } from './proxy-options.ts'

export const Pod = object('Pod', 'Containers that run together on one node.', specAndStatus(PodSpec, PodStatus))

const completion = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }]

/** What rows of pods that have ended say, by phase. */
const completions: { readonly [phase: string]: readonly JsonObject[] | undefined } = {
  Succeeded: completion('Succeeded', 'The pod has completed successfully.'),
  Failed: completion('Failed', 'The pod failed.'),
}

export const pods = resource({
  group: '',
  version: 'v1',
  names: ['pods', 'pod', 'po'],
  metadataOnUpdate: ['update', 'object'],
  categories: ['all'],
  schema: Pod,
  columns: podColumns,
  rowConditions: ({ status }) => completions[(status as { phase?: string } | undefined)?.phase ?? ''],
  returnsDeleted: true,
  // Old node agents corrupt owner references.
  statusKeeps: ['deletionTimestamp', 'ownerReferences'],
  lifecycle: { introduced: '1.0' },
  status: true,
  subresources: [
    {
      name: 'attach',
      kind: 'PodAttachOptions',
      verbs: ['create', 'get'],
      schema: PodAttachOptions,
      connects: 'stream',
      action: 'podStream',
    },
    { name: 'binding', kind: 'Binding', verbs: ['create'], schema: Binding, action: 'binding' },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: ['get', 'patch', 'update'], schema: Pod, strategy: ephemeralContainers },
    { name: 'eviction', kind: 'Eviction', group: 'policy', verbs: ['create'], schema: Eviction, action: 'eviction' },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'], schema: PodExecOptions, connects: 'stream', action: 'podStream' },
    { name: 'log', kind: 'Pod', verbs: ['get'], schema: Pod, action: 'podLog', text: { options: PodLogOptions } },
    {
      name: 'portforward',
      kind: 'PodPortForwardOptions',
      verbs: ['create', 'get'],
      schema: PodPortForwardOptions,
      connects: 'stream',
      action: 'podForward',
    },
    {
      name: 'proxy',
      kind: 'PodProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      schema: PodProxyOptions,
      connects: 'proxy',
      action: 'podProxy',
    },
    { name: 'resize', kind: 'Pod', verbs: ['get', 'patch', 'update'], schema: Pod, strategy: resize },
  ],
  strategy: {
    gracePeriod: (pod, requested) => {
      const phase = pod.status?.phase
      if (!pod.spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0
      const period = requested ?? pod.spec.terminationGracePeriodSeconds ?? 30
      return period < 0 ? 1 : period
    },
    keepsStatusOnCreate: true,
    defaults: defaultPod,
    prepareCreate: preparePod,
    validate: objectValidation(validatePod),
    validateUpdate: validatePodUpdate,
    prepareStatus: keepReported,
    validateStatus: validatePodStatus,
    warnings: warnOfNewPod,
    statusWarnings: podStatusWarnings,
  },
  generation: 'spec',
  indexed: ['spec.nodeName'],
  selectable: {
    'spec.nodeName': '.spec.nodeName',
    'spec.restartPolicy': '.spec.restartPolicy',
    'spec.schedulerName': '.spec.schedulerName',
    'spec.serviceAccountName': '.spec.serviceAccountName',
    'spec.hostNetwork': flagAt('.spec.hostNetwork'),
    'status.phase': '.status.phase',
    'status.podIP': '.status.podIP',
    'status.nominatedNodeName': '.status.nominatedNodeName',
  },
})
