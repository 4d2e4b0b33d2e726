import { ProtobufWriter } from '../../core/schema/protobuf/writer.ts'
import type { Message } from './message.ts'

/** Least bytes of a buffer that is used again. */
const firstShared = 1_024
/** Maximum bytes of a buffer that is kept for the next message, and maximum number of them: as many as clients that read a long range at once. */
const [keptBytes, keptWriters] = [2 * 1024 * 1024, 32]

/** Encodes the messages of responses, in buffers that are used again: new ones for each would cost more than what is written. */
export class MessageWriter {
  #writer = new ProtobufWriter()
  readonly #free: ProtobufWriter[] = []

  /**
   * A message with its prefix: no compression, four bytes of length (PROTOCOL-HTTP2.md of grpc/grpc). It is valid until the next one is encoded,
   * unless `lend` is called before. `size`: about how many bytes it has, so that its buffer does not grow step by step.
   */
  message<V>({ write }: Message<unknown, V>, value: V, size = 0): Uint8Array {
    const writer = this.#writer
    writer.reset(keptBytes, Math.max(size, firstShared))
    write(writer, value)
    const { length } = writer
    writer.raw([0, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff])
    return writer.view()
  }

  /** The last message remains valid until the returned function is called. */
  lend(): () => void {
    const lent = this.#writer
    this.#writer = this.#free.pop() ?? new ProtobufWriter()
    return () => {
      if (this.#free.length < keptWriters) this.#free.push(lent)
    }
  }
}
