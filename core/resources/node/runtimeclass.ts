import { atomicList, field, type HookContext, type Infer, map, message, pointer, required, string } from '../../schema/model.ts'
import { deprecatedLabel } from '../core/node-label-warnings.ts'
import { resourceList } from '../core/resource-list.ts'
import { Toleration } from '../core/scheduling.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { boundedWarnings } from '../warnings.ts'
import { runtimeClassColumns } from './columns.ts'
import { validateRuntimeClass } from './runtimeclass-validation.ts'

export const Overhead = message('Overhead', 'Resources that the sandbox of a pod takes.', () => ({
  podFixed: field(1, resourceList, 'Amount per pod.', { goType: 'v1.ResourceList' }),
}))

export const Scheduling = message('Scheduling', 'Where pods of a class can run.', () => ({
  nodeSelector: field(1, map(string, { atomic: true }), 'Labels of nodes that support the class.'),
  tolerations: field(2, atomicList(Toleration), 'Tolerations that its pods get.'),
})).with({ byKind: true })

export const RuntimeClass = object('RuntimeClass', 'A way to run containers.', () => ({
  handler: required(2, string, 'Configuration name in the container runtime; cannot be changed.', {
    immutable: true,
  }),
  overhead: pointer(3, Overhead, 'What running a pod costs besides its containers.'),
  scheduling: pointer(4, Scheduling, 'Where its pods can run.'),
}))

/** As in the reference, the path does not include the label. */
function* warningsOf({ scheduling }: Infer<typeof RuntimeClass>, { platform }: HookContext): Iterable<string> {
  for (const key of Object.keys(scheduling?.nodeSelector ?? {})) {
    const message = deprecatedLabel(key, platform)
    if (message) yield `scheduling.nodeSelector: ${message}`
  }
}

export const runtimeClasses = resource({
  group: 'node.<domain>',
  version: 'v1',
  names: ['runtimeclasses', 'runtimeclass'],
  anyFinalizers: true,
  metadataOnUpdate: ['object', 'lateUpdate'],
  namespaced: false,
  schema: RuntimeClass,
  columns: runtimeClassColumns,
  lifecycle: { introduced: '1.20' },
  createOnUpdate: true,
  updateNeedsVersion: true,
  strategy: { validate: validateRuntimeClass, warnings: (object, _old, context) => boundedWarnings(warningsOf(object, context)) },
})
