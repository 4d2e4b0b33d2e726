import { printJson } from './json-text.ts'
import type { Json } from './model.ts'

/** A value does not match its schema: wrong JSON type, malformed scalar or protobuf bytes, excessive depth. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** An embedded object in a custom resource has the wrong type. */
export class PartError extends DecodeError {
  /** Path such as `spec.template.metadata`. */
  readonly field: string
  readonly value: Json
  readonly detail: string
  constructor(field: string, value: Json, detail: string) {
    super(`${field}: Invalid value: ${printJson(value)}: ${detail}`)
    this.field = field
    this.value = value
    this.detail = detail
  }
}
