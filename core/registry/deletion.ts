/** When an object that is to be deleted really goes: finalizers and grace periods. */
import type { ApiObject, ResourceDefinition } from '../resources/definition.ts'

interface SpecFinalizers {
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/** Finalizers that hold the object, wherever its kind keeps them. */
export function finalizersOf(definition: ResourceDefinition, object: ApiObject): readonly string[] {
  const own = object.metadata.finalizers ?? []
  return definition.specFinalizers ? [...own, ...((object as SpecFinalizers).spec?.finalizers ?? [])] : own
}

/** True when nothing holds a terminating object any longer. */
export function isGone(definition: ResourceDefinition, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizersOf(definition, object).length === 0
}
