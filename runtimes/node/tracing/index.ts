/** The tracer that a file of kind TracingConfiguration asks for. Loaded only with `--tracing-config-file`: it brings OpenTelemetry. */
import type { Tracer } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { TracingConfiguration } from '../../../core/config/files/tracing.ts'
import type { Logger } from '../../../core/ports.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { createExporter } from './exporter.ts'

export interface Tracing {
  readonly tracer: Tracer
  /** Sends the spans that are left; takes a few seconds at most. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly configuration: TracingConfiguration
  /** Name of this server in traces. */
  readonly identity: string
  /** The way to the collector; absent: a direct one. */
  readonly dial?: Dial | undefined
  readonly logger: Logger
}

const service = 'apiserver'
const defaultEndpoint = 'localhost:4317'
const perMillion = 1_000_000
/** Spans that wait, at most; more are dropped. Spans of one export. Milliseconds until an export, and of one. */
const limits = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5_000, exportTimeoutMillis: 30_000 }
/** Milliseconds for the last export. */
const closingLimit = 5_000

export function openTracing({ configuration, identity, dial, logger }: TracingOptions): Tracing {
  const { endpoint = defaultEndpoint, samplingRatePerMillion: rate = 0 } = configuration
  const resource = { 'service.name': service, 'service.instance.id': identity }
  const exporter = createExporter({ endpoint, dial, resource, scope: service, logger })
  const processor = new BatchSpanProcessor(exporter, limits)
  const root = rate > 0 ? new TraceIdRatioBasedSampler(rate / perMillion) : new AlwaysOffSampler()
  const provider = new BasicTracerProvider({ sampler: new ParentBasedSampler({ root }), spanProcessors: [processor] })
  return {
    tracer: provider.getTracer(service),
    async close() {
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closingLimit)
      })
      // Errors have been logged by the exporter.
      await Promise.race([provider.shutdown().catch(() => undefined), limit])
      clearTimeout(timer)
      await exporter.shutdown()
    },
  }
}
