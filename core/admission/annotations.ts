import { formats } from '../schema/formats/formats.ts'

/**
 * Adds an audit annotation. As in the reference, keys must have the form `DOMAIN/NAME` and existing values are not overwritten; other
 * annotations are dropped (admission/attributes.go).
 */
export function addAnnotation(annotations: Map<string, string>, key: string, value: string): void {
  const wellFormed = key.split('/').length === 2 && formats.qualifiedName(key).length === 0
  if (wellFormed && !annotations.has(key)) annotations.set(key, value)
}
