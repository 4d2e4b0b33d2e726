import { limits } from './limits.ts'

/** What a connection holds of one pool. */
interface Share {
  held: number
  readonly drop: () => void
}

/** Bounds a sum over connections: when it is exceeded, those that hold the most are closed. */
class Pool {
  readonly #maxBytes: number
  readonly #shares = new Set<Share>()
  total = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  open(drop: () => void): Share {
    const share = { held: 0, drop }
    this.#shares.add(share)
    return share
  }

  add(share: Share, bytes: number): void {
    share.held += bytes
    this.total += bytes
    if (this.total > this.#maxBytes) this.#relieve()
  }

  close(share: Share): void {
    if (!this.#shares.delete(share)) return
    this.total -= share.held
    share.held = 0
  }

  /** Frees an eighth at once, so that connections are rarely sorted. */
  #relieve(): void {
    for (const share of [...this.#shares].toSorted((a, b) => b.held - a.held)) {
      if (this.total <= (this.#maxBytes / 8) * 7) break
      share.drop()
    }
  }
}

/**
 * Memory of what clients send and do not read, in total for a listener: header lists, bodies, and output that the socket has not taken. It has a far lower bound for requests of unknown users. A user is
 * known when the handler says so, or when it asks for the body, which it does for permitted requests only.
 */
export class Intake {
  readonly #unknown = new Pool(limits.unknownInAll)
  readonly #known = new Pool(limits.knownInAll)

  /** True when handlers are to run before small bodies are complete: these tell at once who is refused. */
  get isCrowded(): boolean {
    return this.#unknown.total > limits.awaitedInAll
  }

  /** Bytes held. */
  get total(): number {
    return this.#unknown.total + this.#known.total
  }

  /** The account of a new connection. `drop` closes it; `known` is called when the first of its requests has a known user. */
  open(drop: () => void, known?: () => void): ConnectionIntake {
    return new ConnectionIntake(this, this.#unknown, this.#known, drop, known)
  }
}

/** The account of one connection. */
export class ConnectionIntake {
  readonly all: Intake
  readonly #unknown: Pool
  readonly #known: Pool
  readonly #unknownShare: Share
  readonly #knownShare: Share
  readonly #onKnown: (() => void) | undefined
  #isOpen = true
  /** Bytes of output that the client has not read. */
  #unread = 0
  #hasKnownUser = false

  constructor(all: Intake, unknown: Pool, known: Pool, drop: () => void, onKnown?: () => void) {
    this.all = all
    this.#onKnown = onKnown
    this.#unknown = unknown
    this.#known = known
    const cut = () => {
      this.close()
      drop()
    }
    this.#unknownShare = unknown.open(cut)
    this.#knownShare = known.open(cut)
  }

  /** Adds bytes, or takes them off. */
  readonly hold = (bytes: number, isKnown = false): void => {
    if (!this.#isOpen) return
    if (isKnown) this.#known.add(this.#knownShare, bytes)
    else this.#unknown.add(this.#unknownShare, bytes)
  }

  /** The output of the connection now takes so many bytes. It counts as that of a known user when any request of the connection had one. */
  unread(bytes: number): void {
    const change = bytes - this.#unread
    if (change === 0) return
    this.#unread = bytes
    this.hold(change, this.#hasKnownUser)
  }

  /** A request of the connection has a known user. */
  identified(): void {
    if (this.#hasKnownUser) return
    this.hold(-this.#unread)
    this.#hasKnownUser = true
    this.hold(this.#unread, true)
    this.#onKnown?.()
  }

  /** The connection has ended. */
  close(): void {
    this.#isOpen = false
    this.#unknown.close(this.#unknownShare)
    this.#known.close(this.#knownShare)
  }
}

/** What one request holds, from its head to its answer. */
export class RequestIntake {
  readonly #connection: ConnectionIntake
  /** Called when the handler asks for the body. */
  readonly #onAsked: (() => void) | undefined
  #held: number
  #isKnown = false
  #isAsked = false
  #hasEnded = false

  /** `head`: bytes of the header list. */
  constructor(connection: ConnectionIntake, head: number, onAsked?: () => void) {
    this.#connection = connection
    this.#onAsked = onAsked
    this.#held = head + limits.requestOverhead
    connection.hold(this.#held)
  }

  /** The body takes so many bytes more, or less. */
  changed(bytes: number): void {
    if (this.#hasEnded) return
    this.#held += bytes
    this.#connection.hold(bytes, this.#isKnown)
  }

  /** The user is known. */
  readonly identified = (): void => {
    if (this.#isKnown || this.#hasEnded) return
    this.#isKnown = true
    this.#connection.identified()
    this.#connection.hold(-this.#held)
    this.#connection.hold(this.#held, true)
  }

  /** The handler asks for the body. */
  asked(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.identified()
    this.#onAsked?.()
  }

  /** The request is answered, or its client has left. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#connection.hold(-this.#held, this.#isKnown)
  }
}
