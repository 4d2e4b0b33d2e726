/** Passes the calls of an etcd client on to a member, and keeps the metadata of each. */
import {
  Client,
  credentials,
  type handleBidiStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
} from '@grpc/grpc-js'

export interface SeenCall {
  readonly method: string
  readonly traceparent: string | undefined
}

const unary = ['KV/Range', 'KV/Txn', 'KV/Compact', 'Lease/LeaseGrant', 'Lease/LeaseRevoke', 'Maintenance/Status']
const streams = ['Watch/Watch']
const asIs = (bytes: Buffer) => bytes

const definition = (name: string, stream: boolean): MethodDefinition<Buffer, Buffer> => ({
  path: `/etcdserverpb.${name}`,
  requestStream: stream,
  responseStream: stream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
})

/** `member`: host and port of etcd. `held`: what a call without a stream waits for, by its message. */
export async function startEtcdProxy(
  member: string,
  held: (message: Buffer) => Promise<void> | undefined = () => undefined,
): Promise<{ readonly url: string; readonly calls: readonly SeenCall[]; close(): void }> {
  const calls: SeenCall[] = []
  const client = new Client(member, credentials.createInsecure())
  const server = new Server()
  const note = (method: string, metadata: Metadata) => calls.push({ method, traceparent: metadata.get('traceparent')[0]?.toString() })
  const passUnary =
    (name: string): handleUnaryCall<Buffer, Buffer> =>
    async ({ request, metadata }, callback) => {
      note(name, metadata)
      await held(request)
      client.makeUnaryRequest(`/etcdserverpb.${name}`, asIs, asIs, request, new Metadata(), (error, answer) => callback(error, answer))
    }
  const passStream =
    (name: string): handleBidiStreamingCall<Buffer, Buffer> =>
    (incoming) => {
      note(name, incoming.metadata)
      const outgoing = client.makeBidiStreamRequest(`/etcdserverpb.${name}`, asIs, asIs)
      incoming.on('data', (message: Buffer) => outgoing.write(message))
      outgoing.on('data', (message: Buffer) => incoming.write(message))
      outgoing.on('error', (error) => incoming.destroy(error))
      incoming.on('cancelled', () => outgoing.cancel())
    }
  for (const [names, stream] of [[unary, false] as const, [streams, true] as const])
    for (const name of names) {
      const handler = stream ? passStream(name) : passUnary(name)
      server.addService({ [name]: definition(name, stream) }, { [name]: handler })
    }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, found) => (error ? reject(error) : resolve(found)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close() {
      server.forceShutdown()
      client.close()
    },
  }
}
