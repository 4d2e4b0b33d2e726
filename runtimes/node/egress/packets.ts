/** The packets of a konnectivity server's gRPC service (konnectivity-client/proto/client/client.proto). */
import { WireType } from '@bufbuild/protobuf/wire'
import { expectWire, reading, readRecord } from '../../../core/schema/protobuf/records.ts'
import { ProtobufWriter, tagOf } from '../../../core/schema/protobuf/writer.ts'

/** Full name of the method: a stream of packets in both directions. */
export const proxyMethod = '/ProxyService/Proxy'

/** Members of all payloads; zero values are omitted (proto3). */
interface Members {
  readonly protocol: string
  readonly address: string
  /** Chosen by the client: matches a dial and its response. */
  readonly random: bigint
  /** Chosen by the server. */
  readonly connectId: bigint
  readonly error: string
  readonly data: Uint8Array
}

type Member = keyof Members

/** Payload of each type: its field in the packet, and its members in the order of their field numbers, from 1. */
const payloads = {
  dialRequest: { type: 0, field: 2, members: ['protocol', 'address', 'random'] },
  dialResponse: { type: 1, field: 3, members: ['error', 'connectId', 'random'] },
  closeRequest: { type: 2, field: 5, members: ['connectId'] },
  closeResponse: { type: 3, field: 6, members: ['error', 'connectId'] },
  data: { type: 4, field: 4, members: ['connectId', 'error', 'data'] },
  closeDial: { type: 5, field: 7, members: ['random'] },
  drain: { type: 6, field: 8, members: [] },
} as const satisfies { readonly [name: string]: { type: number; field: number; members: readonly Member[] } }

export type PacketType = keyof typeof payloads

/** A packet; members that its type does not have are absent. */
export type Packet = { readonly type: PacketType } & { readonly [M in Member]?: Members[M] }

const names = Object.keys(payloads) as PacketType[]
const { Varint, LengthDelimited } = WireType
const numbers = new Set<Member>(['random', 'connectId'])
const wireOf = (member: Member) => (numbers.has(member) ? Varint : LengthDelimited)

function writeMember(writer: ProtobufWriter, value: string | bigint | Uint8Array): void {
  if (typeof value === 'bigint') writer.int64(value)
  else if (typeof value === 'string') writer.string(value)
  else writer.bytes(value)
}

export function encodePacket({ type, ...values }: Packet): Uint8Array {
  const { type: number, field, members } = payloads[type]
  const writer = new ProtobufWriter(64 + (values.data?.length ?? 0))
  writer.nested(() => {
    for (let index = members.length - 1; index >= 0; index--) {
      const member = members[index] as Member
      const value = values[member]
      if (value === undefined) continue
      writeMember(writer, value)
      writer.uint32(tagOf(index + 1, wireOf(member)))
    }
  })
  writer.uint32(tagOf(field, LengthDelimited))
  writer.int64(number)
  writer.uint32(tagOf(1, Varint))
  return writer.view()
}

/** Data is a view of the given memory. Undefined: a type that is not known. @throws DecodeError when the bytes are malformed. */
export function decodePacket(bytes: Uint8Array): Packet | undefined {
  return reading(bytes, (reader) => {
    let type = 0
    const values: { -readonly [M in Member]?: Members[M] } = {}
    readRecord(reader, bytes.length, (number, wire) => {
      if (number === 1) {
        expectWire(wire, Varint, 'type')
        type = reader.int32()
        return true
      }
      const payload = names.map((name) => payloads[name]).find(({ field }) => field === number)
      if (payload === undefined) return false
      expectWire(wire, LengthDelimited, 'payload')
      readRecord(reader, reader.uint32(), (index, memberWire) => {
        const member: Member | undefined = payload.members[index - 1]
        if (member === undefined) return false
        expectWire(memberWire, wireOf(member), member)
        if (member === 'data') values.data = reader.bytes()
        else if (member === 'random' || member === 'connectId') values[member] = BigInt(reader.int64())
        else values[member] = reader.string()
        return true
      })
      return true
    })
    const name = names.find((each) => payloads[each].type === type)
    return name && { type: name, ...values }
  })
}
