import type { RangeRequest, WatchEvent } from './messages.ts'

/** To etcd this byte means: no end, or, as a key, the very first one. */
export const everything = Buffer.from([0])

/** All keys that start with the prefix, from `from` on. */
export function rangeOf(prefix: string, from = prefix): RangeRequest {
  const key = from === '' ? everything : Buffer.from(from)
  if (prefix === '') return { key, rangeEnd: everything }
  const end = Buffer.from(prefix)
  // No byte of UTF-8 is 0xff: the last one can always grow.
  const last = end.length - 1
  end[last] = (end[last] ?? 0) + 1
  return { key, rangeEnd: end }
}

export const revisionOf = (event: WatchEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)
