import type { Platform } from '../../platform.ts'
import type { Message } from '../../schema/model.ts'
import type { ListParts, ListValue } from '../list-parts.ts'

/** A value with the schema of its protobuf and CBOR forms. */
export interface Encodable {
  /** Some lists of discovery have no apiVersion. */
  readonly value: { readonly kind: string; readonly apiVersion?: string }
  readonly schema: Message | undefined
}

/** How the events of a watch leave. */
export interface StreamEncoding {
  /** The media type of a watch in errors and documents, for the encoding's own. */
  mediaType(mediaType: string): string
  /** The Content-Type of a watch, for the negotiated media type. */
  responseType(mediaType: string): string
  /** Bytes of one event in the body of a response; `object`: what `write` or a renderer has made. */
  frame(type: string, object: Uint8Array): Uint8Array
  /** Bytes of one event in a message of a WebSocket, which has a length of its own; absent: as in a body. */
  message?(type: string, object: Uint8Array): Uint8Array
  /** Whether messages are text. */
  readonly isText: boolean
}

/** An encoding of answers: everything that is special about it. Negotiation, errors, discovery and OpenAPI derive from its row in `index.ts`. */
export interface Encoding {
  /** Media types that select it; errors and documents name the first one. */
  mediaTypes(platform: Platform): readonly [own: string, ...others: string[]]
  /** Served with the feature gate CBORServingAndStorage only, and not for errors that no resource has caused. */
  readonly isGated?: true
  /** Values need a schema; those without one are written as JSON, and custom resources are not offered in it. */
  readonly needsSchema?: true
  /** Whether Tables can be requested in it. */
  readonly hasTables: boolean
  /** An object, list or Status. Throws an ApiError for what the encoding can't hold. `pretty`: with indentation, if it has that. */
  write(content: Encodable, pretty: boolean): Uint8Array
  /** A list of values. Absent: objects and lists are made of messages, from stored bytes (`ProtobufEncoder`). */
  list?<T>(list: ListValue<T>, pretty: boolean): ListParts<T>
  /** Absent: watches have no such form. */
  readonly stream?: StreamEncoding
}
