/** Conditions for the final removal of an object: finalizers and grace period. */
import type { ApiObject, ResourceDefinition } from '../resources/definition.ts'

interface SpecFinalizers {
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/** Finalizers of the object in metadata and, for namespaces, in the spec. */
export function finalizersOf(definition: ResourceDefinition, object: ApiObject): readonly string[] {
  const own = object.metadata.finalizers ?? []
  return definition.specFinalizers ? [...own, ...((object as SpecFinalizers).spec?.finalizers ?? [])] : own
}

/** Whether an object under deletion can be removed now. */
export function isGone(definition: ResourceDefinition, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizersOf(definition, object).length === 0
}
