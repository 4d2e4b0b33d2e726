import { badRequest, forbidden, noSuchResource } from '../answers/status.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { toStorageVersion } from '../resources/converter.ts'
import type { ApiObject } from '../resources/definition.ts'
import { hookContext } from '../schema/cluster.ts'
import { roughSize } from '../schema/decode-budget.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { requireNamespace } from './name.ts'
import { dropRepeatedOwners } from './owner-references.ts'
import { keepReadable, type Recorder } from './ownership.ts'
import type { Target, WriteServices } from './services.ts'
import type { Submission } from './submission.ts'

/** Admission may change an object, but not its name or namespace, which were authorized. Throws 400. */
function keepPlace(target: Target, object: ApiObject): void {
  const { view, name } = target
  const { metadata } = object
  requireNamespace(target, object)
  if (name !== '' && view.name === '' && metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
}

const definitions = { group: 'apiextensions.<domain>', resource: 'customresourcedefinitions' }

/** An object must not be stored after its definition has gone: it would belong to the next definition of that name. */
function relyOnDefinition({ resource: { definition, groupResource } }: Target, submission: Submission, { metadata }: ApiObject): void {
  const { definedBy } = definition.origin
  if (definedBy === undefined) return
  submission.requireUnchanged(definitions, definedBy.name, definedBy.revision(), (found) => {
    if (found?.metadata.uid !== definedBy.uid) throw noSuchResource()
    if (found?.metadata.deletionTimestamp === undefined) return
    throw forbidden(groupResource, metadata.name ?? '', 'create not allowed while custom resource definition is terminating')
  })
}

/**
 * Completes a client's object: defaults, mutating admission, the version that the server holds. Fields that admission adds have no manager, so `record` runs
 * before it. An applied object has managed fields already; `record` only says whether it is stamped. `known`: the stored object, if what the object shares
 * with it has its defaults.
 */
export function completed(
  writes: WriteServices,
  target: Target,
  object: ApiObject,
  submission: Submission,
  old: ApiObject | undefined,
  record: Recorder,
  known?: ApiObject,
): MaybePromise<ApiObject> {
  const { resource, view } = target
  const { definition } = resource
  const context = hookContext(writes)
  if (definition.closing !== undefined && submission.operation === 'CREATE')
    throw forbidden(resource.groupResource, object.metadata.name ?? '', definition.closing)
  if (submission.operation === 'CREATE') relyOnDefinition(target, submission, object)
  const whole = view.body.schema === definition.schema
  const fill = (each: ApiObject, { schema, strategy }: typeof definition) => {
    applyDefaults(schema, each as Json, context, known as JsonObject | undefined)
    strategy.defaults?.(each as never, context)
  }
  if (whole) fill(object, definition)
  else applyDefaults(view.body.schema, object as Json, context)
  // The defaults of a definition may make a large object of a small one.
  if (definition.origin.definedBy) target.exchange.slices.reads(roughSize(object as Json))
  return then(record(object, old), (isStamped) => {
    if (target.exchange.info.verb !== 'patch') dropRepeatedOwners(target, object, false)
    const owners = object.metadata.managedFields
    const held = whole ? toStorageVersion(definition, object) : object
    const mutated = then(submission.slices.pause(), () => submission.mutate(held, old, isStamped))
    return then(mutated, (admitted) => {
      keepPlace(target, admitted)
      keepReadable(target, admitted, owners)
      dropRepeatedOwners(target, admitted, true)
      if (whole) fill(admitted, resource.store.definition)
      return admitted
    })
  })
}
