/**
 * Stored form of a port set: a RangeAllocation whose data is a big-endian number with a bit per taken port, the lowest bit for
 * the first port of the range, as in the reference server. Written as JSON; protobuf can be read.
 */
import { greatest } from '../../../common/lists.ts'
import { RangeAllocation } from '../../../resources/core/rangeallocation.ts'
import { decodeBase64, encodeBase64 } from '../../../schema/formats/base64.ts'
import type { Json, Message } from '../../../schema/model.ts'
import { decodeEnvelope, decodeProtobuf, isEnvelope } from '../../../schema/protobuf/protobuf.ts'
import { type PortRange, PortSet } from './port-set.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

interface Stored {
  readonly range?: string
  readonly data?: string
}

function parse(value: Uint8Array): Stored {
  if (isEnvelope(value)) return decodeProtobuf(RangeAllocation as Message, decodeEnvelope(value).raw) as Stored
  return JSON.parse(decoder.decode(value)) as Stored
}

/** Decodes a port set for the configured range: ports outside of it are dropped. Throws when it is malformed. */
export function readPorts(value: Uint8Array | undefined, range: PortRange): PortSet {
  if (value === undefined) return new PortSet(range)
  const { range: text = '', data = '' } = parse(value)
  const base = Number(text.split('-')[0])
  const bits = decodeBase64(data)
  const taken: number[] = []
  for (let byte = 0; byte < bits.length; byte++) {
    const value = bits[bits.length - 1 - byte] ?? 0
    for (let bit = 0; bit < 8; bit++) if (value & (1 << bit)) taken.push(base + byte * 8 + bit)
  }
  return new PortSet(
    range,
    taken.filter((port) => port >= range.from && port <= range.to),
  )
}

export function printPorts({ range: { from, to }, taken }: PortSet): Uint8Array {
  const highest = greatest(taken, from - 1) - from
  const bits = new Uint8Array(highest < 0 ? 0 : (highest >> 3) + 1)
  for (const port of taken) {
    const at = bits.length - 1 - ((port - from) >> 3)
    bits[at] = (bits[at] ?? 0) | (1 << ((port - from) & 7))
  }
  const object: Json = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: `${from}-${to}`, data: encodeBase64(bits) }
  return encoder.encode(JSON.stringify(object))
}
