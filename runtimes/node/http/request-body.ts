import { Readable } from 'node:stream'

/** Bytes of an unread request body that are thrown away, so that the client gets to read the answer; beyond, it is cut off. */
const discardLimit = 16 * 1024 * 1024
const discardMilliseconds = 5000

const cutOff = () => new Error('the client closed the connection before the end of the request')

/** The body of an incoming message: read as a stream or as a whole, once, and only when asked for. */
export class RequestBody {
  readonly #readable: Readable
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #collected = false
  #teed = false
  #detach: (() => void) | undefined

  constructor(readable: Readable) {
    this.#readable = readable
  }

  /** Whether somebody has started to read it. */
  get used(): boolean {
    return this.#collected || (this.#stream !== undefined && Readable.isDisturbed(this.#stream as unknown as NodeJS.ReadableStream))
  }

  /** Pulls from the socket only what the consumer asks for. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.#stream !== undefined) return this.#stream
    if (this.#collected) {
      this.#stream = new ReadableStream({ start: (controller) => controller.close() })
      this.#stream.getReader()
      return this.#stream
    }
    this.#stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#listen(
            (chunk) => {
              this.#readable.pause()
              controller.enqueue(chunk)
            },
            () => controller.close(),
            (error) => controller.error(error),
          )
          this.#readable.pause()
        },
        pull: () => {
          this.#readable.resume()
        },
        cancel: () => this.#detach?.(),
      },
      { highWaterMark: 0 },
    )
    return this.#stream
  }

  /** A second reader's copy. Both are held in memory as far as one is ahead of the other. */
  tee(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [own, other] = this.stream().tee()
    this.#stream = own
    this.#teed = true
    return other
  }

  /** The whole body. Rejects when the client goes away before its end, and when it has been read before. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.used || this.#stream?.locked) throw new TypeError('Body is unusable: it has been read already')
    const chunks: Uint8Array<ArrayBuffer>[] = []
    if (this.#teed && this.#stream !== undefined) {
      for await (const chunk of this.#stream) chunks.push(chunk)
    } else {
      this.#collected = true
      // Past a stream that was looked at and never read: straight from the socket.
      this.#detach?.()
      this.#stream?.getReader()
      await this.#collect(chunks)
    }
    return chunks.length === 1 ? (chunks[0] as Uint8Array<ArrayBuffer>) : Buffer.concat(chunks)
  }

  /** Listeners are left where they are: nothing follows the end. */
  #collect(chunks: Uint8Array<ArrayBuffer>[]): Promise<void> {
    const readable = this.#readable
    return new Promise((resolve, reject) => {
      const closed = () => (readable.readableEnded ? resolve() : reject(cutOff()))
      if (readable.readableEnded || readable.destroyed) closed()
      else {
        readable.on('data', (chunk) => chunks.push(chunk))
        readable.on('end', resolve).on('error', reject).on('close', closed).resume()
      }
    })
  }

  /** Throws away what nobody has read, up to a bound; then, or when it takes too long, calls `excess`. */
  discard(excess: () => void): void {
    const readable = this.#readable
    this.#detach?.()
    if (readable.readableEnded || readable.destroyed) return
    let left = discardLimit
    const timer = setTimeout(excess, discardMilliseconds).unref()
    const stop = () => {
      clearTimeout(timer)
      readable.off('data', count)
    }
    const count = (chunk: Uint8Array) => {
      left -= chunk.length
      if (left >= 0) return
      stop()
      excess()
    }
    readable.on('data', count)
    readable.once('close', stop)
    readable.once('end', stop)
    readable.on('error', stop)
    readable.resume()
  }

  #listen(data: (chunk: Uint8Array<ArrayBuffer>) => void, end: () => void, fail: (error: Error) => void): void {
    const readable = this.#readable
    const closed = () => failed(cutOff())
    const ended = () => {
      this.#detach?.()
      end()
    }
    const failed = (error: Error) => {
      this.#detach?.()
      fail(error)
    }
    this.#detach = () => {
      this.#detach = undefined
      readable.off('data', data)
      readable.off('end', ended)
      readable.off('error', failed)
      readable.off('close', closed)
    }
    if (readable.readableEnded) ended()
    else if (readable.destroyed) closed()
    else readable.on('data', data).on('end', ended).on('error', failed).on('close', closed)
  }
}
