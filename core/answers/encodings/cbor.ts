import { cborListStart, encodeCbor, encodeCborItem, encodeEvent } from '../../schema/cbor/encode.ts'
import type { Json } from '../../schema/model.ts'
import type { Encoding } from './encoding.ts'

const nothing = new Uint8Array(0)

/** KEP-4222. Watches are sequences (RFC 8742). */
export const cbor: Encoding = {
  mediaTypes: () => ['application/cbor'],
  isGated: true,
  hasTables: false,
  write: ({ value, schema }) => encodeCbor(value as Json, 'given', schema),
  list: ({ head, member, item, schema, none = [] }) => ({
    start: (_size, count) => cborListStart(head, member, count),
    item: (of) => [encodeCborItem(item(of) as Json, schema)],
    between: nothing,
    end: nothing,
    whole: (items) => (items.length === 0 ? encodeCbor({ ...head, [member]: none }, 'given') : undefined),
  }),
  stream: {
    mediaType: () => 'application/cbor-seq',
    responseType: () => 'application/cbor-seq',
    frame: encodeEvent,
    isText: false,
  },
}
