import type { Context, Span, SpanAttributes } from '../ports.ts'
import { LogTrace, type TraceLog } from './log-trace.ts'

/** A span as a tracer records it. */
export interface Recorded {
  readonly traceparent: string
  child(name: string, attributes: SpanAttributes | undefined, kind: 'client' | undefined): Recorded
  event(name: string, attributes: SpanAttributes | undefined): void
  end(): void
}

/** A span for a tracer, for the log of slow requests, or for both. */
export class RecordedSpan implements Span {
  readonly isRecorded = true
  readonly #recorded: Recorded | undefined
  readonly #log: TraceLog | undefined
  readonly #trace: LogTrace | undefined
  #isEnded = false

  /** `log`: absent when slow requests are not logged. `trace`: absent for the request itself, of which each part is logged on its own. */
  constructor(recorded: Recorded | undefined, log: TraceLog | undefined, trace?: LogTrace) {
    this.#recorded = recorded
    this.#log = log
    this.#trace = trace
  }

  get traceparent(): string | undefined {
    return this.#recorded?.traceparent
  }

  start(name: string, attributes?: SpanAttributes, kind?: 'client'): Span {
    const trace = this.#trace?.part(name, attributes) ?? (this.#log && new LogTrace(this.#log, name, attributes))
    return new RecordedSpan(this.#recorded?.child(name, attributes, kind), this.#log, trace)
  }

  event(name: string, attributes?: SpanAttributes): void {
    this.#recorded?.event(name, attributes)
    this.#trace?.step(name, attributes)
  }

  end(slow?: number): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#recorded?.end()
    if (slow !== undefined) this.#trace?.end(slow)
  }
}

/** The span of a request that is not sampled, and of all parts of it. */
export class UnsampledSpan implements Span {
  readonly isRecorded = false
  readonly traceparent: string

  constructor(traceparent: string) {
    this.traceparent = traceparent
  }

  start(): Span {
    return this
  }

  event(): void {}

  end(): void {}
}

/** A context whose operation is a part of another one's. */
class PartContext implements Context {
  readonly span: Span
  readonly #whole: Context

  constructor(whole: Context, span: Span) {
    this.#whole = whole
    this.span = span
  }

  get signal(): AbortSignal {
    return this.#whole.signal
  }

  get deadline(): number | undefined {
    return this.#whole.deadline
  }
}

export const inPart = (context: Context, span: Span): Context => new PartContext(context, span)

/** Milliseconds after which an operation counts as slow, unless it has a threshold of its own. */
export const slowOperation = 500

/** Runs a part of an operation in a span of its own. Callers check first that the context has a span: without one nothing must be computed. */
export function inSpan<T>(context: Context, span: Span, run: (context: Context, span: Span) => T | Promise<T>): T | Promise<T> {
  let result: T | Promise<T>
  try {
    result = run(inPart(context, span), span)
  } catch (error) {
    span.end(slowOperation)
    throw error
  }
  if (result instanceof Promise) return result.finally(() => span.end(slowOperation))
  span.end(slowOperation)
  return result
}
