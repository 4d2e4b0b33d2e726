import type { StoreEvent } from '../../../core/ports.ts'
import type { RangeRequest } from './messages.ts'

/** As the end of a range: no end; as a key: the first key. */
export const everything = Buffer.from([0])

/** All keys that start with the prefix, from `from` on. */
export function rangeOf(prefix: string, from = prefix): RangeRequest {
  const key = from === '' ? everything : Buffer.from(from)
  if (prefix === '') return { key, rangeEnd: everything }
  const end = Buffer.from(prefix)
  // UTF-8 has no byte 0xff, so the last byte can be incremented.
  const last = end.length - 1
  end[last] = (end[last] ?? 0) + 1
  return { key, rangeEnd: end }
}

export const revisionOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)
