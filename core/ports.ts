/**
 * The six interfaces that a runtime adapter implements. Apart from them the core uses only Web APIs.
 */
import type { Tracer } from '@opentelemetry/api'

// ── What a call is made for ──────────────────────────────────────────────────────────────────────

/** Values of attributes. They never contain secrets. */
export type SpanAttributes = { readonly [name: string]: string | number | boolean }

/** One operation that is recorded with its time: a request, or a part of it. */
export interface Span {
  /** False: the request is not sampled, and only outgoing calls say so. */
  readonly isRecorded: boolean
  /** Begins a part of this operation; `client`: a call to another program. */
  start(name: string, attributes?: SpanAttributes, kind?: 'client'): Span
  /** Records that something has happened. */
  event(name: string, attributes?: SpanAttributes): void
  /** Ends the operation; only the first call counts. `slow`: milliseconds after which it is logged as slow; absent: never. */
  end(slow?: number): void
  /** Value of the header of outgoing calls (W3C Trace Context); undefined: the request is logged, but not traced. */
  readonly traceparent: string | undefined
}

/**
 * What a call is made for, usually a request: its exchange is one. A call that waits for something outside this process ends when its
 * context does. Undefined: the server's own work, which only its own timeouts end.
 */
export interface Context {
  /**
   * Aborts when the result has no use any more: the client left, the deadline passed, or the server closed. A request's signal is created when
   * it is read, which costs as much as a small request: only what has to wait reads it.
   */
  readonly signal: AbortSignal
  /** Milliseconds of the monotonic clock at which the signal aborts; absent: no time limit. */
  readonly deadline?: number | undefined
  /** The operation that the call is a part of; absent: it is not recorded. */
  readonly span?: Span | undefined
}

// ── 1. KeyValueStore ────────────────────────────────────────────────────────────────────────────

/** One stored key (etcd v3 data model). Revisions are positive integers below 2^53. */
export interface KeyValue {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  /**
   * True when the stored form is outdated (such as an old encryption key): the next update rewrites it even if the object is unchanged.
   * Set by stores that wrap another one, such as encryption at rest; absent: false.
   */
  readonly isStale?: () => boolean
}

/** A change of one key at one revision. `previous` is absent for a creation. */
export type StoreEvent =
  | { readonly type: 'put'; readonly kv: KeyValue; readonly previous?: KeyValue }
  | { readonly type: 'delete'; readonly key: string; readonly revision: number; readonly previous?: KeyValue }

export interface WatchOptions {
  /** The watcher does not use `previous`, so a store may omit it where reading it is costly, as in etcd. Default false. */
  readonly withoutPrevious?: boolean
}

/** Result of a compare-and-swap. On failure, `current` is the stored value (absent: no such key). */
export type SwapResult =
  | { readonly ok: true; readonly revision: number }
  | { readonly ok: false; readonly revision: number; readonly current?: KeyValue }

/** A key that must have this `modRevision` (0: that must not exist) when another one is written. */
export interface Guard {
  readonly key: string
  readonly revision: number
}

export interface ListOptions {
  /** Prefix of the keys. */
  readonly prefix: string
  /** First key (inclusive); it starts with the prefix. */
  readonly from?: string
  /** Maximum number of items; 0 or absent: all. */
  readonly limit?: number
  /** Revision to read at; absent: the current one. */
  readonly revision?: number
}

export interface ListResult {
  /** In byte order of the keys. */
  readonly items: readonly KeyValue[]
  /** True when `limit` truncated the list. */
  readonly more: boolean
  /** Number of items after the last one; 0 unless `limit` truncated the list. */
  readonly remaining: number
  /** Revision that the items were read at: the requested one, if given. */
  readonly revision: number
}

/** Receives the events of one watch. Calls never overlap, and never happen during `watch()` itself. */
export interface StoreWatcher {
  /** Events in revision order; all events of a revision are in the same call. */
  events(events: readonly StoreEvent[]): void
  /** Every event with a revision up to this one has been delivered. */
  progress(revision: number): void
  /** The watch is over; nothing follows. `error` is absent after `close()`. */
  end(error?: StoreError): void
}

export interface StoreWatch {
  /** Ends the watch: no more events, then `end()` without an error. */
  close(): void
  /**
   * Requests one `progress` call, once every event up to revision `to` has been delivered. The store must have reached `to`. Default: the
   * store's current revision, which some stores have to look up first.
   */
  requestProgress(to?: number): void
}

