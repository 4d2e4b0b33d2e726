/** Repeated owner references: they are dropped, and the client is warned. */
import type { ApiObject } from '../resources/definition.ts'
import type { Target } from './services.ts'

/** @param afterAdmission mutating admission has run, which may have added them. */
export function dropRepeatedOwners({ exchange }: Target, { metadata }: ApiObject, afterAdmission: boolean): void {
  const { ownerReferences = [] } = metadata
  if (ownerReferences.length < 2) return
  // Equal references have equal texts: their fields are in the order of the schema.
  const seen = new Set<string>()
  const isNew = (owner: object) => seen.size < seen.add(JSON.stringify(owner)).size
  const kept: typeof ownerReferences = []
  const repeated: string[] = []
  for (const owner of ownerReferences) {
    if (isNew(owner)) kept.push(owner)
    else repeated.push(owner.uid)
  }
  if (repeated.length === 0) return
  metadata.ownerReferences = kept
  exchange.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${afterAdmission ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  )
}
