/** Conditions for the final removal of an object: finalizers and grace period. */
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'

interface SpecFinalizers {
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/** Finalizers in the spec, which namespaces have. */
export const specFinalizersOf = ({ specFinalizers }: ResourceDefinition, object: ApiObject): readonly string[] =>
  specFinalizers ? ((object as SpecFinalizers).spec?.finalizers ?? []) : []

/** Finalizers of the object in metadata and, for namespaces, in the spec. */
const finalizersOf = (definition: ResourceDefinition, object: ApiObject): readonly string[] => [
  ...(object.metadata.finalizers ?? []),
  ...specFinalizersOf(definition, object),
]

/** Whether an object under deletion can be removed now. */
export function isGone(definition: ResourceDefinition, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizersOf(definition, object).length === 0
}
