/** Limits of a connection: one row each, with the source of the number. */
import { defaultTableSize } from '../hpack/dynamic-table.ts'

const MiB = 1024 * 1024

export const limits = {
  /** Size in bytes of the dynamic table for requests: the default. */
  headerTable: defaultTableSize,
  /**
   * Maximum bytes (net/http's default) and fields of one header list; beyond them the response is 431. net/http's bytes, with 32 for each field over
   * HTTP/2, permit some 16,000 groups to impersonate.
   */
  headerBytes: MiB,
  headerFields: 16_000,
  /** Maximum bytes of a header block with its frames; beyond, the connection ends. Longer than any permitted list. */
  headerBlock: MiB + 64 * 1024,
  /** Receive window in bytes of a stream, as in kube-apiserver. */
  uploadWindow: 256 * 1024,
  /** Bytes pending in a socket beyond which streams are paused. */
  pending: 512 * 1024,
  /** Bytes pending in a socket beyond which no more requests are read from it. */
  unread: MiB,
  /** Maximum unread response bytes per connection and in total. A single response may exceed the former. */
  held: 64 * MiB,
  heldInAll: 512 * MiB,
  /** Maximum bytes of received requests in total, before and after their users are known; beyond them connections that hold the most are closed. */
  unknownInAll: 64 * MiB,
  knownInAll: 512 * MiB,
  /** Bytes of the former beyond which small bodies are not awaited before handlers run. */
  awaitedInAll: 16 * MiB,
  /**
   * Maximum connections without a request of a known user so far (TLS handshakes included), and of known users without a request now; beyond it the
   * oldest of them are closed. A core does some 1,000 handshakes a second, and clients wait 10 s for theirs.
   */
  unknownConnections: 10_000,
  idleConnections: 10_000,
  /** Requests of an HTTP/1.1 connection that wait behind each other, beyond which no more is read. */
  pipelined: 16,
  /** Bytes that a request takes besides head and body, about. */
  requestOverhead: 4 * 1024,
  /** Budget of frames without work (PING, SETTINGS, empty DATA …): burst, refill per second, per request and per DATA frame sent. */
  calm: { burst: 10_000, perSecond: 500, perRequest: 20, perData: 4 },
  /** Budget of streams reset by the client before the response (CVE-2023-44487), with nghttp2's numbers. */
  resets: { burst: 1_000, perSecond: 33 },
  /** Timeout in milliseconds of the preface and the first SETTINGS, as in net/http. */
  greeting: 10_000,
  /** Timeout in milliseconds of a header list: kube-apiserver's ReadHeaderTimeout. */
  headers: 32_000,
  /** Timeout in milliseconds of an idle connection: kube-apiserver's IdleTimeout. */
  idle: 90_000,
  /** Minimum rates of uploads that are awaited, and of downloads. */
  upload: { bytes: 8 * 1024, milliseconds: 10_000 },
  download: { bytes: 64 * 1024, milliseconds: 30_000 },
  /** Minimum rate of a socket with up to `pending` bytes in transit. */
  socket: { bytes: 1, milliseconds: 60_000 },
  /** Milliseconds for an idle client to leave after GOAWAY. */
  leaving: 2_000,
  /** Milliseconds to keep a connection half closed, so that the client can read the last response. */
  linger: 500,
} as const

/** A token bucket: costly frames spend tokens; time and useful frames refill it. */
export class Budget {
  readonly #burst: number
  readonly #perSecond: number
  #left: number

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Spends from the budget; false when it is exhausted. */
  spend(amount: number): boolean {
    this.#left -= amount
    return this.#left >= 0
  }

  earn(amount: number): void {
    this.#left = Math.min(this.#burst, this.#left + amount)
  }

  /** Refills for the elapsed milliseconds. */
  refill(milliseconds: number): void {
    this.earn((this.#perSecond * milliseconds) / 1000)
  }
}
