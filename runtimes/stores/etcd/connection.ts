import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import { CallError, type Clock } from '../../../core/ports.ts'
import { notConnected, unavailable } from './errors.ts'

/** PEM texts. */
export interface TlsOptions {
  /** Absent: the host's roots. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** Milliseconds. etcd refuses clients that ping more often than every five seconds, or when they have no call under way. */
const connectTimeout = 5_000
const pingInterval = 10_000
const pingTimeout = 5_000
/** Bytes that may come before they are acknowledged. */
const windowSize = 4 * 1024 * 1024

/** One HTTP/2 connection to a member, kept alive by pings while there are streams on it. */
export class Connection {
  readonly #session: ClientHttp2Session
  readonly #clock: Clock
  #connected = false
  #streams = 0
  #cancelPing: (() => void) | undefined
  #ended = false

  /** `server` is a URL of http or https. */
  constructor(server: string, tls: TlsOptions, clock: Clock) {
    this.#clock = clock
    const session = connect(server, { ...tls, settings: { enablePush: false, initialWindowSize: windowSize } })
    this.#session = session
    const cancelTimeout = clock.after(connectTimeout, () => session.destroy(new Error('it takes too long')))
    const end = () => {
      this.#ended = true
    }
    session.once('connect', () => {
      cancelTimeout()
      this.#connected = true
      session.setLocalWindowSize(windowSize)
    })
    session.once('goaway', end)
    // Its streams are told; without any there is nobody to tell.
    session.on('error', end)
    session.once('close', () => {
      end()
      cancelTimeout()
      this.#cancelPing?.()
    })
  }

  /** Takes no more streams. */
  get ended(): boolean {
    return this.#ended || this.#session.destroyed
  }

  open(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers)
    this.#streams++
    this.#cancelPing ??= this.#clock.after(pingInterval, () => this.#ping())
    stream.once('close', () => {
      this.#streams--
    })
    return stream
  }

  /** What the error of a stream says about its call. */
  failureOf(stream: ClientHttp2Stream, error: Error): CallError {
    const { message } = error.cause instanceof Error ? error.cause : error
    const seen = this.#connected && stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM
    return new CallError(unavailable, seen ? message : `${notConnected}: ${message}`)
  }

  /** Waits for the streams that are open. */
  close(): void {
    this.#ended = true
    this.#session.close()
  }

  /** A member that is cut off does not say so. */
  #ping(): void {
    this.#cancelPing = undefined
    if (this.#session.destroyed || this.#streams === 0) return
    const cancelTimeout = this.#clock.after(pingTimeout, () => this.#session.destroy(new Error('the member does not answer pings')))
    this.#session.ping(cancelTimeout)
    this.#cancelPing = this.#clock.after(pingInterval, () => this.#ping())
  }
}
