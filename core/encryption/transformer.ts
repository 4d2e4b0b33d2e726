/** Converts values of one resource to their stored form and back. */
import { shorten } from '../schema/go/shorten.ts'

/** A decrypted value. */
export interface Plain {
  readonly bytes: Uint8Array
  /** True when the stored form is outdated (such as an old encryption key): the next update rewrites it. */
  readonly isStale: () => boolean
}

export const neverStale = () => false
export const alwaysStale = () => true

/**
 * `path`: the value's key in the store, as bytes; with authenticated encryption a value can't be read under another key.
 * `resource`: metrics label; optional. Both methods reject with a TransformError.
 */
export interface Transformer {
  fromStored(stored: Uint8Array, path: Uint8Array, resource?: string): Promise<Plain>
  toStored(plain: Uint8Array, path: Uint8Array, resource?: string): Promise<Uint8Array>
}

/** Maximum characters of an error's text. */
const maxText = 2_048

/**
 * A value can't be encrypted or decrypted. The text is for clients; it contains no part of a key or value, and is shortened, as plugins may say
 * anything. `code` is the name of the plugin's gRPC status.
 */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly code: string
  constructor(message: string, code = 'unknown-non-grpc') {
    super(shorten(message, maxText))
    this.code = code
  }
}

export const tooShort = 'the stored data was shorter than the required size'

/** Joins distinct messages as `[a, b]`; a single message is returned as is. */
export function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/** Web Crypto's types exclude shared memory, which stored values never use. */
export const source = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

export const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
