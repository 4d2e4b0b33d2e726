/** Sends spans to a collector: OTLP over gRPC, without TLS, as in the reference. */
import { lookup } from 'node:dns/promises'
import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import { pauseFor } from '../../../core/outgoing/time-limit.ts'
import { CallError, type Logger } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { createChannel } from '../../wire/client/channel.ts'
import { deadlineExceeded, unavailable } from '../../wire/client/codes.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { nodeClock } from '../clock.ts'
import { encodeSpans } from './otlp.ts'

export interface ExporterOptions {
  /** `host:port`, or a target of gRPC such as `unix:///run/collector.sock`. */
  readonly endpoint: string
  /** Connects to collectors that have a host; absent: directly. */
  readonly dial?: Dial | undefined
  readonly resource: Attributes
  readonly scope: string
  readonly logger: Logger
}

const method = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
/** Milliseconds of one export (the default of OTLP). */
const exportTimeout = 10_000
/** Milliseconds until an export is tried again that found no collector: the first time, and at most. */
const retryDelays = { first: 200, max: 5_000 }
/** Milliseconds between messages about a collector that does not take spans. */
const reportInterval = 60_000
/** Maximum bytes of an answer: the default of gRPC's libraries. */
const maxAnswer = 4 * 1024 * 1024
const defaultPort = 443

/** A target of gRPC (its naming.md) as a server of `addressOf`. */
function serverOf(target: string): string {
  const [, scheme, name = target] = /^(dns|unix|unix-abstract):(.*)$/.exec(target) ?? []
  const path = name.replace(/^\/\/(?=\/)/, '')
  if (scheme === 'unix' || scheme === 'unix-abstract') return `unix://${scheme === 'unix' ? '' : '\0'}${path}`
  // In front of the host may be the name server to ask.
  const host = name.replace(/^\/\/[^/]*\//, '')
  return /:\d+$/.test(host) ? host : `${host}:${defaultPort}`
}

/** A dial to the addresses of a name, in their order: gRPC's libraries resolve names before they call a dialer. */
function resolving(dial: Dial): Dial {
  return async (host, port) => {
    let failure: unknown
    for (const { address } of await lookup(host, { all: true })) {
      try {
        return await dial(address, port)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

export function createExporter({ endpoint, dial, resource, scope, logger }: ExporterOptions): SpanExporter {
  const channel = createChannel(serverOf(endpoint), { dial: dial && resolving(dial) }, nodeClock, maxAnswer)
  const closing = new AbortController()
  let [lost, reported] = [0, Number.NEGATIVE_INFINITY]

  function report(spans: number, why: string): void {
    lost += spans
    const now = performance.now()
    if (now - reported < reportInterval) return
    reported = now
    logger.warn({ endpoint, lost, error: why }, 'spans were lost: the collector of traces does not take them')
    lost = 0
  }

  /** Waits for a collector that is not there yet. Rejects with a CallError, or with the reason of the end. */
  async function send(request: Uint8Array): Promise<void> {
    const deadline = nodeClock.monotonic() + exportTimeout
    for (let delay = retryDelays.first; ; delay = Math.min(2 * delay, retryDelays.max)) {
      try {
        await channel.call(method, request, deadline, closing)
        return
      } catch (error) {
        const isAway = error instanceof CallError && error.code === unavailable
        if (!isAway || closing.signal.aborted || nodeClock.monotonic() + delay > deadline) throw error
      }
      await pauseFor(nodeClock, delay, closing.signal)
    }
  }

  return {
    export(spans: readonly ReadableSpan[], done) {
      send(encodeSpans(spans, resource, scope)).then(
        () => done({ code: 0 }),
        (error: Error) => {
          const isLate = error instanceof CallError && error.code === deadlineExceeded
          report(spans.length, isLate ? 'no answer in time' : messageOf(error))
          done({ code: 1, error })
        },
      )
    },
    async shutdown() {
      closing.abort(new Error('the server is closing'))
      channel.close()
    },
  }
}
