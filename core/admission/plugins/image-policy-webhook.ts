/** Has images reviewed by a webhook, by an ImageReview over HTTPS (plugin/pkg/admission/imagepolicy). */

import { AttemptError, createReadingCall } from '../../outgoing/webhook/call.ts'
import { createExpiringCache } from '../../outgoing/webhook/expiring-cache.ts'
import { type ReviewType, readReview } from '../../outgoing/webhook/read-review.ts'
import { ImageReview } from '../../resources/imagepolicy/imagereview.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { refusal, specOf } from './about.ts'

interface Containers {
  readonly [list: string]: readonly { readonly image?: string }[] | null | undefined
}

interface Verdict {
  readonly allowed: boolean
  readonly reason: string
  readonly auditAnnotations: { readonly [key: string]: string }
}

const keptVerdicts = 1024
/** Maximum characters of a review with a kept verdict, because clients choose its images and annotations. */
const maxKeptLength = 16_384
/** Timeout in milliseconds per call. */
const timeout = 30_000
/** Lists of containers in a request, by subresource of the pod. */
const listsOf: { readonly [side: string]: readonly string[] } = {
  '': ['containers', 'initContainers'],
  ephemeralcontainers: ['ephemeralContainers'],
}

/** Throws an Error without a configuration. */
export function imagePolicyWebhook({ platform, outbound, clock, logger, configuration }: PluginContext): AdmissionPlugin {
  const settings = configuration.ImagePolicyWebhook
  if (settings === undefined) throw new Error('ImagePolicyWebhook needs a configuration')
  const marked = platform.name('.image-policy.<domain>/')
  const cache = createExpiringCache<Verdict>(keptVerdicts, clock)
  const { connection, retryBackoff, allowTtl, denyTtl, defaultAllow } = settings
  const type: ReviewType = { kind: 'ImageReview', group: platform.name('imagepolicy.<domain>'), version: 'v1alpha1', schema: ImageReview }
  const call = createReadingCall({ connection, outbound, clock, timeout, firstWait: retryBackoff, read: readVerdict, tried: () => {} })

  /** Throws an Error when the text is malformed, or a review of another type. What an answer does not say is not allowed. */
  function readVerdict(answer: string): Verdict {
    const { allowed = false, reason = '', auditAnnotations = {} } = (readReview(answer, type).review['status'] ?? {}) as Partial<Verdict>
    return { allowed, reason, auditAnnotations }
  }

  function reviewOf({ namespace, object, subresource }: AdmissionAttributes): object {
    const spec = object ? specOf<Containers>(object) : {}
    const containers = (listsOf[subresource] ?? []).flatMap((name) => (spec[name] ?? []).map(({ image = '' }) => ({ image })))
    const annotations = Object.fromEntries(Object.entries(object?.metadata.annotations ?? {}).filter(([key]) => key.includes(marked)))
    return { containers, ...(Object.keys(annotations).length > 0 && { annotations }), namespace }
  }

  /** Undefined: the call failed and the default is to allow. */
  async function ask(attributes: AdmissionAttributes): Promise<Verdict | undefined> {
    const spec = reviewOf(attributes)
    const key = JSON.stringify(spec)
    const known = cache.get(key)
    if (known) return known
    try {
      const apiVersion = `${type.group}/${type.version}`
      const verdict = await call(
        JSON.stringify({ kind: type.kind, apiVersion, metadata: {}, spec, status: { allowed: false } }),
        attributes.signal,
      )
      if (key.length <= maxKeptLength) cache.set(key, verdict, verdict.allowed ? allowTtl : denyTtl)
      return verdict
    } catch (error) {
      if (attributes.signal.aborted) throw error
      logger.warn({ error: messageOf(error), allowed: defaultAllow }, 'image policy webhook failed')
      if (!defaultAllow) throw (error instanceof AttemptError ? error.forbidden : undefined) ?? refusal(attributes, messageOf(error))
      attributes.annotate(`imagepolicywebhook${marked}failed-open`, 'true')
      return undefined
    }
  }

  return {
    name: 'ImagePolicyWebhook',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    async validate(attributes) {
      if (attributes.object === undefined || listsOf[attributes.subresource] === undefined) return
      const verdict = await ask(attributes)
      if (verdict === undefined) return
      const { allowed, reason, auditAnnotations } = verdict
      for (const [key, value] of Object.entries(auditAnnotations)) attributes.annotate(`imagepolicywebhook${marked}${key}`, value)
      if (allowed) return
      const denied = `image policy webhook backend denied one or more images: ${reason}`
      throw refusal(attributes, reason === '' ? 'one or more images rejected by webhook backend' : denied)
    },
  }
}
