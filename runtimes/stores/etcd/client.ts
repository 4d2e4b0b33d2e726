/**
 * One etcd member over gRPC: frequent calls and those of a start with messages.ts, the others with
 * etcd3's generated clients. Calls are not retried here, because a
 * repeated swap that had succeeded would be reported as lost; endpoints.ts decides what is retried, and where. No other file imports etcd3.
 */
import type { ICallable, KVClient } from 'etcd3'
import { CallError, type Clock, type Context, type Logger, type Span } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { slowOperation } from '../../../core/tracing/span.ts'
import { attachable, type Told } from '../../wire/attached/channel.ts'
import { type Channel, createChannel } from '../../wire/client/channel.ts'
import { internal } from '../../wire/client/codes.ts'
import type { SocketOptions } from '../../wire/client/socket.ts'
import {
  emptyRequest,
  leaseGrantRequest,
  leaseGrantResponse,
  type RangeResponse,
  rangeResponse,
  statusResponse,
  type TxnResponse,
  txnResponse,
  type WatchRequest,
  type WatchResponse,
  watchRequest,
  watchResponse,
} from './messages.ts'

export interface WatchHandler {
  response(response: WatchResponse): void
  /** The last call; not called after cancellation. */
  end(error: CallError): void
}

export interface Client {
  /** Address as configured: `https://host:port`. */
  readonly server: string
  /** `request`: from `putRequest` or `deleteRequest`. */
  txn(request: Uint8Array, options: CallOptions): Promise<TxnResponse>
  /** `request`: from `rangeRequest`. */
  range(request: Uint8Array, options: CallOptions): Promise<RangeResponse>
  compact(revision: number, options: CallOptions): Promise<unknown>
  /** Resolves to the lease id. */
  grantLease(seconds: number, options: CallOptions): Promise<bigint>
  /** Size of the database in bytes. */
  size(options: CallOptions): Promise<number>
  /** The returned function cancels the watch. */
  watch(request: WatchRequest, handler: WatchHandler): () => void
  close(): void
}

export interface CallOptions {
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number
  /** What the call is made for: a call that takes long ends with it. Absent: only the deadline ends it. */
  readonly context?: Context | undefined
  /** What the call is a part of. */
  readonly span?: Span | undefined
  /** Send immediately instead of in one batch with the calls of the next turns of the event loop. Default false. */
  readonly urgent?: boolean
}

type Exec = ICallable<unknown>['exec']

/** A generated method of etcd3. */
interface Method {
  readonly path: string
  requestSerialize(payload: unknown): Buffer
  responseDeserialize(message: Buffer): unknown
}

type Methods = Readonly<Record<string, Method>>

/**
 * Loads etcd3, which takes longer than everything else of a start: no call of a start needs it. It creates its methods with a client, which does
 * not connect until it is used.
 */
async function rareCalls(channel: Channel): Promise<KVClient> {
  const { Etcd3, KVClient } = await import('etcd3')
  class Generated extends Etcd3 {
    methods(): Promise<Methods> {
      return this.pool.withConnection('KV', ({ client }) => client as unknown as Methods)
    }
  }
  const generated = new Generated({ hosts: 'unused' })
  try {
    return new KVClient(callable(await generated.methods(), channel))
  } finally {
    generated.close()
  }
}

/** Metadata that makes a member without a leader end the call; without it the call would hang. */
const hasLeader = { hasleader: 'true' }

export function openClient(server: string, tls: SocketOptions, clock: Clock, logger: Logger): Client {
  // Two connections, so that a large list does not delay events.
  const told = carrierLog(server, logger)
  const [calls, streams] = [channel(), channel()]
  function channel(): Channel {
    const grpc = createChannel(server, tls, clock)
    // What connects through an egress selector is to be seen there.
    return tls.dial === undefined ? attachable(grpc, clock, told) : grpc
  }
  let rare: Promise<KVClient> | undefined
  const rarely = () => {
    rare ??= rareCalls(calls)
    return rare
  }
  return {
    server,
    txn: (request, options) => call(calls, '/etcdserverpb.KV/Txn', request, txnResponse, options),
    range: (request, options) => call(calls, '/etcdserverpb.KV/Range', request, rangeResponse, options),
    compact: async (revision, options) => (await rarely()).compact({ revision: String(revision) }, options),
    grantLease: (seconds, options) =>
      call(calls, '/etcdserverpb.Lease/LeaseGrant', leaseGrantRequest(seconds), leaseGrantResponse, options),
    size: (options) => call(calls, '/etcdserverpb.Maintenance/Status', emptyRequest, statusResponse, options),
    watch(request, { response, end }) {
      const message = (bytes: Buffer) => {
        let answer: WatchResponse
        try {
          answer = watchResponse(bytes)
        } catch (error) {
          cancel()
          return end(unreadable(error))
        }
        response(answer)
      }
      const cancel = streams.stream('/etcdserverpb.Watch/Watch', hasLeader, watchRequest(request), { message, end })
      return cancel
    },
    close() {
      calls.close()
      streams.close()
    },
  }
}

/** Logs what carries the calls, when that changes. */
function carrierLog(server: string, logger: Logger): Told {
  let last: string | undefined
  return (path, why) => {
    const carrier = path ?? 'gRPC'
    if (carrier === last) return
    last = carrier
    if (path === undefined) logger.info({ server, why }, 'calls of etcd go over gRPC')
    else logger.info({ server, socket: path }, "calls of etcd go over the server's Unix socket")
  }
}

async function call<T>(
  channel: Channel,
  path: string,
  request: Uint8Array,
  read: (answer: Buffer) => T,
  { deadline, urgent, context, span: whole }: CallOptions,
): Promise<T> {
  const span = whole?.start(path.slice(1), { 'rpc.method': path.slice(1), 'rpc.system.name': 'grpc' }, 'client')
  const answered = channel.call(path, request, deadline, context, span?.traceparent)
  if (urgent) channel.flush()
  const answer = await (span ? answered.finally(() => span.end(slowOperation)) : answered)
  try {
    return read(answer)
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (error: unknown) => new CallError(internal, `malformed response: ${messageOf(error)}`)

/** The transport for etcd3's generated clients. */
function callable(methods: Methods, channel: Channel): ICallable<unknown> {
  const exec = async (_service: string, name: string, payload: unknown, options: CallOptions) => {
    const { path, requestSerialize, responseDeserialize } = methods[name]!
    return call(channel, path, requestSerialize(payload), responseDeserialize, options)
  }
  return {
    exec: exec as Exec,
    withConnection: () => Promise.reject(new Error('streams have a channel of their own')),
    markFailed() {},
    callOptionsFactory: undefined,
  }
}
