import { BinaryWriter } from '@bufbuild/protobuf/wire'

const encoder = new TextEncoder()
const end = encoder.encode('}\n')
const starts = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [type, encoder.encode(`{"type":"${type}","object":`)] as const),
)

/** One line of a JSON watch: `{"type":…,"object":…}`. */
export function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  const start = starts.get(type)!
  const frame = new Uint8Array(start.length + object.length + end.length)
  frame.set(start)
  frame.set(object, start.length)
  frame.set(end, start.length + object.length)
  return frame
}

/** One frame of a protobuf watch: four bytes of length (big-endian), then a WatchEvent {1: type, 2: {1: object with envelope}}. */
export function protobufFrame(type: string, object: Uint8Array): Uint8Array {
  const extension = new BinaryWriter().uint32(0x0a).bytes(object).finish()
  const event = new BinaryWriter().uint32(0x0a).string(type).uint32(0x12).bytes(extension).finish()
  const frame = new Uint8Array(4 + event.length)
  new DataView(frame.buffer).setUint32(0, event.length)
  frame.set(event, 4)
  return frame
}
