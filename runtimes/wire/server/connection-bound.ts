import { limits } from './limits.ts'

/** A connection that a bound may close. */
interface Member {
  /** True while a request is handled; such a connection is not closed. */
  readonly isBusy: () => boolean
  readonly drop: () => void
}

/** Bounds the number of connections without a request: beyond it, the oldest of them are closed. */
class Group {
  readonly #max: number
  readonly #members = new Set<Member>()
  /** Number of members at which the idle ones are counted again. */
  #counted: number

  constructor(max: number) {
    this.#max = max
    this.#counted = max
  }

  add(member: Member): void {
    this.#members.add(member)
    if (this.#members.size > this.#counted) this.#relieve()
  }

  delete(member: Member): void {
    this.#members.delete(member)
  }

  /** Frees an eighth at once, so that the members are rarely counted. */
  #relieve(): void {
    const idle = [...this.#members].filter(({ isBusy }) => !isBusy())
    const eighth = Math.ceil(this.#max / 8)
    const excess = idle.length > this.#max ? idle.length - this.#max + eighth : 0
    for (const member of idle.slice(0, excess)) {
      this.#members.delete(member)
      member.drop()
    }
    this.#counted = Math.max(this.#max, this.#members.size + eighth)
  }
}

const neverBusy = () => false

/**
 * The connections of a listener, each of which takes 20 to 80 KiB: those that have not had a request of a known user, and known ones between two
 * requests. The former are bounded whatever they do.
 */
export class ConnectionBound {
  readonly #unknown = new Group(limits.unknownConnections)
  readonly #idle = new Group(limits.idleConnections)

  /** A connection was accepted. `drop` closes it at once. */
  open(drop: () => void): BoundConnection {
    return new BoundConnection(this.#unknown, this.#idle, drop)
  }
}

/** The place of one connection. */
export class BoundConnection {
  readonly #unknown: Group
  readonly #idle: Group
  #member: Member
  #isOpen = true

  constructor(unknown: Group, idle: Group, drop: () => void) {
    this.#unknown = unknown
    this.#idle = idle
    this.#member = { isBusy: neverBusy, drop }
    unknown.add(this.#member)
  }

  /** A request has a known user. `leave` ends the connection between two requests. */
  identified(isBusy: () => boolean, leave: () => void): void {
    if (!this.#isOpen) return
    this.#unknown.delete(this.#member)
    this.#member = { isBusy, drop: leave }
    this.#idle.add(this.#member)
  }

  /** The connection has ended. */
  close(): void {
    this.#isOpen = false
    this.#unknown.delete(this.#member)
    this.#idle.delete(this.#member)
  }
}
