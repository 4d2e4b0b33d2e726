/** Conversion strategy Webhook: sends objects in batches as ConversionReviews. */

import { ApiError, unreasoned } from '../../answers/status.ts'
import { append } from '../../common/lists.ts'
import type { Connect, WebhookClientConfig } from '../../outgoing/webhook/client-config.ts'
import { post } from '../../outgoing/webhook/post.ts'
import { type ReviewType, readReview } from '../../outgoing/webhook/read-review.ts'
import { shortText } from '../../outgoing/webhook/short-text.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Context, Outbound } from '../../ports.ts'
import { ConversionReview } from '../../resources/apiextensions/conversionreview.ts'
import type { ApiObject, Converter } from '../../resources/definition.ts'
import { isReviewVersion } from '../../resources/webhook-client-validation.ts'
import { quote } from '../../schema/go/quote.ts'
import { printJson } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Message } from '../../schema/model.ts'
import type { ConversionMetrics } from './conversion-metrics.ts'
import { type Converted, InvalidObject, mergedObject, readConverted } from './converted-object.ts'
import type { Definition } from './definition.ts'

export interface ConversionContext {
  readonly connect: Connect
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
  readonly metrics: ConversionMetrics
  readonly platform: Platform
}

type Settings = NonNullable<NonNullable<Definition['spec']['conversion']>['webhook']>

/** Timeout in milliseconds per call. */
const callTimeout = 30_000
/** Maximum objects per call, and characters of them together; a single object may be larger. */
const maxObjects = 1_000
const maxText = 1024 * 1024
/** Maximum values of an answer: a call sends at most some 175,000, or one object. */
const maxValues = 300_000

/** Members of the response. */
interface Response {
  readonly uid: string
  readonly result?: { readonly status?: string; readonly message?: string }
  readonly convertedObjects?: readonly Converted[] | null
}

/** `example.com/v1, Kind=Widget`. */
const kindText = (apiVersion: string, kind: string) => `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`

