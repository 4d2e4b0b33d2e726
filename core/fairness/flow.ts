import type { FlowHeaders } from '../answers/headers.ts'
import type { Level } from './level.ts'
import type { Usage } from './usage.ts'

/** A flow schema as requests are matched with it. */
export interface Schema {
  readonly name: string
  readonly level: Level
  readonly usage: Usage
  readonly headers: FlowHeaders['headers']
}

/** The requests of a schema that are told apart from others: they share a hand of queues. */
export interface Flow {
  readonly schema: Schema
  readonly level: Level
  readonly usage: Usage
  /** User or namespace; empty: all requests of the schema are one flow. */
  readonly distinguisher: string
  /** For responses. */
  readonly headers: FlowHeaders['headers']
  /** Indexes of queues; empty when the level has none. */
  readonly hand: readonly number[]
}
