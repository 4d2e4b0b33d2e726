/** Sends spans to a collector: OTLP over gRPC, without TLS, as in the reference. */
import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from '../../../core/ports.ts'
import { encodeSpans } from './otlp.ts'

export interface ExporterOptions {
  /** `host:port`, or a target of gRPC such as `unix:///run/collector.sock`. */
  readonly endpoint: string
  readonly resource: Attributes
  readonly scope: string
  readonly logger: Logger
}

const method = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
/** Milliseconds of one call (the default of OTLP). */
const callTimeout = 10_000
/** Milliseconds between messages about a collector that does not take spans. */
const reportInterval = 60_000
/** No proxy. A collector that comes back is found soon. */
const channelOptions = { 'grpc.enable_http_proxy': 0, 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 5_000 }

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const ignored = () => undefined

export function createExporter({ endpoint, resource, scope, logger }: ExporterOptions): SpanExporter {
  const client = new Client(endpoint, credentials.createInsecure(), channelOptions)
  let [lost, reported] = [0, Number.NEGATIVE_INFINITY]

  function report(spans: number, why: string): void {
    lost += spans
    const now = performance.now()
    if (now - reported < reportInterval) return
    reported = now
    logger.warn({ endpoint, lost, error: why }, 'spans were lost: the collector of traces does not take them')
    lost = 0
  }

  return {
    export(spans: readonly ReadableSpan[], done) {
      const request = encodeSpans(spans, resource, scope)
      // Not the library's deadline, which is a date: a clock that is set would change it.
      const timer = setTimeout(() => call.cancel(), callTimeout).unref()
      const call = client.makeUnaryRequest(method, asBuffer, ignored, request, new Metadata({ waitForReady: true }), (error) => {
        clearTimeout(timer)
        if (error) report(spans.length, error.code === status.CANCELLED ? 'no answer in time' : error.details)
        done({ code: error ? 1 : 0, ...(error && { error }) })
      })
    },
    async shutdown() {
      client.close()
    },
  }
}
