import { printJson } from './json/text.ts'
import type { Json } from './model.ts'

/** A value does not match its schema: wrong JSON type, malformed scalar or protobuf bytes, excessive depth. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** A text is not base64. */
export class Base64Error extends DecodeError {
  constructor(at: number) {
    super(`illegal base64 data at input byte ${at}`)
  }
}

/** A value fits its schema, but the reference can't convert it to the version that it works with. */
export class ConversionError extends DecodeError {}

/** A value has another JSON type than its field. */
export class TypeMismatch extends DecodeError {
  readonly value: Json
  /** Go's name of the field's type, such as `map[string]string`. */
  readonly typeName: string
  /** The type decodes itself: the value was read as `typeName`, which is another type. */
  readonly decodesItself: boolean
  /** Go's kind of a named type, such as `string`; `[]` or `map[` for lists and maps; otherwise the type. */
  readonly kind: string
  constructor(message: string, value: Json, typeName: string, decodesItself: boolean, kind: string) {
    super(message)
    this.kind = kind
    this.value = value
    this.typeName = typeName
    this.decodesItself = decodesItself
  }
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

/** The value costs more than its bounds allow. */
export class ExceededBounds extends DecodeError {}
