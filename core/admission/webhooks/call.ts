/** Calls one webhook for one request. */

import { ApiError, badRequest, internalError, timeout } from '../../answers/status.ts'
import { NoAddress } from '../../outgoing/service-address.ts'
import { type Connect, urlOf } from '../../outgoing/webhook/client-config.ts'
import { PostRefused, post, postingTo } from '../../outgoing/webhook/post.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Logger, Outbound, Span } from '../../ports.ts'
import { printJson } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import { slowOperation } from '../../tracing/span.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import { admissionRequest } from '../matching/request.ts'
import type { Invocation } from '../matching/rules.ts'
import { type AdmissionMetrics, codeText, type StepType } from '../metrics.ts'
import type { VersionedObjects } from '../versioned.ts'
import { CallFailed, Denied, denied } from './errors.ts'
import type { Hook } from './hook.ts'
import { type AdmissionResponse, parseReview, type Review, readResponse, UnsupportedPatch } from './response.ts'

/** Dependencies of calls. */
export interface Caller {
  readonly connect: Connect
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  /** All requests count as dry runs. */
  readonly dryRun: boolean
  readonly metrics: AdmissionMetrics
}

const unavailable = 503

function checkDryRun({ name, sideEffects }: Hook): void {
  if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return
  if (sideEffects === undefined) throw new CallFailed(name, 'Webhook SideEffects is nil', 400)
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
}

/** A webhook, and the request that it reviews. */
export interface HookCall {
  readonly hook: Hook
  readonly attributes: AdmissionAttributes
  readonly invocation: Invocation
  readonly objects: { readonly [K in keyof VersionedObjects]?: VersionedObjects[K] | null }
  readonly mutating: boolean
}

/**
 * Resolves if the webhook allows the request. Rejects with CallFailed, with Denied, or with an ApiError that applies regardless of the failure
 * policy.
 */
export async function callHook(call: HookCall, caller: Caller): Promise<AdmissionResponse> {
  const { hook, attributes, mutating } = call
  if (attributes.dryRun || caller.dryRun) checkDryRun(hook)
  const { group, version, resource } = attributes.resource
  const span = attributes.span?.start(mutating ? 'Call mutating webhook' : 'Call validating webhook', {
    configuration: hook.configuration,
    webhook: hook.name,
    resource: `${group}/${version}, Resource=${resource}`,
    subresource: attributes.subresource,
    operation: attributes.operation,
  })
  try {
    const response = await review(call, caller, span)
    span?.event('Request completed')
    return response
  } finally {
    span?.end(slowOperation)
  }
}

async function review(call: HookCall, caller: Caller, span: Span | undefined): Promise<AdmissionResponse> {
  const { hook, attributes, invocation, mutating } = call
  const { object = null, oldObject = null } = call.objects
  const { connect, outbound, platform, clock, dryRun: always } = caller
  const { name, reviewVersion: version } = hook
  const failed = (reason: string, code: number, cause?: unknown) => new CallFailed(name, reason, code, cause)
  if (version === undefined)
    throw failed('could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)', 400)
  const uid = crypto.randomUUID()
  const { dryRun, options, ...about } = admissionRequest(attributes, invocation)
  const request = { uid, ...about, object, oldObject, dryRun: dryRun || always, options }
  const body = { kind: 'AdmissionReview', apiVersion: platform.name(`admission.<domain>/${version}`), request }
  const { deadline = Number.POSITIVE_INFINITY, signal } = attributes
  const limit = Math.min(hook.timeout, deadline - clock.monotonic())
  const connection = await connect(hook.clientConfig, attributes).catch((error: unknown) => {
    const posting = error instanceof NoAddress ? `${postingTo(urlOf(hook.clientConfig), limit)}: ` : ''
    throw failed(`failed to call webhook: ${posting}${messageOf(error)}`, unavailable, error)
  })
  const expected = { uid, version, mutating }
  let parsed: Review
  try {
    const answer = await post({
      connection,
      outbound,
      clock,
      body: printJson(body),
      timeout: limit,
      signal,
      traceparent: span?.traceparent,
    })
    parsed = parseReview(answer, expected, platform)
  } catch (error) {
    throw failed(`failed to call webhook: ${messageOf(error)}`, error instanceof PostRefused ? error.code : unavailable, error)
  }
  let response: AdmissionResponse
  try {
    response = readResponse(parsed, expected, platform)
  } catch (error) {
    if (error instanceof UnsupportedPatch) throw failed(error.message, unavailable, error)
    throw failed(`received invalid webhook response: ${messageOf(error)}`, unavailable, error)
  }
  for (const [key, value] of Object.entries(response.annotations)) attributes.annotate(`${name}/${key}`, value)
  for (const text of response.warnings) attributes.warn(text)
  if (!response.allowed) throw denied(name, response.result)
  return response
}

/** Runs a call, reports it, and applies the failure policy. Resolves to false when a failure is ignored; rejects with the client's ApiError. */
export async function callWithFailurePolicy(
  hook: Hook,
  { operation, signal, deadline = Number.POSITIVE_INFINITY }: AdmissionAttributes,
  type: StepType,
  call: () => Promise<void>,
  { clock, logger, metrics }: Pick<Caller, 'clock' | 'logger' | 'metrics'>,
): Promise<boolean> {
  const { name, ignoresFailure, configuration } = hook
  const began = clock.monotonic()
  const step = [name, type, operation] as const
  const note = (isRejected: boolean, code: number) => {
    metrics.webhookDurations.observe([...step, String(isRejected)], (clock.monotonic() - began) / 1000)
    metrics.webhookRequests.add([...step, codeText(code), String(isRejected)])
  }
  const rejected = (error: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error', code: number) => {
    note(true, code)
    metrics.webhookRejections.add([...step, error, codeText(code)])
  }
  try {
    await call()
    note(false, 200)
    return true
  } catch (error) {
    if (error instanceof Denied) {
      const { code = 0 } = error.refusal.status
      rejected('no_error', code)
      throw error.refusal
    }
    if (!(error instanceof CallFailed)) {
      rejected('apiserver_internal_error', 0)
      throw error instanceof ApiError ? error : internalError(messageOf(error))
    }
    logger.warn({ configuration, webhook: name, error: error.message }, `webhook failed, failing ${ignoresFailure ? 'open' : 'closed'}`)
    if (!ignoresFailure) {
      rejected('calling_webhook_error', error.code)
      throw internalError(error.message)
    }
    note(false, error.code)
    metrics.webhookFailedOpen.add([name, type])
    // Where the webhook's timeout is the remaining time of the request, it may fire a moment before the request's own.
    if (signal.aborted || clock.monotonic() + 1 >= deadline) throw timeout('request did not complete within requested timeout')
    return false
  }
}
