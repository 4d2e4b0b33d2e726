/**
 * One etcd member over gRPC, with etcd3's generated clients and without its retries: repeating a swap that may have happened would
 * report it as lost. What may be tried again, and where, is decided in endpoints.ts. No other file imports etcd3.
 */
import { rootCertificates } from 'node:tls'
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
  type IWatchResponse,
  KVClient,
  LeaseClient,
  MaintenanceClient,
  WatchClient,
} from 'etcd3'

export type { IEvent, IKeyValue, IRequestOp, IResponseHeader, IWatchResponse }

/** PEM texts. */
export interface TlsOptions {
  /** Absent: the host's roots. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export interface Client {
  /** As it was given: `https://host:port`. */
  readonly server: string
  readonly kv: KVClient
  readonly watch: WatchClient
  readonly lease: LeaseClient
  readonly maintenance: MaintenanceClient
  close(): void
}

type Service = 'KV' | 'Watch' | 'Lease' | 'Maintenance'
type Exec = ICallable<unknown>['exec']
type WithConnection = ICallable<unknown>['withConnection']
type Connection = Parameters<Parameters<WithConnection>[1]>[0]
type Answer = (error: Error | null, response: unknown) => void
type Unary = (payload: unknown, metadata: Connection['metadata'], options: object, answer: Answer) => void

const channelOptions = {
  'grpc.enable_http_proxy': 0,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  // etcd refuses clients that ping more often than every five seconds.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  // A connection for each service: a large list must not stand in the way of events.
  'grpc.use_local_subchannel_pool': 1,
}

class Member extends Etcd3 {
  connect(service: Service): Promise<Connection> {
    return this.pool.withConnection(service, (connection) => connection)
  }
}

export async function openClient(server: string, tls: TlsOptions): Promise<Client> {
  const member = new Member({
    hosts: server,
    grpcOptions: channelOptions,
    ...(server.startsWith('https:') && { credentials: credentialsOf(tls) }),
  })
  return {
    server,
    kv: new KVClient(direct(await member.connect('KV'))),
    watch: new WatchClient(direct(withLeader(await member.connect('Watch')))),
    lease: new LeaseClient(direct(await member.connect('Lease'))),
    maintenance: new MaintenanceClient(direct(await member.connect('Maintenance'))),
    close: () => member.close(),
  }
}

function credentialsOf({ ca, cert, key }: TlsOptions) {
  return {
    rootCertificate: Buffer.from(ca ?? rootCertificates.join('\n')),
    ...(cert !== undefined && { certChain: Buffer.from(cert) }),
    ...(key !== undefined && { privateKey: Buffer.from(key) }),
  }
}

/** The key's modification revision is this one; 0: there is no such key. Not by name: etcd3's names of these are not those of the wire. */
export const modifiedAt = (key: Buffer, revision: number): ICompare => ({
  key,
  target: CompareTarget.Mod,
  result: CompareResult.Equal,
  mod_revision: String(revision),
})

/** Calls of one service, each made once; errors keep their gRPC code and details. */
function direct(connection: Connection): ICallable<unknown> {
  const methods = connection.client as unknown as Record<string, Unary>
  const exec = (_service: string, method: string, payload: unknown, options: object = {}) =>
    new Promise<unknown>((resolve, reject) => {
      methods[method]?.(payload, connection.metadata, options, (error, response) => (error ? reject(error) : resolve(response)))
    })
  return {
    exec: exec as Exec,
    withConnection: async (_service, run) => run({ ...connection, resource: undefined }),
    markFailed() {},
    callOptionsFactory: undefined,
  }
}

/** A member that has lost the leader ends such calls, instead of staying silent. */
function withLeader(connection: Connection): Connection {
  const metadata = connection.metadata.clone()
  metadata.set('hasleader', 'true')
  return { ...connection, metadata }
}
