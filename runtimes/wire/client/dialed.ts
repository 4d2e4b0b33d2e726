import { Duplex } from 'node:stream'

type Callback = (error?: Error | null) => void

/** A connection that is still being dialed, as a stream: it emits `connect`, and what is written before waits. */
export class Dialed extends Duplex {
  readonly #connection: Promise<Duplex>
  #open: Duplex | undefined

  constructor(connection: Promise<Duplex>) {
    super()
    this.#connection = connection
    connection.then(
      (open) => this.#use(open),
      (error: Error) => this.destroy(error),
    )
  }

  #use(open: Duplex): void {
    if (this.destroyed) return void open.destroy()
    this.#open = open
    open.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) open.pause()
    })
    open.on('end', () => this.push(null))
    open.on('error', (error) => this.destroy(error))
    open.on('close', () => this.destroy())
    this.emit('connect')
  }

  override _read(): void {
    this.#open?.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    if (this.#open) this.#open.write(chunk, callback)
    else
      this.#connection.then(
        (open) => open.write(chunk, callback),
        (error: Error) => callback(error),
      )
  }

  override _final(callback: Callback): void {
    if (this.#open) this.#open.end(() => callback())
    else callback()
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#open?.destroy()
    callback(error)
  }
}
