import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import type { DefinitionSource } from '../served.ts'

/** What the documents say about themselves. */
export interface ApiInfo {
  readonly title: string
  /** Release of the server, such as `v1.36.0`. */
  readonly version: string
}

export interface OpenApiOptions {
  readonly served: DefinitionSource
  readonly platform: Platform
  readonly info: ApiInfo
  /** Whether documents say which values a field of a built-in type may have (gate OpenAPIEnums). */
  readonly enums: boolean
  readonly clock: Clock
}
