/** The messages of the measured calls. */
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { CallError } from '../../../core/ports.ts'
import { Messages } from '../../../runtimes/wire/client/messages.ts'

const prefix = '/registry/configmaps/default/'
/** Number of keys, and bytes of a value. */
export const keys = 1_000
const valueBytes = 1_000

/** One of the measured calls. */
export type Operation = 'put' | 'get' | 'range' | 'txn'

const nameOf = (index: number) => `${prefix}object-${String(index).padStart(6, '0')}`
const value = Buffer.alloc(valueBytes, 'x')

const fieldTag = (number: number, wire: number) => (number << 3) | wire
const bytes = (writer: BinaryWriter, number: number, content: Uint8Array | string) =>
  writer.uint32(fieldTag(number, 2)).bytes(typeof content === 'string' ? Buffer.from(content) : content)
const number = (writer: BinaryWriter, field: number, content: number) => writer.uint32(fieldTag(field, 0)).int64(content)
const message = (write: (writer: BinaryWriter) => void): Uint8Array => {
  const writer = new BinaryWriter()
  write(writer)
  return writer.finish()
}

const put = (key: string) => message((writer) => bytes(bytes(writer, 1, key), 2, value))
const get = (key: string) => message((writer) => bytes(writer, 1, key))
const wholeRange = () => message((writer) => bytes(bytes(writer, 1, prefix), 2, `${prefix.slice(0, -1)}0`))

/** As the client of kube-apiserver: a put if the key is as it was, otherwise a read. It is, so it puts. */
const txn = (key: string) =>
  message((writer) => {
    const [version, greater] = [0, 1]
    bytes(
      writer,
      1,
      message((compare) => number(bytes(number(number(compare, 1, greater), 2, version), 3, key), 4, 0)),
    )
    bytes(
      writer,
      2,
      message((op) => bytes(op, 2, put(key))),
    )
    bytes(
      writer,
      3,
      message((op) => bytes(op, 1, get(key))),
    )
  })

const each = (make: (key: string) => Uint8Array) => Array.from({ length: keys }, (_, index) => make(nameOf(index)))

export function requestsOf(operation: Operation): { readonly path: string; readonly messages: readonly Uint8Array[] } {
  const made = {
    put: () => ({ path: '/etcdserverpb.KV/Put', messages: each(put) }),
    get: () => ({ path: '/etcdserverpb.KV/Range', messages: each(get) }),
    range: () => ({ path: '/etcdserverpb.KV/Range', messages: [wholeRange()] }),
    txn: () => ({ path: '/etcdserverpb.KV/Txn', messages: each(txn) }),
  }
  return made[operation]()
}

/** A watch of all keys. */
export const watchRequest = (): Uint8Array => message((writer) => bytes(writer, 1, wholeRange()))

const eventTag = fieldTag(11, 2)
const createdTag = fieldTag(3, 0)

/** Takes the bytes of a watch's stream. `created` is called for the first response, `delivered` with the number of events of each other one. */
export function eventsIn(created: () => void, delivered: (events: number) => void): (bytes: Buffer) => void {
  const messages = new Messages(1024 ** 3)
  return (received) => {
    const found = messages.take(received)
    if (found instanceof CallError) throw found
    for (const each of found) {
      const reader = new BinaryReader(each)
      let events = 0
      while (reader.pos < reader.len) {
        const tag = reader.uint32()
        if (tag === eventTag) events++
        if (tag === createdTag) created()
        const number = reader.uint64()
        if (tag % 8 === 2) reader.pos += Number(number)
      }
      if (events > 0) delivered(events)
    }
  }
}
