import { timestamp } from '../../schema/formats/time.ts'
import type { HookContext } from '../../schema/model.ts'
import type { Definition } from './definition-validation.ts'

/** Finalizer of a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.<domain>'

const pending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
}

/** Adds the finalizer and the condition when deletion of a definition starts; no generation change, and no grace period. */
export function holdForInstances(definition: Definition, { platform, now }: HookContext): void {
  const { metadata, status } = definition
  const name = platform.name(cleanupFinalizer)
  if (metadata) {
    delete metadata.deletionGracePeriodSeconds
    if (metadata.generation) metadata.generation--
    if (!metadata.finalizers?.includes(name)) metadata.finalizers = [...(metadata.finalizers ?? []), name]
  }
  const others = (status?.conditions ?? []).filter(({ type }) => type !== pending.type)
  definition.status = { ...status, conditions: [...others, { ...pending, lastTransitionTime: timestamp(now) }] }
}