export type StoreErrorCode = 'compacted' | 'future-revision' | 'unavailable' | 'timeout' | 'too-large' | 'no-space' | 'corrupt'

/**
 * The only error that a store throws. With code `compacted`, `revision` is the oldest revision still available. A write that fails with
 * `unavailable` or `timeout` may have been applied, or may be applied later; with any other code it was not.
 */
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

/**
 * The etcd v3 model, bytes only. All methods may reject with a StoreError. Callers must not modify returned values.
 *
 * A read that is given up rejects with the reason of its context's signal, soon if it waits for another process. A write ends with its context
 * only until it is sent: then its result is awaited, because it may have been applied.
 */
export interface KeyValueStore {
  /** True when the store keeps current values in memory: caching a returned value then takes no additional memory. Default false. */
  readonly holdsValues?: boolean
  /** Reads a key at a revision; default: the current one. `kv` is absent when the key does not exist. */
  get(key: string, revision?: number, context?: Context): Promise<{ readonly kv?: KeyValue; readonly revision: number }>
  list(options: ListOptions, context?: Context): Promise<ListResult>
  /** Number of current keys with this prefix; a plain value, not a promise, if no I/O is needed. */
  count(prefix: string): number | Promise<number>
  /** Size of the database in bytes. */
  size(): Promise<number>
  /**
   * Writes if the key's `modRevision` is `expected` (0: the key must not exist). Resolves once the write is durable. `lease`: the key is
   * deleted when this lease (from `grantLease`) expires. `guards` are compared in the same transaction: when the write fails although the key
   * has the expected revision, one of them has changed. A `value` that is all of its buffer is not changed afterwards: the store may keep it.
   */
  put(key: string, value: Uint8Array, expected: number, lease?: bigint, guards?: readonly Guard[], context?: Context): Promise<SwapResult>
  /** Deletes if the key's `modRevision` is `expected`. Resolves once the deletion is durable. */
  delete(key: string, expected: number, context?: Context): Promise<SwapResult>
  /** Delivers all events of keys with this prefix after `afterRevision`. If that is compacted, the watch ends with a StoreError `compacted`. */
  watch(prefix: string, afterRevision: number, watcher: StoreWatcher, options?: WatchOptions): StoreWatch
  /** The store's current revision; a plain value, not a promise, if no I/O is needed, which makes reads faster. */
  currentRevision(context?: Context): number | Promise<number>
  /** Drops the history before `revision`. Current values stay, and reads at `revision` still work. */
  compact(revision: number): Promise<void>
  /** Creates a lease with a time-to-live in seconds; its keys are deleted when it expires. */
  grantLease(seconds: number): Promise<bigint>
  close(): Promise<void>
}

// ── 2. Connection ───────────────────────────────────────────────────────────────────────────────

/** Both directions of a connection that has left HTTP (RFC 9110 7.8, RFC 8441). Neither side is buffered beyond a window. */
export interface ByteStream {
  /**
   * Bytes from the peer; unread ones hold the peer back. Ends when the peer has half-closed, and errors when the connection breaks. Cancelling it
   * aborts the connection.
   */
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Bytes to the peer; a write resolves when more can be taken. `close` half-closes, `abort` aborts the connection. */
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
}

/** The peer of a request. All requests of one connection share the same object, including `peerCertificates`. */
export interface Connection {
  /**
   * Calls back once the response has been sent or abandoned; until then the request counts as in flight. The core calls this before
   * the handler's promise resolves. Absent: a response counts as sent when the promise resolves.
   */
  readonly whenSent?: (response: Response, callback: () => void) => void
  /**
   * Returns the response that switches protocols, for a request with the header Upgrade (an extended CONNECT of HTTP/2 has it too): 101 with these
   * headers, or 200 over HTTP/2. `use` is called with the stream after the head has been sent; never, when the client has left before. The
   * response is sent (`whenSent`) when both directions have ended. Absent: this runtime, or a request in-process, has no such streams.
   */
  readonly upgrade?: (headers: Readonly<Record<string, string>>, use: (stream: ByteStream) => void) => Response
  /** IP address; empty for in-process requests. */
  readonly remoteAddress: string
  readonly remotePort: number
  readonly protocol: 'http/1.1' | 'h2' | 'in-process'
  readonly tls?: {
    readonly version: string
    readonly serverName?: string
    /** DER, leaf first, not verified. Empty: the client sent none. Absent: not available on this runtime. */
    readonly peerCertificates?: readonly Uint8Array[]
  }
}

