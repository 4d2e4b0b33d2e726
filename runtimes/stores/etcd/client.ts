/**
 * One etcd member over gRPC, with etcd3's generated clients and without its retries: repeating a swap that may have happened would
 * report it as lost. What may be tried again, and where, is decided in endpoints.ts. No other file imports etcd3.
 */
import {
  CompareResult,
  CompareTarget,
  Etcd3,
  type ICallable,
  type ICompare,
  type IEvent,
  type IKeyValue,
  type IRequestOp,
  type IResponseHeader,
  type IWatchCreateRequest,
  type IWatchResponse,
  KVClient,
  LeaseClient,
  MaintenanceClient,
} from 'etcd3'
import { CallError, type Clock } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { type Channel, createChannel } from './channel.ts'
import { internal } from './errors.ts'
import type { TlsOptions } from './http2/socket.ts'

export type { IEvent, IKeyValue, IRequestOp, IResponseHeader, IWatchResponse }

export interface WatchHandler {
  response(response: IWatchResponse): void
  /** The last call, unless the watch is cancelled before. */
  end(error: CallError): void
}

export interface Client {
  /** As it was given: `https://host:port`. */
  readonly server: string
  readonly kv: KVClient
  readonly lease: LeaseClient
  readonly maintenance: MaintenanceClient
  /** The returned function cancels. */
  watch(request: IWatchCreateRequest, handler: WatchHandler): () => void
  close(): void
}

export interface CallOptions {
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

type Exec = ICallable<unknown>['exec']

/** A method as etcd3 has generated it. */
interface Method {
  readonly path: string
  requestSerialize(payload: unknown): Buffer
  responseDeserialize(message: Buffer): unknown
}

type Methods = Readonly<Record<string, Method>>

class Generated extends Etcd3 {
  methods(service: 'KV' | 'Watch' | 'Lease' | 'Maintenance'): Promise<Methods> {
    return this.pool.withConnection(service, ({ client }) => client as unknown as Methods)
  }
}

/** etcd3 knows the methods of a service by a client, which connects to nothing until it is used. */
async function generated(): Promise<[kv: Methods, watch: Methods, lease: Methods, maintenance: Methods]> {
  const client = new Generated({ hosts: 'unused' })
  try {
    return [await client.methods('KV'), await client.methods('Watch'), await client.methods('Lease'), await client.methods('Maintenance')]
  } finally {
    client.close()
  }
}

/** A member that has lost the leader ends such calls, instead of staying silent. */
const hasLeader = { hasleader: 'true' }

export async function openClient(server: string, tls: TlsOptions, clock: Clock): Promise<Client> {
  const [kv, watch, lease, maintenance] = await generated()
  // Two: a large list must not stand in the way of events.
  const [calls, streams] = [createChannel(server, tls, clock), createChannel(server, tls, clock)]
  return {
    server,
    kv: new KVClient(callable(kv, calls)),
    lease: new LeaseClient(callable(lease, calls)),
    maintenance: new MaintenanceClient(callable(maintenance, calls)),
    watch(request, { response, end }) {
      const { path, requestSerialize, responseDeserialize } = watch['watch']!
      const message = (bytes: Buffer) => {
        let answer: IWatchResponse
        try {
          answer = responseDeserialize(bytes) as IWatchResponse
        } catch (error) {
          cancel()
          return end(new CallError(internal, `the answer can't be read: ${messageOf(error)}`))
        }
        response(answer)
      }
      const cancel = streams.stream(path, hasLeader, requestSerialize({ create_request: request }), { message, end })
      return cancel
    },
    close() {
      calls.close()
      streams.close()
    },
  }
}

/** What etcd3's clients make their calls with. */
function callable(methods: Methods, channel: Channel): ICallable<unknown> {
  const exec = async (_service: string, name: string, payload: unknown, { deadline }: CallOptions) => {
    const { path, requestSerialize, responseDeserialize } = methods[name]!
    return responseDeserialize(await channel.call(path, requestSerialize(payload), deadline))
  }
  return {
    exec: exec as Exec,
    withConnection: () => Promise.reject(new Error('streams have a channel of their own')),
    markFailed() {},
    callOptionsFactory: undefined,
  }
}

/** The key's modification revision is this one; 0: there is no such key. Not by name: etcd3's names of these are not those of the wire. */
export const modifiedAt = (key: Buffer, revision: number): ICompare => ({
  key,
  target: CompareTarget.Mod,
  result: CompareResult.Equal,
  mod_revision: String(revision),
})
