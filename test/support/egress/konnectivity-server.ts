/**
 * A konnectivity server that connects by itself instead of asking agents. gRPC and protobuf are those of libraries, so that the client is not
 * tested against its own framing.
 */
import { connect, type Socket } from 'node:net'
import { Server, type ServerDuplexStream } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import type { Routes } from './routes.ts'

const { root } = protobuf.parse(`
syntax = "proto3";
enum PacketType { DIAL_REQ = 0; DIAL_RSP = 1; CLOSE_REQ = 2; CLOSE_RSP = 3; DATA = 4; DIAL_CLS = 5; DRAIN = 6; }
message Packet {
  PacketType type = 1;
  oneof payload {
    DialRequest dialRequest = 2; DialResponse dialResponse = 3; Data data = 4;
    CloseRequest closeRequest = 5; CloseResponse closeResponse = 6; CloseDial closeDial = 7; Drain drain = 8;
  }
}
message DialRequest { string protocol = 1; string address = 2; int64 random = 3; }
message DialResponse { string error = 1; int64 connectID = 2; int64 random = 3; }
message CloseRequest { int64 connectID = 1; }
message CloseResponse { string error = 1; int64 connectID = 2; }
message CloseDial { int64 random = 1; }
message Drain {}
message Data { int64 connectID = 1; string error = 2; bytes data = 3; }
`)
const type = root.lookupType('Packet')

export interface WirePacket {
  readonly type: 'DIAL_REQ' | 'DIAL_RSP' | 'CLOSE_REQ' | 'CLOSE_RSP' | 'DATA' | 'DIAL_CLS' | 'DRAIN'
  readonly dialRequest?: { readonly protocol: string; readonly address: string; readonly random: string }
  readonly dialResponse?: { readonly error?: string; readonly connectID?: string; readonly random?: string }
  readonly data?: { readonly connectID: string; readonly data: Buffer }
  readonly closeRequest?: { readonly connectID: string }
  readonly closeResponse?: { readonly connectID: string; readonly error?: string }
  readonly closeDial?: { readonly random: string }
}

export type ProxyStream = ServerDuplexStream<WirePacket, WirePacket>

const serialize = (packet: WirePacket) => Buffer.from(type.encode(type.fromObject(packet)).finish())
const deserialize = (bytes: Buffer) =>
  type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: Buffer, defaults: true }) as WirePacket

/** A gRPC server whose method Proxy is answered by this function. */
export function proxyService(answer: (stream: ProxyStream) => void): Server {
  const server = new Server()
  const method = {
    path: '/ProxyService/Proxy',
    requestStream: true,
    responseStream: true,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  }
  server.addService({ Proxy: method }, { Proxy: answer })
  return server
}

/** Connects where the routes lead, with back pressure in both directions. */
export function konnectivityServer(routes: Routes): Server {
  let last = 0
  return proxyService((stream) => {
    const sockets = new Map<string, Socket>()
    stream.on('data', (packet: WirePacket) => {
      if (packet.type === 'DIAL_REQ') dial(packet.dialRequest?.address ?? '', packet.dialRequest?.random ?? '0')
      else if (packet.type === 'CLOSE_REQ') sockets.get(packet.closeRequest?.connectID ?? '')?.destroy()
      else if (packet.type === 'DATA' && packet.data) {
        const far = sockets.get(packet.data.connectID)
        if (far?.write(packet.data.data) === false) {
          stream.pause()
          far.once('drain', () => stream.resume())
        }
      }
    })
    const end = () => {
      for (const far of sockets.values()) far.destroy()
    }
    stream
      .on('end', () => stream.end())
      .on('error', end)
      .on('cancelled', end)

    function dial(address: string, random: string): void {
      const to = routes.find(address)
      const refuse = (error: string) => stream.write({ type: 'DIAL_RSP', dialResponse: { error, random } })
      if (to === undefined) return void refuse(`dial tcp ${address}: i/o timeout`)
      const connectID = String(++last)
      const far = connect(to)
      const failed = () => refuse(`dial tcp ${address}: connect: connection refused`)
      far.once('error', failed)
      far.once('connect', () => {
        far.off('error', failed).on('error', () => undefined)
        sockets.set(connectID, far)
        stream.write({ type: 'DIAL_RSP', dialResponse: { connectID, random } })
        far.on('data', (data) => {
          if (stream.write({ type: 'DATA', data: { connectID, data } })) return
          far.pause()
          stream.once('drain', () => far.resume())
        })
        far.once('close', () => {
          sockets.delete(connectID)
          if (stream.writable) stream.write({ type: 'CLOSE_RSP', closeResponse: { connectID } })
        })
      })
    }
  })
}
