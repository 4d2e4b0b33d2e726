import type { Pauses } from '../../common/slices.ts'
import type { Platform } from '../../platform.ts'
import type { PublishedPaths } from '../published-path.ts'
import type { ServedGroups } from '../served.ts'

/** Info section of the documents. */
export interface ApiInfo {
  readonly title: string
  /** Release of the server, such as `1.36`. */
  readonly version: string
}

/** What the documents about the resources that this server serves itself are made of. */
export interface OpenApiOptions {
  readonly served: ServedGroups
  readonly platform: Platform
  readonly info: ApiInfo
  /** Whether fields of built-in types list their enum values (gate OpenAPIEnums). */
  readonly enums: boolean
  /** Whether CBOR is served (KEP-4222). */
  readonly cbor?: boolean
  /** Fixed paths outside of groups. */
  readonly others: PublishedPaths
  /** Slices of building documents, which takes seconds with a thousand custom resources. */
  readonly pauses: Pauses
}