// ── 3. Outbound ─────────────────────────────────────────────────────────────────────────────────

/**
 * Traffic class of a call (KEP-1281): `cluster` to nodes, pods and services; `controlplane` to servers that this one is configured to call. The
 * egress selector of a runtime decides by it whether a connection leads through a proxy.
 */
export type Egress = 'cluster' | 'controlplane'

export interface OutboundOptions {
  /** Traffic class; absent: connects directly. No effect on runtimes without egress selectors. */
  readonly egress?: Egress
  /** PEM bundle of trusted certificate authorities; absent: the host's root certificates. */
  readonly certificateAuthority?: string
  /** PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string }
  /** Server name for SNI and certificate verification; default: the URL's host. Empty: none is sent, and the address is verified. */
  readonly serverName?: string
  /** Path of a Unix socket to connect to instead of the URL's host. */
  readonly unixSocket?: string
  /** `HOST:PORT` to connect to instead of the URL's. The URL's host is still sent in the Host header, and verified. */
  readonly address?: string
  /** URL of an HTTP proxy (RFC 9110 9.3.6, CONNECT); absent: none. */
  readonly proxy?: string
  /** Do not verify the server's certificate; default false. */
  readonly insecure?: boolean
  /** Timeout in milliseconds, including the body, and of an upgrade until its answer; absent: none. */
  readonly timeout?: number
  /** Timeout in milliseconds until connected, with TLS; absent: none. */
  readonly connectTimeout?: number
  /** Path and query to send instead of those of the URL, byte for byte: a URL has no dot segments. */
  readonly target?: string
  /**
   * Header fields to send in addition, each in a line of its own, with a character per byte: a Headers object joins the values of a name with
   * commas, which values may contain. Default: none.
   */
  readonly fields?: readonly (readonly [name: string, value: string])[]
}

/** Names of the gRPC status codes by number, as grpc-go spells them. */
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

/** Maximum characters of a status' text, which is the other program's. */
const maxStatusText = 2_048

/** A gRPC status other than OK. `code` is the status number (https://grpc.io/docs/guides/status-codes/). */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message.slice(0, maxStatusText))
    this.code = code
  }

  /** Name of the code, such as `Unavailable`; `Code(99)` for an unknown number. */
  get codeName(): string {
    return codeNames[this.code] ?? `Code(${this.code})`
  }
}

export interface Call {
  /** Path of the server's Unix socket. */
  readonly unixSocket: string
  /** Full method name, such as `/v2.KeyManagementService/Encrypt`. */
  readonly method: string
  /** The encoded request. */
  readonly message: Uint8Array
  /** Timeout in milliseconds, including the wait for a connection. Then the call fails with code 4, DEADLINE_EXCEEDED. */
  readonly timeout: number
}

/** Answer to a request that asks for another protocol: switched when there is a stream, else a response like any other. */
export interface Upgraded {
  /** 101 when switched. */
  readonly status: number
  readonly headers: Headers
  /** Absent: not switched. */
  readonly stream?: ByteStream
  /** Body of a response that does not switch. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

export interface Outbound {
  /** Sends an HTTP request. Rejects when no response is received, and when the request's signal aborts. */
  fetch(request: Request, options?: OutboundOptions): Promise<Response>
  /**
   * Sends a request over HTTP/1.1 with its headers Connection and Upgrade, and follows no redirect. The request's signal aborts the stream, too.
   * Absent: this runtime has no upgraded streams.
   */
  upgrade?(request: Request, options?: OutboundOptions): Promise<Upgraded>
  /** IP addresses of a host name, for checks before connecting; rejects when it has none. Absent: this runtime can't look names up. */
  resolve?(hostname: string): Promise<readonly string[]>
  /** Makes one unary gRPC call. Resolves to the encoded response; rejects with a CallError. */
  call(call: Call): Promise<Uint8Array>
}

// ── 4. Files ────────────────────────────────────────────────────────────────────────────────────

