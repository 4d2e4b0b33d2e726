/** How values of one resource are turned into what is stored, and back. */

/** A stored value, readable again. */
export interface Plain {
  readonly bytes: Uint8Array
  /** Whether it would be stored differently by now, and should be written again. */
  readonly isStale: () => boolean
}

export const neverStale = () => false
export const alwaysStale = () => true

/**
 * `path` is the key of the value in the store, as bytes: what is encrypted with authentication can't be read under another key.
 * `resource` is whose value it is, for who counts; default: nobody's. Both methods reject with a TransformError.
 */
export interface Transformer {
  fromStored(stored: Uint8Array, path: Uint8Array, resource?: string): Promise<Plain>
  toStored(plain: Uint8Array, path: Uint8Array, resource?: string): Promise<Uint8Array>
}

/**
 * A value that can't be read or written. The text is for clients; it holds no part of a key or of the value. `code` is the name of the
 * gRPC status that a plugin answered with.
 */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly code: string
  constructor(message: string, code = 'unknown-non-grpc') {
    super(message)
    this.code = code
  }
}

export const tooShort = 'the stored data was shorter than the required size'

/** One text for several failures, each of them once: `[a, b]`, or the only one as it is. */
export function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/** Web Crypto takes no views of shared memory, which stored values never are. */
export const source = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

export const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
