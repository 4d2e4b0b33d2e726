/** Limits of a connection: one row each, with the source of the number. */
import { defaultTableSize } from '../hpack/dynamic-table.ts'

const MiB = 1024 * 1024

export const limits = {
  /** Bytes of the header table that the client may use: the default. */
  headerTable: defaultTableSize,
  /** Bytes and fields of one header list, beyond which it is answered with 431: net/http's default, and what this server bears. */
  headerBytes: MiB,
  headerFields: 2_000,
  /** Bytes of a header block with its frames: beyond, the connection ends. A list that is allowed never is that long. */
  headerBlock: MiB + 64 * 1024,
  /** Bytes that a client may send on one stream before somebody reads them, as kube-apiserver has it. */
  uploadWindow: 256 * 1024,
  /** Bytes that may wait for a socket before streams are held back. */
  pending: 512 * 1024,
  /** Bytes that may wait for a socket before nothing more is read from it. */
  unread: MiB,
  /** Bytes of answers that one connection may leave unread, and all together. A single answer may be larger than the former. */
  held: 64 * MiB,
  heldInAll: 512 * MiB,
  /** Frames that ask for nothing: so many at once, so many more per second, per request and per frame of data that is sent. */
  calm: { burst: 10_000, perSecond: 500, perRequest: 20, perData: 4 },
  /** Streams that the client resets before they are answered (CVE-2023-44487), as nghttp2 counts them. */
  resets: { burst: 1_000, perSecond: 33 },
  /** Milliseconds until the preface and the first settings have come: net/http's. */
  greeting: 10_000,
  /** Milliseconds that a header list may take: kube-apiserver's ReadHeaderTimeout. */
  headers: 32_000,
  /** Milliseconds that a connection may have nothing to do: kube-apiserver's IdleTimeout. */
  idle: 90_000,
  /** How slowly a client may send a body that is waited for, and take an answer. */
  upload: { bytes: 8 * 1024, milliseconds: 10_000 },
  download: { bytes: 64 * 1024, milliseconds: 30_000 },
  /** How long a socket may take nothing, where as much as `pending` may be on its way. */
  socket: { bytes: 1, milliseconds: 60_000 },
  /** Milliseconds that a connection stays half closed, so that the client gets to read the last words. */
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

  /** False: there is not so much left. */
  spend(amount: number): boolean {
    this.#left -= amount
    return this.#left >= 0
  }

  earn(amount: number): void {
    this.#left = Math.min(this.#burst, this.#left + amount)
  }

  /** So many milliseconds have passed. */
  refill(milliseconds: number): void {
    this.earn((this.#perSecond * milliseconds) / 1000)
  }
}
