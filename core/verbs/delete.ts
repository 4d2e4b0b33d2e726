import { forbidden, type Status } from '../answers/status.ts'
import { type Deletion, deleteObject } from '../objects/registry/delete.ts'
import type { DeleteOptions } from '../request/delete-options.ts'
import { readDelete } from './body.ts'
import { deleteUnreadable, ignoresUnreadable } from './delete-unreadable.ts'
import { checkName } from './name.ts'
import { respondEntry, respondStatus } from './respond.ts'
import type { Services, Target, Verb, WriteServices } from './services.ts'
import { type Submission, submitDelete, writeRequest } from './submission.ts'

/** Options for the registry; `orphanDependents` becomes a propagation policy. */
export function registryOptions(given: DeleteOptions) {
  const { dryRun: _dryRun, ignoreStoreReadErrorWithClusterBreakingPotential: _ignore, orphanDependents, ...options } = given
  if (orphanDependents === undefined) return options
  return { ...options, propagationPolicy: orphanDependents ? 'Orphan' : 'Background' } as const
}

/** Deletes one object of the target's resource. */
export function deleteOne(writes: WriteServices, target: Target, options: DeleteOptions, submission: Submission): Promise<Deletion> {
  const { resource, namespace, name } = target
  return deleteObject(resource, namespace, name, registryOptions(options), writeRequest(writes, target, submission))
}

/** DELETE of one object: answers with a Success Status, or with the object while finalizers or its grace period keep it. */
export const deleteVerb =
  ({ bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const options = await readDelete(bodies, target)
    checkName(target)
    if (ignoresUnreadable(writes, options)) return deleteUnreadable({ writes, answers }, target, options)
    const { span } = target.exchange
    span?.event('About to delete object from database')
    const { definition, groupResource } = target.resource
    const why = definition.strategy.undeletable?.(target.name)
    if (why !== undefined) throw forbidden(groupResource, target.name, why)
    const { entry, gone } = await deleteOne(writes, target, options, submitDelete(writes, target, options))
    span?.event('Object deleted from database')
    if (!gone || definition.returnsDeleted)
      return respondEntry(answers, target, entry, gone || options.orphanDependents !== false ? 200 : 202)
    const { metadata } = entry.copy()
    const details: Status['details'] = {
      name: target.name,
      ...(groupResource.group !== '' && { group: groupResource.group }),
      kind: groupResource.resource,
      uid: metadata.uid ?? '',
    }
    return respondStatus(answers, target, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details })
  }
