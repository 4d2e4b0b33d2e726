import type { AdmissionOperation } from '../admission/attributes.ts'
import type { ApiObject } from '../resources/definition.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { Json } from '../schema/model.ts'
import { keepReadable, type Recorder } from './ownership.ts'
import { admissionAttributes, hookContext, type Target } from './services.ts'

/**
 * What a client sent, with all defaults, in the stored version, after mutating admission. What admission adds has no owner: `record` comes
 * before it; absent: the owners are in the object already.
 */
export async function completed(
  target: Target,
  object: ApiObject,
  operation: AdmissionOperation,
  dryRun: boolean,
  old: ApiObject | undefined,
  record?: Recorder,
): Promise<ApiObject> {
  const { services, resource, view } = target
  const { definition } = resource
  const context = hookContext(services)
  const whole = view.body.schema === definition.schema
  const fill = (each: ApiObject, { schema, strategy }: typeof definition) => {
    applyDefaults(schema, each as Json, context)
    strategy.defaults?.(each as never, context)
  }
  if (whole) fill(object, definition)
  else applyDefaults(view.body.schema, object as Json, context)
  record?.(object, old)
  const owners = object.metadata.managedFields
  const stored = whole && definition.storage ? definition.storage.toStored(object) : object
  await services.admission.mutate(admissionAttributes(target, operation, dryRun, stored, old))
  keepReadable(target, stored, owners)
  if (whole) fill(stored, resource.store.definition)
  return stored
}
