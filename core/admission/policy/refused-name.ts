import type { AdmissionAttributes } from '../attributes.ts'

/** The object's name for error texts, or its generateName. */
export function refusedName({ name, object }: Pick<AdmissionAttributes, 'name' | 'object'>): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown'
}
