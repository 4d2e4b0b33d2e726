/** Deletes the content of a namespace under deletion, then removes its finalizer. */
import type { Namespace } from '../resources/core/namespace.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { Infer } from '../schema/model.ts'
import { ownWrite } from './client.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { deletionConditions, discoveryFailure, type Remaining } from './namespace-conditions.ts'
import { deleteContent } from './namespace-content.ts'
import { createWaits } from './namespace-waits.ts'
import { core, eachNamespace } from './namespaced.ts'

type NamespaceFields = Infer<typeof Namespace>

/** Updates the status conditions; returns the updated namespace. */
async function report(context: ControllerContext, namespace: ApiObject, remaining: Remaining): Promise<ApiObject> {
  const conditions = deletionConditions(namespace, remaining, context.platform, context.clock.now())
  if (conditions === undefined) return namespace
  const { status } = namespace as NamespaceFields
  return core(context, 'namespaces').client.update({ ...namespace, status: { ...status, conditions } }, 'status')
}

async function finalize(context: ControllerContext, namespace: ApiObject): Promise<void> {
  const { finalizer } = context.platform
  const { spec = {} } = namespace as NamespaceFields
  const finalizers = (spec.finalizers ?? []).filter((each) => each !== finalizer)
  await core(context, 'namespaces').client.update({ ...namespace, spec: { ...spec, finalizers } }, 'finalize')
}

export const namespaceController: Controller = (context) => {
  const waits = createWaits(context.clock)
  const stop = eachNamespace(
    'namespace',
    async (namespace, again) => {
      const { name = '', deletionTimestamp } = namespace.metadata
      const held = (namespace as NamespaceFields).spec?.finalizers?.includes(context.platform.finalizer)
      if (deletionTimestamp === undefined || !held) return
      waits.pause(name)
      const { left, ...remaining } = await deleteContent(context, name)
      const { resources, failures, undiscovered } = remaining
      const problems = undiscovered.length === 0 ? failures : [discoveryFailure(undiscovered), ...failures]
      const isEmpty = resources.size === 0 && left.length === 0 && problems.length === 0
      const isReported = await ownWrite(async () => {
        const reported = await report(context, namespace, remaining)
        if (isEmpty) await finalize(context, reported)
      })
      if (!isReported || isEmpty) return
      if (problems.length > 0) throw new Error(problems.join(', '))
      waits.wait(name, left, () => again(0))
    },
    waits.forget,
    () => waits.size,
  )(context)
  return () => {
    waits.close()
    stop()
  }
}
