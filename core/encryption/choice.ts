/** Combines transformers: values are read with any of them and written with the first. */
import { concatenate, startsWith } from '../schema/bytes.ts'
import { codeOf, type Direction, unmeasured } from './metrics.ts'
import { aggregated, alwaysStale, type Plain, TransformError, type Transformer } from './transformer.ts'

/** A transformer for values with this prefix; the prefix is removed before it is called. */
export interface Prefixed {
  readonly prefix: string
  readonly transformer: Transformer
}

const encoder = new TextEncoder()

function transformError(error: unknown): TransformError {
  if (error instanceof TransformError) return error
  throw error
}

/** One error for several attempts. */
function combined(errors: readonly TransformError[]): TransformError {
  const [only] = errors
  return errors.length === 1 && only ? only : new TransformError(aggregated(errors.map(({ message }) => message)))
}

/**
 * Reads with the transformers whose prefix matches, in order, until one succeeds; values not written with the first one are stale. Keys in
 * rotation may share a prefix. `unmatched` is the error text when no prefix matches; a failure of a transformer without prefix counts as no
 * match. Each attempt is reported, and a value without a match.
 */
export function byPrefix(first: Prefixed, others: readonly Prefixed[], unmatched: string, { metrics, clock } = unmeasured): Transformer {
  const rows = [first, ...others].map(({ prefix, transformer }) => ({
    prefix: encoder.encode(prefix),
    label: prefix || 'identity',
    transformer,
  }))
  const start = encoder.encode(first.prefix)
  function reporter(resource: string, direction: Direction): (prefix: string, error?: TransformError) => void {
    const began = clock.monotonic()
    return (prefix, error) => {
      metrics.operations.add([resource, direction, prefix, error ? codeOf(error) : 'OK'])
      if (!error) metrics.durations.observe([direction, prefix], (clock.monotonic() - began) / 1000)
    }
  }
  return {
    async fromStored(stored, path, resource = ''): Promise<Plain> {
      const report = reporter(resource, 'from_storage')
      const errors: TransformError[] = []
      for (const [index, { prefix, label, transformer }] of rows.entries()) {
        if (!startsWith(stored, prefix)) continue
        try {
          const { bytes, isStale } = await transformer.fromStored(stored.subarray(prefix.length), path, resource)
          report(label)
          return { bytes, isStale: index > 0 ? alwaysStale : isStale }
        } catch (thrown) {
          const error = transformError(thrown)
          if (prefix.length === 0) continue
          report(label, error)
          errors.push(error)
        }
      }
      if (errors.length > 0) throw combined(errors)
      const error = new TransformError(unmatched)
      report('unknown', error)
      throw error
    },
    async toStored(plain, path, resource = '') {
      const report = reporter(resource, 'to_storage')
      try {
        const stored = await first.transformer.toStored(plain, path, resource)
        report(first.prefix)
        return start.length === 0 ? stored : concatenate([start, stored])
      } catch (error) {
        report(first.prefix, transformError(error))
        throw error
      }
    },
  }
}

/** Reads with the first transformer, or else with the second; then the value is stale. */
export function either(first: Transformer, second: Transformer): Transformer {
  return {
    async fromStored(stored, path) {
      try {
        return await first.fromStored(stored, path)
      } catch (thrown) {
        const error = transformError(thrown)
        try {
          return { ...(await second.fromStored(stored, path)), isStale: alwaysStale }
        } catch (other) {
          throw combined([error, transformError(other)])
        }
      }
    },
    toStored: (plain, path) => first.toStored(plain, path),
  }
}
