/** Input that is not a value of its schema: wrong JSON types, malformed scalars or protobuf bytes, excessive depth. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}
