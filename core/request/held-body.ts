import type { LightBody } from './light-request.ts'

/** A body that is completely in memory. */
export class HeldBody implements LightBody {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #read = false

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  get used(): boolean {
    return this.#read
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.whole()
    if (bytes === undefined) throw new TypeError('Body is unusable: it has been read already')
    return bytes
  }

  async within(max: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await this.bytes()
    return bytes.length > max ? undefined : bytes
  }

  whole(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#read || this.#stream?.locked) return undefined
    this.#read = true
    return this.#bytes
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#stream ??= new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          this.#read = true
          controller.enqueue(this.#bytes)
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return this.#stream
  }

  tee(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new HeldBody(this.#bytes).stream()
  }
}
