/** Protobuf encoding, decoding and envelope. */
export { decodeProtobuf } from './decode.ts'
export { encodeProtobuf, ProtobufEncoder } from './encode.ts'
export { decodeEnvelope, type Envelope, encodeEnvelope, encodeObject, isEnvelope } from './envelope.ts'
