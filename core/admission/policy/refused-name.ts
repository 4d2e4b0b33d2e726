import type { AdmissionAttributes } from '../attributes.ts'

/** The name in the refusal of a request: one that is to be generated is told by its beginning. */
export function refusedName({ name, object }: Pick<AdmissionAttributes, 'name' | 'object'>): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown'
}
