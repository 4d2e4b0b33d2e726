import { printJson } from './json-text.ts'
import type { Json } from './model.ts'

/** Input that is not a value of its schema: wrong JSON types, malformed scalars or protobuf bytes, excessive depth. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** A part of an object within a custom resource that has the wrong type. */
export class PartError extends DecodeError {
  /** Such as `spec.template.metadata`. */
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
