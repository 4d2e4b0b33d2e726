import { Decoder } from '../hpack/decoder.ts'

export type Headers = ReadonlyMap<string, string>

/** Maximum size in bytes of a cached block; successful responses have few different ones. */
const maxKnownBytes = 256
const maxKnown = 32

/**
 * Decodes with a cache: since this end announces a header table of size zero, equal blocks always have the same meaning.
 */
export class KnownHeaders {
  readonly #decoder = new Decoder({ tableSize: 0 })
  readonly #known = new Map<string, Headers>()

  /**
   * The last value of each name.
   * @throws ConnectionError when the block is malformed.
   */
  decode(block: Buffer): Headers {
    if (block.length > maxKnownBytes) return this.#decoded(block)
    const key = block.toString('latin1')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const headers = this.#decoded(block)
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.set(key, headers)
    return headers
  }

  #decoded(block: Buffer): Headers {
    const { fields } = this.#decoder.decode(block)
    const headers = new Map<string, string>()
    for (let i = 0; i < fields.length; i += 2) headers.set(fields[i] as string, fields[i + 1] as string)
    return headers
  }
}
