/**
 * DELETE of an object whose stored value is unreadable (KEP-3926): without preconditions, finalizers and admission, because its content is
 * unknown. Requires permission for this verb in addition to `delete`.
 */
import { attributesOf } from '../access/authz/authorizer.ts'
import { forbidden, invalid } from '../answers/status.ts'
import { removeUnreadable } from '../objects/registry/delete-unreadable.ts'
import type { Platform } from '../platform.ts'
import type { DeleteOptions } from '../request/delete-options.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import { respondStatus } from './respond.ts'
import type { Services, Target, WriteServices } from './services.ts'

const verb = 'unsafe-delete-ignore-read-errors'
const option = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const path = FieldPath.of(option)
/** Options that can't be combined with it. */
const others = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const

/** Whether the client sets the option and the feature gate AllowUnsafeMalformedObjectDeletion is on. */
export function ignoresUnreadable({ settings }: WriteServices, options: DeleteOptions): boolean {
  return options[option] === true && settings.enabled('AllowUnsafeMalformedObjectDeletion')
}

/** Error for the option in a deletecollection request. */
export function notForCollections(platform: Platform): Error {
  return refusal(platform, 'is not allowed with DELETECOLLECTION, try again after removing the option')
}

function refusal(platform: Platform, ...details: readonly string[]): Error {
  const errors = new FieldErrors()
  for (const detail of details) errors.invalid(path, true, detail)
  return invalid({ group: platform.name('meta.<domain>'), kind: 'DeleteOptions' }, '', errors.list)
}

async function authorize({ authorizer }: WriteServices, { exchange, resource }: Target): Promise<void> {
  const { groupResource } = resource
  const { name } = exchange.info
  const { verdict, reason, error } = await authorizer.authorize(attributesOf(exchange.user, { ...exchange.info, verb }), exchange)
  if (verdict === 'allow') return
  if (error !== undefined) throw forbidden(groupResource, name, `error while checking permission for "${verb}", ${error}`)
  throw forbidden(groupResource, name, `not permitted to do "${verb}", reason: ${reason}`)
}

/** Throws 404, 403, 422, and 409 when the object is readable. */
export async function deleteUnreadable(
  { writes, answers }: Pick<Services, 'writes' | 'answers'>,
  target: Target,
  options: DeleteOptions,
): Promise<Response> {
  const { exchange, resource, namespace, name } = target
  const set = others.filter((each) => options[each] !== undefined)
  if (set.length > 0) throw refusal(writes.platform, ...set.map((each) => `cannot be set together with .${each}`))
  exchange.annotations.set(writes.platform.name('apiserver.<domain>/unsafe-delete-ignore-read-error'), '')
  await authorize(writes, target)
  writes.logger.info({ resource: resource.groupResource, namespace, name }, 'deleting an object that cannot be read')
  await removeUnreadable(resource, namespace, name, options.dryRun)
  const details = { name, kind: resource.definition.kind }
  return respondStatus(answers, target, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 })
}
