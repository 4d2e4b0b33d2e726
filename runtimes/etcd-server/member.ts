/** The one member of this server's cluster, and what a call needs of it. */
import { createHash } from 'node:crypto'
import type { Logger } from '../../core/ports.ts'
import type { Engine } from '../stores/engine.ts'
import type { History } from '../stores/history.ts'
import { refusal } from './errors.ts'
import { encode } from './message.ts'
import { type Header, headerIds } from './messages.ts'

/** The release that this server answers as. Clients look up in it what they can use. */
export const version = '3.5.30'
export const clusterVersion = '3.5.0'
/** Nothing is ever elected here. */
export const raftTerm = 2

export interface MemberOptions {
  readonly engine: Engine<History>
  readonly logger: Logger
  readonly name: string
  readonly peerUrls: readonly string[]
  readonly clientUrls: readonly string[]
  /** Makes the ID of the cluster, with the URLs. */
  readonly clusterToken: string
  /** Maximum operations of a transaction. */
  readonly maxTxnOps: number
  /** Maximum bytes of a request. */
  readonly maxRequestBytes: number
  /** Maximum bytes of the store, beyond which it takes no writes. */
  readonly quotaBytes: number
  /** Milliseconds between notifications of progress. */
  readonly progressInterval: number
  /** Minimum seconds of a lease. */
  readonly minLeaseSeconds: number
}

export const alarms = { none: 0, noSpace: 1, corrupt: 2 } as const

const firstBytes = (...parts: readonly (string | Buffer)[]): bigint =>
  parts
    .reduce((hash, part) => hash.update(part), createHash('sha1'))
    .digest()
    .readBigUInt64BE(0)

const bigEndian = (id: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(id)
  return bytes
}

export class Member {
  readonly options: MemberOptions
  /** As etcd computes them for a cluster of one member (server/etcdserver/api/membership). */
  readonly id: bigint
  readonly clusterId: bigint
  /** Both, as headers have them. */
  readonly #ids: Uint8Array
  /** Active alarms. */
  readonly alarms = new Set<number>()
  /** As the history has it, except for the first revision, which it has when nothing was compacted. */
  #compacted = -1

  constructor(options: MemberOptions) {
    this.options = options
    this.id = firstBytes(options.peerUrls.toSorted().join(''), options.clusterToken)
    this.clusterId = firstBytes(bigEndian(this.id))
    this.#ids = encode(headerIds, { clusterId: this.clusterId, memberId: this.id })
  }

  /** @throws StoreError when the store is closed. */
  get history(): History {
    return this.options.engine.history
  }

  /** The last compacted revision; -1: none is. */
  get compacted(): number {
    const { oldest } = this.history
    return oldest > 1 ? oldest : this.#compacted
  }

  compact(revision: number): void {
    this.#compacted = revision
  }

  /** `revision`: default the current one; 0: none. */
  header(revision: number | bigint = this.history.revision): Header {
    return { ids: this.#ids, revision, raftTerm }
  }

  /** Adds what the header of a response lacks. */
  complete<T extends { readonly header?: Header }>(response: T): T {
    return { ...response, header: this.header(response.header?.revision) }
  }

  /** @throws Refusal when an alarm forbids reads. */
  checkRead(): void {
    if (this.alarms.has(alarms.corrupt)) throw refusal('corrupt')
  }

  /** @throws Refusal when a request of so many bytes can't be written. `grows`: it adds to the store. */
  checkWrite(bytes: number, grows = true): void {
    this.checkRead()
    if (bytes + raftOverhead > this.options.maxRequestBytes) throw refusal('tooLarge')
    if (!grows) return
    if (this.options.engine.size > this.options.quotaBytes) this.alarms.add(alarms.noSpace)
    if (this.alarms.has(alarms.noSpace)) throw refusal('noSpace')
  }
}

/** Bytes that etcd adds to a request in its log. */
const raftOverhead = 18
