/** Which requests are recorded, and where the events go. */
import { formats } from '../audit/log.ts'
import { modes } from '../audit/sink.ts'
import type { WebhookConnection } from '../outgoing/webhook/connection.ts'
import { type Conflicts, option } from './option.ts'
import { bool, callable, integer, milliseconds, number, object, oneOf, shape, text } from './types.ts'

const kibibyte = 1024
const mebibyte = kibibyte * kibibyte
const batched = '(mode batch)'

/** Rows that both backends have; their defaults differ. */
const bufferSize = () => option(integer, { default: 10_000, description: `Maximum number of events in the buffer ${batched}.` })
const maxSize = (value: number) => option(integer, { default: value, description: `Maximum number of events in a batch ${batched}.` })
const maxWait = (value: number) =>
  option(milliseconds(), { default: value, description: `Maximum time to wait for a batch to fill ${batched}.` })
const throttled = (value: boolean) => option(bool, { default: value, description: `Enable throttling of batches ${batched}.` })
const qps = (value: number) => option(number, { default: value, description: `Maximum average number of batches per second ${batched}.` })
const burst = (value: number) =>
  option(integer, { default: value, description: `Maximum number of batches delivered at once after a pause ${batched}.` })
const truncated = () => option(bool, { default: false, description: 'Enable truncation of events and batches that are too large.' })
const maxBatchBytes = () =>
  option(integer, {
    default: 10 * mebibyte,
    description: 'Maximum size of a batch in bytes; larger batches are split. The request may be a few hundred bytes larger.',
  })
const maxEventBytes = () =>
  option(integer, {
    default: 100 * kibibyte,
    description:
      'Maximum size of an event in bytes. Request and response bodies are removed from larger events; events that are still too large are dropped.',
  })

export const auditOptions = {
  auditPolicyFile: option(text, { description: 'Path of the audit policy file.' }),
  auditPolicy: option<object>(object, { description: 'Content of an audit policy file, for runtimes without files.' }),
  auditLogMode: option(oneOf(modes), {
    default: 'blocking',
    description:
      'blocking: the response waits until the event is written. blocking-strict: the request also fails if the event cannot be written. batch: events are written later.',
  }),
  auditLogFormat: option(oneOf(formats), { default: 'json', description: 'json, or legacy: one line of text per event.' }),
  auditLogBufferSize: bufferSize(),
  auditLogBatchSize: maxSize(1),
  auditLogBatchWait: maxWait(0),
  auditLogThrottled: throttled(false),
  auditLogThrottleQps: qps(0),
  auditLogThrottleBurst: burst(0),
  auditLogTruncated: truncated(),
  auditLogMaxBatchBytes: maxBatchBytes(),
  auditLogMaxEventBytes: maxEventBytes(),
  auditWebhookFile: option(text, { description: 'Path of the connection file (kubeconfig format) for the audit webhook.' }),
  auditWebhook: option<WebhookConnection>(shape({ url: text, options: object, authorization: callable }, ['url', 'options']), {
    description: 'Connection of the audit webhook, for runtimes without files.',
  }),
  auditWebhookMode: option(oneOf(modes), {
    default: 'batch',
    description:
      'batch: events are sent later. blocking: the response waits until the event is sent. blocking-strict: the request also fails if the event cannot be sent.',
  }),
  auditWebhookInitialBackoff: option(milliseconds(), { default: 10_000, description: 'Delay before the first retry.' }),
  auditWebhookBufferSize: bufferSize(),
  auditWebhookBatchSize: maxSize(400),
  auditWebhookBatchWait: maxWait(30_000),
  auditWebhookThrottled: throttled(true),
  auditWebhookThrottleQps: qps(10),
  auditWebhookThrottleBurst: burst(15),
  auditWebhookTruncated: truncated(),
  auditWebhookMaxBatchBytes: maxBatchBytes(),
  auditWebhookMaxEventBytes: maxEventBytes(),
}

const backends = ['Log', 'Webhook'] as const

export const auditConflicts: Conflicts<typeof auditOptions> = (options, named) =>
  backends.flatMap((backend) => {
    const [mode, maxBatch, maxEvent] = [`audit${backend}Mode`, `audit${backend}MaxBatchBytes`, `audit${backend}MaxEventBytes`] as const
    const throttles = [`audit${backend}ThrottleQps`, `audit${backend}ThrottleBurst`] as const
    const positive = [
      ...([`audit${backend}BufferSize`, `audit${backend}BatchSize`] as const),
      ...(options[`audit${backend}Throttled`] ? throttles : []),
    ]
    const zero = options[mode] === 'batch' ? positive.filter((name) => options[name] <= 0) : []
    return [
      ...zero.map((at) => ({ at, value: options[at], message: `must be positive when ${named(mode)} is batch` })),
      ...(options[maxEvent] <= 0 ? [{ at: maxEvent, value: options[maxEvent], message: 'must be positive' }] : []),
      ...(options[maxBatch] < options[maxEvent] ? [{ at: maxBatch, message: `must not be smaller than ${named(maxEvent)}` }] : []),
    ]
  })
