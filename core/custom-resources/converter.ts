/** How the objects of a definition get from one version to another (reference: pkg/apiserver/conversion). */
import type { Platform } from '../platform.ts'
import type { Clock, Outbound } from '../ports.ts'
import type { ApiObject, Converter } from '../resources/definition.ts'
import type { Definition } from './definition.ts'

export interface ConverterContext {
  readonly outbound: Outbound
  readonly clock: Clock
  readonly platform: Platform
}

/** Strategy None: versions differ in their name, and in what their schemas leave out. */
const relabelling: Converter = {
  convert: (objects: readonly ApiObject[], apiVersion: string) => objects.map((object) => ({ ...object, apiVersion })),
}

export function converterOf(_definition: Definition, _context: ConverterContext): Converter {
  return relabelling
}
