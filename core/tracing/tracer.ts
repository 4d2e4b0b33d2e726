/** Spans of a tracer of OpenTelemetry. Loaded only when there is one. */
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { SpanAttributes } from '../ports.ts'
import { type Recorded, UnsampledSpan } from './span.ts'
import { formatTraceparent, type TraceParent } from './traceparent.ts'

/** The span of a request. */
export interface RequestSpan extends Recorded {
  set(attributes: SpanAttributes): void
  /** An earlier part; times are in milliseconds since the epoch. */
  past(name: string, start: number, end: number): void
  fail(): void
}

export interface RequestTrace {
  readonly name: string
  /** Called only for a request that is sampled. */
  attributes(): SpanAttributes
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly parent: TraceParent | undefined
  /** Whether the trace of the caller continues, and decides about sampling. Otherwise a new one begins, with a link to it. */
  readonly continues: boolean
}

class TracedSpan implements RequestSpan {
  readonly traceparent: string
  readonly #tracer: Tracer
  readonly #span: Span
  #context: Context | undefined

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer
    this.#span = span
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.traceparent = formatTraceparent({ traceId, spanId, flags: traceFlags })
  }

  #childContext(): Context {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span)
    return this.#context
  }

  child(name: string, attributes: SpanAttributes | undefined, kind: 'client' | undefined): Recorded {
    const options = { ...(attributes && { attributes }), ...(kind && { kind: SpanKind.CLIENT }) }
    return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, options, this.#childContext()))
  }

  past(name: string, start: number, end: number): void {
    this.#tracer.startSpan(name, { startTime: start }, this.#childContext()).end(end)
  }

  event(name: string, attributes: SpanAttributes | undefined): void {
    this.#span.addEvent(name, attributes)
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  fail(): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.#span.end()
  }
}

/** Returns a function that begins the span of a request. */
export function createRequestTracer(tracer: Tracer): (request: RequestTrace) => RequestSpan | UnsampledSpan {
  return ({ name, attributes, start, parent, continues }) => {
    const remote = parent && { traceId: parent.traceId, spanId: parent.spanId, traceFlags: parent.flags, isRemote: true }
    const context = remote && continues ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
    const links = remote && !continues ? { links: [{ context: remote }] } : {}
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: start, ...links }, context)
    const traced = new TracedSpan(tracer, span)
    if (!span.isRecording()) return new UnsampledSpan(traced.traceparent)
    traced.set(attributes())
    return traced
  }
}
