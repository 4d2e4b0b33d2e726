/** A collector of traces: receives OTLP over gRPC, as written in opentelemetry/proto/collector/trace/v1. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { eventually } from './wait.ts'

export interface ReceivedSpan {
  /** Hexadecimal. */
  readonly traceId: string
  readonly id: string
  /** Empty: the root of its trace here. */
  readonly parent: string
  readonly name: string
  /** SpanKind of OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number
  /** Nanoseconds since the epoch. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: { readonly [name: string]: unknown }
  readonly events: readonly { readonly name: string; readonly time: bigint; readonly attributes: { readonly [name: string]: unknown } }[]
  readonly links: readonly { readonly traceId: string; readonly id: string }[]
  readonly status: { readonly code: number; readonly message: string }
  readonly resource: { readonly [name: string]: unknown }
  readonly scope: string
}

/** Fields of a message by number: the payload of each occurrence. */
type Fields = Map<number, (Uint8Array | bigint | number)[]>

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields: Fields = new Map()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const value =
      type === WireType.LengthDelimited
        ? reader.bytes()
        : type === WireType.Bit64
          ? BigInt(reader.fixed64())
          : type === WireType.Bit32
            ? reader.fixed32()
            : BigInt(reader.uint64())
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

const all = (fields: Fields, number: number) => (fields.get(number) ?? []) as Uint8Array[]
const one = (fields: Fields, number: number) => all(fields, number)[0] ?? new Uint8Array()
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const number = (fields: Fields, at: number) => BigInt((fields.get(at)?.[0] as bigint | number | undefined) ?? 0)

function anyOf(fields: Fields): unknown {
  if (fields.has(1)) return text(one(fields, 1))
  if (fields.has(2)) return number(fields, 2) === 1n
  if (fields.has(3)) return Number(BigInt.asIntN(64, number(fields, 3)))
  if (fields.has(5)) return all(fieldsOf(one(fields, 5)), 1).map((each) => anyOf(fieldsOf(each)))
  return fields.has(4) ? new Float64Array(new BigUint64Array([number(fields, 4)]).buffer)[0] : undefined
}

const attributesOf = (list: readonly Uint8Array[]) =>
  Object.fromEntries(
    list.map((bytes) => {
      const pair = fieldsOf(bytes)
      return [text(one(pair, 1)), anyOf(fieldsOf(one(pair, 2)))]
    }),
  )

function spanOf(bytes: Uint8Array, resource: ReceivedSpan['resource'], scope: string): ReceivedSpan {
  const fields = fieldsOf(bytes)
  const status = fieldsOf(one(fields, 15))
  return {
    traceId: hex(one(fields, 1)),
    id: hex(one(fields, 2)),
    parent: hex(one(fields, 4)),
    name: text(one(fields, 5)),
    kind: Number(number(fields, 6)),
    start: number(fields, 7),
    end: number(fields, 8),
    attributes: attributesOf(all(fields, 9)),
    events: all(fields, 11).map((event) => {
      const parts = fieldsOf(event)
      return { time: number(parts, 1), name: text(one(parts, 2)), attributes: attributesOf(all(parts, 3)) }
    }),
    links: all(fields, 13).map((link) => {
      const parts = fieldsOf(link)
      return { traceId: hex(one(parts, 1)), id: hex(one(parts, 2)) }
    }),
    status: { code: Number(number(status, 3)), message: text(one(status, 2)) },
    resource,
    scope,
  }
}

function spansOf(request: Uint8Array): readonly ReceivedSpan[] {
  return all(fieldsOf(request), 1).flatMap((bytes) => {
    const group = fieldsOf(bytes)
    const resource = attributesOf(all(fieldsOf(one(group, 1)), 1))
    return all(group, 2).flatMap((scoped) => {
      const parts = fieldsOf(scoped)
      const scope = text(one(fieldsOf(one(parts, 1)), 1))
      return all(parts, 2).map((span) => spanOf(span, resource, scope))
    })
  })
}

export interface OtlpReceiver extends Disposable {
  readonly endpoint: string
  /** All spans so far. */
  readonly spans: readonly ReceivedSpan[]
  /** Number of exports so far. */
  readonly exports: number
  /** The spans of a trace, once `isWhole` says so. */
  trace(traceId: string, isWhole: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
}

const asBytes = (bytes: Buffer): Uint8Array => bytes
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes)

export async function startOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  let exports = 0
  const server = new Server()
  const method = {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: asBuffer,
    requestDeserialize: asBytes,
    responseSerialize: asBuffer,
    responseDeserialize: asBytes,
  } as const
  server.addService(
    { Export: method },
    {
      Export(call: ServerUnaryCall<Uint8Array, Uint8Array>, callback: sendUnaryData<Uint8Array>) {
        exports++
        spans.push(...spansOf(call.request))
        callback(null, new Uint8Array())
      },
    },
  )
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, found) => (error ? reject(error) : resolve(found)))
  })
  return {
    endpoint: `127.0.0.1:${bound}`,
    spans,
    get exports() {
      return exports
    },
    async trace(traceId, isWhole) {
      const found = () => spans.filter((span) => span.traceId === traceId)
      await eventually(`the trace ${traceId}`, async () => isWhole(found()))
      return found()
    },
    [Symbol.dispose]: () => server.forceShutdown(),
  }
}
