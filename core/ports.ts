/**
 * What the core needs from a runtime, and nothing else. An adapter implements these six interfaces;
 * the core never asks which runtime it is on.
 */
import type { Tracer } from '@opentelemetry/api'

// ── 1. KeyValueStore ────────────────────────────────────────────────────────────────────────────

/** One stored key, in the terms of the etcd v3 data model. Revisions are positive integers below 2^53. */
export interface KeyValue {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  /** Whether the value should by now be written again even if its content stays; set by what decorates a store, such as encryption. */
  readonly isStale?: () => boolean
}

/** What a watch delivers: the change of one key at one revision. `previous` is absent for a creation. */
export type StoreEvent =
  | { readonly type: 'put'; readonly kv: KeyValue; readonly previous?: KeyValue }
  | { readonly type: 'delete'; readonly key: string; readonly revision: number; readonly previous?: KeyValue }

/** A swap either happened, at `revision`, or it did not, and then `current` is what is stored now (absent: no such key). */
export type SwapResult =
  | { readonly ok: true; readonly revision: number }
  | { readonly ok: false; readonly revision: number; readonly current?: KeyValue }

export interface ListOptions {
  /** Every key that starts with this text. */
  readonly prefix: string
  /** Start at this key (inclusive); it lies within the prefix. */
  readonly from?: string
  /** At most so many items; 0 or absent: all. */
  readonly limit?: number
  /** The state as it was at this revision; absent: now. */
  readonly revision?: number
}

export interface ListResult {
  /** In byte order of the keys. */
  readonly items: readonly KeyValue[]
  /** True when `limit` cut the list. */
  readonly more: boolean
  /** Number of items behind the last one; 0 unless `limit` cut the list. */
  readonly remaining: number
  /** The store's revision that the items were read at (the requested one, if one was). */
  readonly revision: number
}

/** Receives one watch. Calls never overlap, and never come during `watch()` itself. */
export interface StoreWatcher {
  /** Events in revision order; all events of a revision are in the same call. */
  events(events: readonly StoreEvent[]): void
  /** Every event with a revision up to this one has been delivered. */
  progress(revision: number): void
  /** The watch is over; nothing follows. `error` is absent after `close()`. */
  end(error?: StoreError): void
}

export interface StoreWatch {
  close(): void
  /** Asks for one `progress` call as soon as possible. */
  requestProgress(): void
}

export type StoreErrorCode = 'compacted' | 'future-revision' | 'unavailable' | 'timeout' | 'too-large' | 'no-space' | 'corrupt'

/** The only error a store throws. `compacted`: the revision asked for is gone; `revision` is then the oldest one left. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  readonly revision: number | undefined
  constructor(code: StoreErrorCode, message: string, revision?: number) {
    super(message)
    this.code = code
    this.revision = revision
  }
}

/** The etcd v3 model, bytes only. All methods may reject with a StoreError. Values handed out must not be changed. */
export interface KeyValueStore {
  get(key: string, revision?: number): Promise<{ readonly kv?: KeyValue; readonly revision: number }>
  list(options: ListOptions): Promise<ListResult>
  count(prefix: string): Promise<number>
  /** Bytes that the database takes. */
  size(): Promise<number>
  /** Stores when the key's modification revision is `expected` (0: the key must not exist). Resolves once the write is durable. */
  put(key: string, value: Uint8Array, expected: number, lease?: bigint): Promise<SwapResult>
  /** Deletes when the key's modification revision is `expected`. `current` of a success is never set. */
  delete(key: string, expected: number): Promise<SwapResult>
  /** Delivers every event after `afterRevision` under the prefix. A compacted revision ends the watch with that error. */
  watch(prefix: string, afterRevision: number, watcher: StoreWatcher): StoreWatch
  currentRevision(): Promise<number>
  /** Forgets history before `revision`; what is current stays. */
  compact(revision: number): Promise<void>
  /** A lease after whose end its keys are deleted. Seconds. */
  grantLease(seconds: number): Promise<bigint>
  close(): Promise<void>
}

