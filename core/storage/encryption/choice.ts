/** Transformers made of several: values are read with any of them and written with the first. */
import { startsWith } from '../../schema/bytes.ts'
import { aggregated, alwaysStale, concatenate, type Plain, TransformError, type Transformer } from './transformer.ts'

/** A transformer for values that start with a text, which it does not get to see. */
export interface Prefixed {
  readonly prefix: string
  readonly transformer: Transformer
}

const encoder = new TextEncoder()

const messageOf = (error: unknown) => {
  if (error instanceof TransformError) return error.message
  throw error
}

/**
 * Reads with the first whose prefix fits and that succeeds; a value that was not written with the first one is stale. Where several
 * share a prefix, as keys that are being rotated may, all of them are tried. `unmatched` is the error when no prefix fits; a failure of
 * a transformer without prefix counts as one that does not fit.
 */
export function byPrefix(first: Prefixed, others: readonly Prefixed[], unmatched: string): Transformer {
  const rows = [first, ...others].map(({ prefix, transformer }) => ({ prefix: encoder.encode(prefix), transformer }))
  const start = encoder.encode(first.prefix)
  return {
    async fromStored(stored, path): Promise<Plain> {
      const messages: string[] = []
      for (const [index, { prefix, transformer }] of rows.entries()) {
        if (!startsWith(stored, prefix)) continue
        try {
          const { bytes, isStale } = await transformer.fromStored(stored.subarray(prefix.length), path)
          return { bytes, isStale: index > 0 ? alwaysStale : isStale }
        } catch (error) {
          const message = messageOf(error)
          if (prefix.length > 0) messages.push(message)
        }
      }
      throw new TransformError(messages.length > 0 ? aggregated(messages) : unmatched)
    },
    async toStored(plain, path) {
      const stored = await first.transformer.toStored(plain, path)
      return start.length === 0 ? stored : concatenate(start, stored)
    },
  }
}

/** Reads with the first, else with the second, and then the value is stale. */
export function either(first: Transformer, second: Transformer): Transformer {
  return {
    async fromStored(stored, path) {
      try {
        return await first.fromStored(stored, path)
      } catch (error) {
        const message = messageOf(error)
        try {
          return { ...(await second.fromStored(stored, path)), isStale: alwaysStale }
        } catch (other) {
          throw new TransformError(aggregated([message, messageOf(other)]))
        }
      }
    },
    toStored: (plain, path) => first.toStored(plain, path),
  }
}