export interface Files {
  /** Reads a whole file. Rejects with an Error that names the file and the reason. */
  read(path: string): Promise<Uint8Array>
  /**
   * Calls `changed` after the file may have changed, also when the watch has begun, because of what happened before. The returned function ends
   * the watch.
   */
  watch(path: string, changed: () => void): () => void
  /** Names of the files in a folder, without those of folders in it. Rejects like `read`. Absent: the runtime can't list files. */
  list?(directory: string): Promise<readonly string[]>
}

// ── 5. Clock ────────────────────────────────────────────────────────────────────────────────────

export interface Clock {
  /** Wall clock: milliseconds since the epoch. It may be set back and forth; for timestamps only. */
  now(): number
  /** Monotonic clock: milliseconds since an arbitrary time, never going back. For intervals, timeouts and rates. */
  monotonic(): number
  /** Calls back once after the given milliseconds. The returned function cancels the timer. A pending timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void
  /** Yields to the event loop: resolves after other pending tasks have run. Absent: long computations block the thread. */
  pause?(): Promise<void>
}

// ── 6. Telemetry ────────────────────────────────────────────────────────────────────────────────

/** Structured log: fields first, then the message. Fields never contain secrets. */
export interface Logger {
  /**
   * Whether messages of this verbosity (flag `-v`) are wanted, such as those for each request: the caller asks before it logs one with `info`.
   * Debug messages have verbosity 4. May change at any time. Absent: only 0 is wanted.
   */
  v?(verbosity: number): boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * A number that the operating system or the runtime counts about the process. Times are in seconds, user and system. Limits are -1 when there is
 * none. Traffic is that of the network interfaces of the host, or of the container. `waiting`: sockets, timers and calls that the event loop
 * waits for. `handshakeErrors`: TLS handshakes of clients that failed.
 */
export type ProcessNumber =
  | 'cpuSeconds'
  | 'residentBytes'
  | 'virtualBytes'
  | 'virtualBytesLimit'
  | 'openFiles'
  | 'openFilesLimit'
  | 'receivedBytes'
  | 'sentBytes'
  | 'waiting'
  | 'handshakeErrors'

/** Functions that are called when metrics are read; undefined, or no function: not available here. */
export type ProcessUsage = { readonly [name in ProcessNumber]?: () => number | undefined }

/** A file below the log directory. */
export interface LogFile {
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modified: number
  /** Whether its beginning looks like text. */
  isText(): Promise<boolean>
  /** Bytes from `first` to `last`, both included, read as they are asked for. */
  read(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A directory: names in byte order, those of directories with a slash at their end. */
export interface LogDirectory {
  readonly names: readonly string[]
  readonly modified: number
}

/** The host's log directory. */
export interface LogFiles {
  /** What is at this path below the directory; undefined: nothing, or nothing below it. No segment is empty, `.` or `..`. */
  find(segments: readonly string[]): Promise<LogFile | LogDirectory | undefined>
}

/** One function of a stack. `line`: first line is 1; 0: unknown. */
export interface StackFrame {
  readonly name: string
  /** Path or URL; empty: code of the runtime. */
  readonly file: string
  readonly line: number
}

/** Stacks with a value of each type, such as the time spent in them. Times are in nanoseconds. */
export interface StackProfile {
  /** Such as `cpu` in `nanoseconds`. The last one is the most useful. */
  readonly types: readonly { readonly type: string; readonly unit: string }[]
  readonly stacks: readonly { /** The innermost first. */ readonly frames: readonly StackFrame[]; readonly values: readonly number[] }[]
  /** Distance of two samples, in the unit of this type. */
  readonly period?: { readonly type: string; readonly unit: string; readonly value: number }
  readonly nanoseconds?: number
}

/** `busy`: a profile of this kind is being taken. `unavailable`: this runtime can't take it; the message says why. */
export class ProfilerError extends Error {
  override readonly name = 'ProfilerError'
  readonly code: 'busy' | 'unavailable'
  constructor(code: 'busy' | 'unavailable', message: string) {
    super(message)
    this.code = code
  }
}

/** Takes profiles for a number of milliseconds. All methods reject with a ProfilerError, and with the signal's reason when it aborts. */
export interface Profiler {
  /** The command line of the process. */
  readonly commandLine: readonly string[]
  /** Time spent in functions. */
  cpu(milliseconds: number, signal: AbortSignal): Promise<StackProfile>
  /** Memory allocated meanwhile; `all`: with what has been collected since. */
  memory(milliseconds: number, signal: AbortSignal, all: boolean): Promise<StackProfile>
  /** Times that functions held the event loop for longer than 10 ms. */
  delays(milliseconds: number, signal: AbortSignal): Promise<StackProfile>
  /** Events of the runtime as JSON, in Chrome's trace event format. */
  trace(milliseconds: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
}

export interface Telemetry {
  readonly logger: Logger
  /** Changes the verbosity of the log while the server runs. Absent: `/debug/flags` is not served. */
  readonly setVerbosity?: (verbosity: number) => void
  /** Absent: `/logs` is not served. */
  readonly logFiles?: LogFiles
  /** Absent: this runtime takes no profiles. */
  readonly profiler?: Profiler
  /** Absent: metrics have no numbers of the process. */
  readonly usage?: ProcessUsage
  /**
   * Appends lines to the audit log; a call has whole lines. Resolves once they are written, and rejects with an Error when they are not. Calls may
   * overlap; their lines must not mix. Absent: this runtime has no audit log, and events go to a webhook only.
   */
  readonly audit?: (lines: Uint8Array) => Promise<void>
  /** Records the requests that are sampled, or belong to traces of privileged callers. Absent: no request is traced. */
  readonly tracer?: Tracer
}

// ── Limits of several servers ───────────────────────────────────────────────────────────────────

/** What servers want of a limit, in a period. */
export interface Demand {
  readonly highest: number
  readonly average: number
  readonly deviation: number
}

/** One server's side of a limit that several servers of a process have together, such as the requests in flight of all threads. */
export interface SharedLimit {
  /** Units, the same for all servers. */
  limit: number
  /** Units that all servers hold. */
  readonly taken: number
  /**
   * Takes units; false: all servers together would then have more than the limit. While others wait, a server that has its part of the limit
   * leaves them what they lack of theirs.
   */
  take(units: number): boolean
  give(units: number): void
  /** The units that this server waits for. */
  want(units: number): void
  /** Calls back when units that this server waits for may have become free. */
  onFree(callback: () => void): void
  /** Tells others this server's demand of the last period; returns the demand of all servers. */
  exchange(demand: Demand): Demand
}

/** A number per second, and at once. */
export interface Rate {
  readonly qps: number
  readonly burst: number
  /** Maximum keys that are remembered; default 4096. */
  readonly cacheSize?: number
}

/** Limits that several servers have together. */
export interface SharedLimits {
  /** The limit of this name. */
  open(name: string): SharedLimit
  /** Takes a token for a key from the rate limit of this name; whether there was one. */
  admit(name: string, rate: Rate, key: string): Promise<boolean>
  /** Takes a token from the rate limit of this name. Resolves when there is one. */
  pass(name: string, rate: Rate): Promise<void>
}

// ── Other threads ───────────────────────────────────────────────────────────────────────────────

/** Other threads of the same server, which answer each other's questions. Parameters and answers are structured clones. */
export interface OtherThreads {
  /** Of this thread, such as `worker 1`. */
  readonly name: string
  /** What this thread answers from now on. */
  answer(topic: string, answer: (about: unknown) => unknown): void
  /** Answers of the other threads; those that take longer than a moment, and than so many milliseconds, are left out. */
  ask(topic: string, about?: unknown, milliseconds?: number): Promise<readonly unknown[]>
}

// ── All ports ───────────────────────────────────────────────────────────────────────────────────

/** A separate store for selected built-in resources. */
export interface StoreOverride {
  readonly store: KeyValueStore
  readonly resources: readonly { readonly group: string; readonly resource: string }[]
}

/** The main store, and separate ones. */
export interface OpenStores {
  readonly store: KeyValueStore
  /** Separate stores for selected built-in resources; default: none. */
  readonly overrides?: readonly StoreOverride[]
}

/** The ports of a server but for its stores. */
export interface HostPorts {
  readonly clock: Clock
  readonly files: Files
  readonly outbound: Outbound
  readonly telemetry: Telemetry
  /** Absent: the server has its limits for itself. */
  readonly limits?: SharedLimits
  /** Absent: there are none. */
  readonly threads?: OtherThreads
}

/** The ports of a server. */
export interface Ports extends HostPorts, OpenStores {}
