/** Protobuf encoding, decoding and envelope. */
export { decodeProtobuf } from './protobuf-decode.ts'
export { encodeProtobuf, ProtobufEncoder } from './protobuf-encode.ts'
export { decodeEnvelope, type Envelope, encodeEnvelope, encodeObject, isEnvelope } from './protobuf-envelope.ts'
