/** Deletes the objects of a definition under deletion, then removes its finalizer (reference: pkg/controller/finalizer). */

import { ApiError } from '../../answers/status.ts'
import type { Pauses } from '../../common/slices.ts'
import { deleteObject } from '../../objects/registry/delete.ts'
import { ownRequest } from '../../objects/registry/request.ts'
import type { ServedResource } from '../../objects/registry/served.ts'
import { cleanupFinalizer } from '../../resources/apiextensions/definition-deletion.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { HookContext } from '../../schema/model.ts'
import type { ResourceClient } from '../client.ts'
import { conditionOf, type Definition, isTrue, matchesObservation, type Observation, withCondition } from './definition.ts'

/** Milliseconds between checks of objects with finalizers, and until the condition reports remaining objects. */
const lookAgain = 250
const drainTimeout = 60_000

export interface FinalizerContext {
  readonly pauses: Pauses
  readonly definitions: ResourceClient
  readonly hooks: () => HookContext
  /** The objects of a definition; undefined while it is not served. */
  stored(name: string): ServedResource | undefined
  /** Whether its objects would be stored below the keys of other resources. */
  overlaps(definition: Definition): boolean
}

const terminating = (status: 'True' | 'False', reason: string, message: string): Observation => ({
  type: 'Terminating',
  status,
  reason,
  message,
})

/** Deletes all objects that can be deleted; resolves to the number of remaining ones. */
async function deleteInstances(resource: ServedResource, { hooks, pauses }: Pick<FinalizerContext, 'hooks' | 'pauses'>): Promise<number> {
  const { store } = resource
  const slices = pauses.sharedSlices()
  const failures: string[] = []
  for (const { namespace, name } of (await store.list({ namespace: '' })).entries) {
    if (slices.over) await slices.next()
    try {
      await deleteObject(resource, namespace, name, {}, ownRequest(hooks()))
    } catch (error) {
      if (!(error instanceof ApiError && error.status.reason === 'NotFound')) failures.push(messageOf(error))
    }
  }
  if (failures.length > 0)
    throw new Error(`could not issue all deletes: ${failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`}`)
  return (await store.list({ namespace: '' })).entries.length
}

/**
 * Advances the deletion of a definition; resolves to milliseconds until the next step, or undefined. Rejects when a step failed, which is then
 * tried again.
 */
export async function finalize(
  definition: Definition,
  { definitions, hooks, pauses, stored, overlaps }: FinalizerContext,
): Promise<number | undefined> {
  const { name = '', deletionTimestamp, finalizers = [] } = definition.metadata ?? {}
  const own = hooks().platform.name(cleanupFinalizer)
  if (deletionTimestamp === undefined || !finalizers.includes(own)) return undefined
  let current = definition

  async function report(observation: Observation): Promise<void> {
    if (matchesObservation(conditionOf(current, observation.type), observation)) return
    const { resourceVersion } = current.metadata ?? {}
    const conditions = withCondition(current.status?.conditions ?? [], observation, hooks().now)
    current = (await definitions.mergePatch(
      '',
      name,
      { metadata: { resourceVersion }, status: { conditions } },
      'status',
    )) as unknown as Definition
  }

  async function release(observation: Observation): Promise<undefined> {
    await report(observation)
    const { resourceVersion } = current.metadata ?? {}
    const left = (current.metadata?.finalizers ?? []).filter((each) => each !== own)
    await definitions.mergePatch('', name, { metadata: { resourceVersion, finalizers: left.length > 0 ? left : null } })
    return undefined
  }

  if (overlaps(definition))
    return await release(terminating('False', 'OverlappingBuiltInResource', 'instances overlap with built-in resources in storage'))
  if (!isTrue(definition, 'Established')) return await release(terminating('False', 'NeverEstablished', 'resource was never established'))
  const resource = stored(name)
  // Another server has established it: its objects would be left in the store, for the next definition of this name.
  if (resource === undefined) throw new Error('the objects of the definition are not served here yet')
  const since = conditionOf(definition, 'Terminating')?.lastTransitionTime
  const late = since !== undefined && hooks().now - Date.parse(since) > drainTimeout
  if (!late) await report(terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'))
  let left: number
  try {
    left = await deleteInstances(resource, { hooks, pauses })
  } catch (error) {
    await report(terminating('True', 'InstanceDeletionFailed', messageOf(error)))
    throw error
  }
  if (left === 0) return await release(terminating('False', 'InstanceDeletionCompleted', 'removed all instances'))
  const timedOut = 'could not confirm zero CustomResources remaining: timed out waiting for the condition'
  if (late) await report(terminating('True', 'InstanceDeletionCheck', timedOut))
  return lookAgain
}