// ── 2. Connection ───────────────────────────────────────────────────────────────────────────────

/** Facts about the peer of a request. The object (and `peerCertificates`) is the same for all requests of one connection. */
export interface Connection {
  /**
   * Calls back once the response has been sent, or given up; until then the request counts as in flight. Called before the handler's
   * promise resolves. Absent: a response is as good as sent when it is made.
   */
  readonly whenSent?: (response: Response, callback: () => void) => void
  /** IP address; empty when there is no socket. */
  readonly remoteAddress: string
  readonly remotePort: number
  readonly protocol: 'http/1.1' | 'h2' | 'in-process'
  readonly tls?: {
    readonly version: string
    readonly serverName?: string
    /** DER, leaf first, unverified; empty when the client sent none, absent when this runtime can't tell. */
    readonly peerCertificates?: readonly Uint8Array[]
  }
}

// ── 3. Outbound ─────────────────────────────────────────────────────────────────────────────────

export interface OutboundOptions {
  /** PEM bundle; absent: the host's roots. */
  readonly certificateAuthority?: string
  readonly clientCertificate?: { readonly certificate: string; readonly key: string }
  /** Name to verify, when it differs from the URL's host. */
  readonly serverName?: string
  readonly unixSocket?: string
  /** `HOST:PORT` to connect to in place of the URL's host, which stays the name that is asked for and verified. */
  readonly address?: string
  readonly proxy?: string
  readonly insecure?: boolean
  /** Milliseconds until the call is aborted. */
  readonly timeout?: number
}

/** Names of gRPC's status codes by their number, as Go's library writes them. */
const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
]

/** A gRPC status other than OK. `code` is its number (https://grpc.io/docs/guides/status-codes/). */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }

  /** As `Unavailable`; `Code(99)` for a number without a name. */
  get codeName(): string {
    return codeNames[this.code] ?? `Code(${this.code})`
  }
}

export interface Call {
  /** Path of a unix socket. */
  readonly unixSocket: string
  /** Full name, such as `/v2.KeyManagementService/Encrypt`. */
  readonly method: string
  /** The request, encoded. */
  readonly message: Uint8Array
  /** Milliseconds until the call is given up with code 4, DEADLINE_EXCEEDED; until then it waits for a connection. */
  readonly timeout: number
}

export interface Outbound {
  fetch(request: Request, options?: OutboundOptions): Promise<Response>
  /** One unary gRPC call; resolves to the encoded answer and rejects with a CallError. */
  call(call: Call): Promise<Uint8Array>
}

// ── 4. Files ────────────────────────────────────────────────────────────────────────────────────

export interface Files {
  /** Rejects with an Error that says which file and why. */
  read(path: string): Promise<Uint8Array>
  /** Calls back after the content may have changed, until the returned function is called. */
  watch(path: string, changed: () => void): () => void
}

// ── 5. Clock ────────────────────────────────────────────────────────────────────────────────────

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after so many milliseconds; the returned function cancels. Never keeps a process alive. */
  after(milliseconds: number, callback: () => void): () => void
}

// ── 6. Telemetry ────────────────────────────────────────────────────────────────────────────────

/** The part of pino's interface that the core uses. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Telemetry {
  readonly logger: Logger
  /** Receives serialized audit events. */
  readonly audit?: (event: Uint8Array) => Promise<void>
  readonly tracer?: Tracer
}

/** A store that takes the place of the main one for some built-in resources. */
export interface StoreOverride {
  readonly store: KeyValueStore
  readonly resources: readonly { readonly group: string; readonly resource: string }[]
}

/** All six, as `createApiServer` takes them. */
export interface Ports {
  readonly store: KeyValueStore
  /** Default: none. */
  readonly overrides?: readonly StoreOverride[]
  readonly clock: Clock
  readonly files: Files
  readonly outbound: Outbound
  readonly telemetry: Telemetry
}
