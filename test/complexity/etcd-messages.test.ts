/** Messages of etcd's protocol with as many occurrences of each field as there is room for, in protobuf and in JSON. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { bytesOfJson, jsonOfBytes } from '../../runtimes/etcd-server/json.ts'
import { type AnyMessage, decode, type JsonType, type Row } from '../../runtimes/etcd-server/message.ts'
import * as messages from '../../runtimes/etcd-server/messages.ts'
import { faultsOf, type Prepare } from '../support/growth.ts'

const isMessage = (value: unknown): value is AnyMessage => typeof value === 'object' && value !== null && 'rows' in value
const requests = Object.values(messages as { readonly [name: string]: unknown })
  .filter(isMessage)
  .filter(({ name }) => name.endsWith('Request'))

const wireOf = (type: JsonType) =>
  typeof type === 'function' || type === 'bytes' || type === 'string' ? WireType.LengthDelimited : WireType.Varint

/** Ways from a message to each field of it, and of messages in it, none of them twice. */
function* waysOf({ rows }: AnyMessage, way: readonly Row[] = []): Generator<readonly Row[]> {
  for (const row of rows) {
    yield [...way, row]
    if (typeof row.type === 'function' && !way.some(({ type }) => type === row.type)) yield* waysOf(row.type(), [...way, row])
  }
}

/** A message with the last field of the way so often that it has about this many bytes, each with its default value. */
function messageOf(way: readonly Row[], bytes: number): Uint8Array {
  const [row, ...rest] = way as readonly [Row, ...Row[]]
  const writer = new BinaryWriter()
  if (rest.length > 0) return writer.tag(row.number, WireType.LengthDelimited).bytes(messageOf(rest, bytes)).finish()
  for (let size = 0; size < bytes; size += 2) {
    writer.tag(row.number, wireOf(row.type))
    writer.uint32(0)
  }
  return writer.finish()
}

/** Reads it, as it comes over gRPC; and as JSON, which has a list of it. */
const works = requests.flatMap((request) =>
  [...waysOf(request)].flatMap((way): (readonly [string, Prepare])[] => {
    const name = [request.name, ...way.map(({ names: [name] }) => name)].join('.')
    return [
      [
        name,
        (bytes) => {
          const message = messageOf(way, bytes)
          return { bytes: message.length, work: () => decode(request as never, message) }
        },
      ],
      [
        `${name} in JSON`,
        (bytes) => {
          const json = jsonOfBytes(request, messageOf(way, bytes / 4))
          return { bytes, work: () => bytesOfJson(request, json) }
        },
      ],
    ]
  }),
)

test('fields that are repeated', async () => {
  assert.ok(works.length > 100, `${works.length} works`)
  assert.deepEqual(await faultsOf(works), [])
})
