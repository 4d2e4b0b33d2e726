import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import type { DefinitionSource } from '../served.ts'

/** Info section of the documents. */
export interface ApiInfo {
  readonly title: string
  /** Release of the server, such as `v1.36.0`. */
  readonly version: string
}

export interface OpenApiOptions {
  readonly served: DefinitionSource
  readonly platform: Platform
  readonly info: ApiInfo
  /** Whether fields of built-in types list their enum values (gate OpenAPIEnums). */
  readonly enums: boolean
  readonly clock: Clock
}
