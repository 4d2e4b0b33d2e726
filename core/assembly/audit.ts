/** The audit policy and its backends, from options and their files. */
import { type BatchOptions, EventBuffer } from '../audit/buffer.ts'
import { DecisionAnnotations } from '../audit/decision-annotations.ts'
import { EventEncoder } from '../audit/event.ts'
import { auditPolicy } from '../audit/file/audit-policy.ts'
import { logDelivery } from '../audit/log.ts'
import { lossReporter } from '../audit/losses.ts'
import { auditCounts, type auditRows } from '../audit/metrics.ts'
import { compilePolicy } from '../audit/policy.ts'
import type { RecorderContext } from '../audit/recorder.ts'
import { allSinks, type Deliver, directSink, type Mode, type ReportLoss, type Sink } from '../audit/sink.ts'
import { createThrottle } from '../audit/throttle.ts'
import { type TruncateOptions, truncating } from '../audit/truncate.ts'
import { webhookDelivery } from '../audit/webhook.ts'
import { loadContent, loadFile } from '../config/files/load.ts'
import { followFile, readFileText } from '../config/follow-file.ts'
import type { Recorded } from '../metrics.ts'
import type { CompleteOptions } from '../options/index.ts'
import { loadConnectionFile } from '../outgoing/webhook/connection-file.ts'
import type { HostPorts } from '../ports.ts'

export interface Audit {
  readonly context: RecorderContext
  /** Stores what is buffered. */
  close(): Promise<void>
}

interface Backend {
  readonly mode: Mode
  readonly batch: BatchOptions
  /** Absent: events are not truncated. */
  readonly truncate: TruncateOptions | undefined
  readonly deliver: Deliver
  /** Batches that are delivered at the same time. */
  readonly concurrency: number
  readonly joins: boolean
}

/** Maximum batches that a webhook is sent at the same time. */
const maxPosts = 64

function sinkOf(backend: Backend, encoder: EventEncoder, annotation: string, clock: HostPorts['clock'], reportLoss: ReportLoss): Sink {
  const { mode, batch, truncate, concurrency, joins } = backend
  const sizeOf = (event: Parameters<EventEncoder['line']>[0]) => encoder.line(event).length
  const deliver = truncate ? truncating(truncate, { sizeOf, reportLoss, annotation }, backend.deliver) : backend.deliver
  if (mode !== 'batch') return directSink(deliver, mode === 'blocking-strict')
  return new EventBuffer({ ...batch, clock, deliver, reportLoss, concurrency, joins })
}

/** Rejects with an Error that names the file when a file can't be used. Undefined: events have nowhere to go. */
export async function createAudit(
  { general, audit: options }: CompleteOptions,
  ports: HostPorts,
  metrics: Recorded<typeof auditRows>,
  passed: RecorderContext['passed'],
): Promise<Audit | undefined> {
  const { auditPolicyFile: file, auditWebhookFile: connectionFile } = options
  const { platform } = general
  const { clock, outbound, files, telemetry, limits } = ports
  const { logger } = telemetry
  const text = file === undefined ? '' : await readFileText(files, file)
  const policy =
    file === undefined
      ? loadContent(auditPolicy, options.auditPolicy, 'auditPolicy', platform)
      : loadFile(auditPolicy, text, file, platform)
  let evaluate = compilePolicy(policy)
  const connection = connectionFile === undefined ? options.auditWebhook : await loadConnectionFile(connectionFile, ports, 'controlplane')
  const encoder = new EventEncoder(platform.name('audit.<domain>/v1'))
  const reportLoss = lossReporter((plugin, count) => metrics.errors.add([plugin], count), logger, clock)
  const throttle = (backend: string, enabled: boolean, qps: number, burst: number) => {
    if (!enabled) return {}
    const rate = { qps, burst }
    return { throttle: limits ? () => limits.pass(`audit/${backend}`, rate) : createThrottle(rate, clock) }
  }
  const log: Backend | undefined = telemetry.audit && {
    mode: options.auditLogMode,
    batch: {
      bufferSize: options.auditLogBufferSize,
      maxSize: options.auditLogBatchSize,
      maxWait: options.auditLogBatchWait,
      ...throttle('log', options.auditLogThrottled, options.auditLogThrottleQps, options.auditLogThrottleBurst),
    },
    truncate: options.auditLogTruncated
      ? { maxBatchSize: options.auditLogMaxBatchBytes, maxEventSize: options.auditLogMaxEventBytes }
      : undefined,
    deliver: logDelivery(telemetry.audit, { format: options.auditLogFormat, encoder, reportLoss }),
    concurrency: 1,
    joins: !options.auditLogThrottled,
  }
  const webhook: Backend | undefined = connection && {
    mode: options.auditWebhookMode,
    batch: {
      bufferSize: options.auditWebhookBufferSize,
      maxSize: options.auditWebhookBatchSize,
      maxWait: options.auditWebhookBatchWait,
      ...throttle('webhook', options.auditWebhookThrottled, options.auditWebhookThrottleQps, options.auditWebhookThrottleBurst),
    },
    truncate: options.auditWebhookTruncated
      ? { maxBatchSize: options.auditWebhookMaxBatchBytes, maxEventSize: options.auditWebhookMaxEventBytes }
      : undefined,
    deliver: webhookDelivery({ connection, outbound, clock, firstWait: options.auditWebhookInitialBackoff, encoder, reportLoss }),
    concurrency: maxPosts,
    joins: false,
  }
  const annotation = platform.name('audit.<domain>/truncated')
  const sinks = [log, webhook].flatMap((backend) => (backend ? [sinkOf(backend, encoder, annotation, clock, reportLoss)] : []))
  if (sinks.length === 0) {
    logger.info({}, 'audit: a policy without a log or webhook records nothing')
    return undefined
  }
  const sink = allSinks(sinks)
  const follow = (path: string) =>
    followFile({
      path,
      files,
      logger,
      text,
      what: 'audit policy',
      load: (changed) => compilePolicy(loadFile(auditPolicy, changed, path, platform)),
      use(changed) {
        evaluate = changed
      },
    })
  const stopFollowing = file === undefined ? undefined : follow(file)
  return {
    context: {
      evaluate: (info, user) => evaluate(info, user),
      sink,
      counts: auditCounts(metrics),
      clock,
      logger,
      annotations: new DecisionAnnotations(platform),
      passed,
    },
    close() {
      stopFollowing?.()
      return sink.close()
    },
  }
}
