import { withLineFeed } from '../schema/bytes.ts'
import type { Encodable } from './encodings/encoding.ts'
import { encodings, type Format } from './encodings/index.ts'

export type { Encodable } from './encodings/encoding.ts'
export type { Format } from './encodings/index.ts'
export { jsonText } from './encodings/json.ts'

/** Encodes an object, list or Status in the negotiated format. Throws 500 for what the format can't hold. */
export const encode = (content: Encodable, format: Format, pretty: boolean): Uint8Array => encodings[format].write(content, pretty)

/** As `encode`, for the body of a response. */
export function encodeBody(content: Encodable, format: Format, pretty: boolean): Uint8Array {
  const bytes = encode(content, format, pretty)
  return format === 'json' && !pretty ? withLineFeed(bytes) : bytes
}

/** The Content-Type of the result of `encode`. */
export const contentType = ({ format, mediaType }: { readonly format: Format; readonly mediaType: string }, hasSchema: boolean): string =>
  encodings[format].needsSchema && !hasSchema ? 'application/json' : mediaType
