/** Between keys and values as the port has them and as etcd has them. */
import type { KeyValue, StoreEvent } from '../../../core/ports.ts'
import type { IEvent, IKeyValue } from './client.ts'

/** To etcd this byte means: no end, or, as a key, the very first one. */
export const everything = Buffer.from([0])

export interface KeyRange {
  readonly key: Buffer
  readonly range_end: Buffer
}

/** All keys that start with the prefix, from `from` on. */
export function rangeOf(prefix: string, from = prefix): KeyRange {
  const key = from === '' ? everything : Buffer.from(from)
  if (prefix === '') return { key, range_end: everything }
  const end = Buffer.from(prefix)
  // No byte of UTF-8 is 0xff: the last one can always grow.
  const last = end.length - 1
  end[last] = (end[last] ?? 0) + 1
  return { key, range_end: end }
}

export const keyValueOf = (kv: IKeyValue): KeyValue => ({
  key: kv.key.toString(),
  value: kv.value,
  createRevision: Number(kv.create_revision),
  modRevision: Number(kv.mod_revision),
})

/** The event; undefined when etcd has already forgotten what it replaced. */
export function eventOf({ type, kv, prev_kv }: IEvent): StoreEvent | undefined {
  const previous = prev_kv ? { previous: keyValueOf(prev_kv) } : undefined
  // The wire's names are in capitals, etcd3's types say otherwise.
  if (type.toUpperCase() === 'DELETE') {
    return previous && { type: 'delete', key: kv.key.toString(), revision: Number(kv.mod_revision), ...previous }
  }
  if (previous === undefined && kv.create_revision !== kv.mod_revision) return undefined
  return { type: 'put', kv: keyValueOf(kv), ...previous }
}

export const revisionOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)