/** The objects of a valid response. Throws an Error with the reason otherwise. */
function objectsOf(text: string, uid: string, type: ReviewType): readonly Converted[] {
  const { kind, apiVersion, review } = readReview(text, type)
  const expected = `${type.group}/${type.version}`
  const strict = type.version === 'v1'
  if (strict && (kind !== type.kind || apiVersion !== expected))
    throw new Error(`expected webhook response of ${kindText(expected, type.kind)}, got ${kindText(apiVersion, kind)}`)
  const response = review['response'] as unknown as Response | undefined
  if (!response) throw new Error('no response provided')
  if (strict && response.uid !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quote(response.uid)}`)
  const { status = '', message = '' } = response.result ?? {}
  if (status !== 'Success') throw new Error(message || `response.result.status was '${status}', not 'Success'`)
  return response.convertedObjects ?? []
}

/** Milliseconds after which a call counts as slow, and what each object adds. */
const [slowCall, slowObject] = [50, 8]

/** Throws that the webhook failed. */
const failed =
  (webhook: string) =>
  (error: unknown): never => {
    throw unreasoned(`${webhook} failed: ${shortText(messageOf(error))}`)
  }

function received<T>(webhook: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return failed(webhook)(error)
  }
}

interface Batch {
  readonly objects: ApiObject[]
  readonly texts: string[]
}

/** Splits objects into batches, encoded on demand: other requests run while a call is in progress. */
function* batches(objects: readonly ApiObject[]): Generator<Batch, void> {
  let batch: Batch = { objects: [], texts: [] }
  let size = 0
  for (const object of objects) {
    const text = printJson(object)
    if (batch.objects.length > 0 && (batch.objects.length === maxObjects || size + text.length > maxText)) {
      yield batch
      batch = { objects: [], texts: [] }
      size = 0
    }
    batch.objects.push(object)
    batch.texts.push(text)
    size += text.length
  }
  if (batch.objects.length > 0) yield batch
}

/** The version of `GROUP/VERSION`. */
const versionOf = (apiVersion: string) => apiVersion.slice(apiVersion.indexOf('/') + 1)

/** `name`: the definition's, for metrics. */
export function conversionWebhook(
  name: string,
  { clientConfig, conversionReviewVersions }: Settings,
  context: ConversionContext,
): Converter {
  const { connect, outbound, clock, platform, metrics } = context
  const version = conversionReviewVersions?.find(isReviewVersion)
  const group = platform.name('apiextensions.<domain>')
  const reviewApi = `${group}/${version}`
  // Lists of objects have many values.
  const type = { kind: 'ConversionReview', group, schema: ConversionReview as Message, maxValues }
  const reviewType: ReviewType = { ...type, version: version ?? 'v1' }
  const config = { ...clientConfig, caBundle: clientConfig?.caBundle?.trim() } as WebhookClientConfig

  /** The response to a batch. */
  async function call(texts: readonly string[], uid: string, apiVersion: string, caller: Context | undefined): Promise<string> {
    if (version === undefined) throw new Error('no supported conversion review versions')
    const request = `{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(apiVersion)},"objects":[${texts.join(',')}]}`
    const body = `{"kind":"ConversionReview","apiVersion":"${reviewApi}","request":${request}}`
    const connection = await connect(config, caller)
    const span = caller?.span?.start('Call conversion webhook', {
      'desired-api-version': apiVersion,
      'object-count': texts.length,
      UID: uid,
    })
    const given = caller && { signal: caller.signal, traceparent: span?.traceparent }
    try {
      return await post({ connection, outbound, clock, body, timeout: callTimeout, ...given })
    } finally {
      span?.end(slowCall + slowObject * texts.length)
    }
  }

  async function convertBatch({ objects, texts }: Batch, apiVersion: string, caller: Context | undefined): Promise<ApiObject[]> {
    const first = objects[0] as ApiObject
    const webhook = `conversion webhook for ${kindText(first.apiVersion, first.kind)}`
    const uid = crypto.randomUUID()
    const began = clock.monotonic()
    let failure: '' | 'call' | 'malformed_response' | 'partial_response' | 'invalid_converted_object' = 'call'
    try {
      const text = await call(texts, uid, apiVersion, caller).catch(failed(webhook))
      failure = 'malformed_response'
      const converted = received(webhook, () => objectsOf(text, uid, reviewType))
      failure = 'partial_response'
      if (converted.length !== objects.length)
        throw unreasoned(`${webhook} returned ${converted.length} objects, expected ${objects.length}`)
      failure = 'invalid_converted_object'
      const result = objects.map((object, index) => {
        try {
          return mergedObject(object, readConverted(converted[index]), apiVersion)
        } catch (error) {
          if (!(error instanceof InvalidObject)) throw error
          throw unreasoned(`${webhook} returned ${error.text(objects.length > 1 ? index : undefined)}`)
        }
      })
      failure = ''
      return result
    } finally {
      const labels = failure === '' ? (['success', ''] as const) : (['failure', `conversion_webhook_${failure}_failure`] as const)
      metrics.calls.add(labels)
      metrics.callDurations.observe(labels, (clock.monotonic() - began) / 1000)
    }
  }

  async function convertAll(objects: readonly ApiObject[], apiVersion: string, caller: Context | undefined): Promise<ApiObject[]> {
    const result: ApiObject[] = []
    for (const batch of batches(objects)) {
      try {
        append(result, await convertBatch(batch, apiVersion, caller))
      } catch (error) {
        throw error instanceof ApiError ? error : unreasoned(messageOf(error))
      }
    }
    return result
  }

  return {
    async convert(objects, apiVersion, caller) {
      const [from, to] = [versionOf(objects[0]?.apiVersion ?? ''), versionOf(apiVersion)]
      const began = clock.monotonic()
      let succeeded = false
      try {
        const result = await convertAll(objects, apiVersion, caller)
        succeeded = true
        return result
      } finally {
        if (from !== to) metrics.durations.observe([name, from, to, String(succeeded)], (clock.monotonic() - began) / 1000)
      }
    },
  }
}
