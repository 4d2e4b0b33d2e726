/** Webhooks that the interface answers: with a constant, or by a call of a URL without certificates. */
import { badRequest } from '../../../core/answers/status.ts'
import type { Outbound } from '../../../core/ports.ts'
import type { TestObject } from '../../testing/server.ts'
import { type Answer, admissionAnswer, urlOf } from '../../testing/webhook-answers.ts'
import type { AdmissionFunction } from '../../testing/webhook-types.ts'

export interface Hook {
  readonly kind: 'validating' | 'mutating'
  /** Name of the webhook in its configuration. */
  readonly name: string
  /** Where reviews are sent, or what answers all of them. */
  readonly answer: { readonly url: string } | { readonly allowed: boolean; readonly [field: string]: unknown }
}

/** Milliseconds; the server's own timeouts are shorter. */
const timeout = 30_000

const kinds = { ValidatingWebhookConfiguration: 'validating', MutatingWebhookConfiguration: 'mutating' } as const

/** The function of a webhook. */
export function handleOf({ answer }: Hook, outbound: Outbound): AdmissionFunction['bivariance'] {
  if (!('url' in answer)) return () => answer as { readonly allowed: boolean }
  const url = answer.url as string
  return async (request) => {
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }
    const headers = { 'content-type': 'application/json' }
    const asked = new Request(url, { method: 'POST', headers, body: JSON.stringify(review) })
    const { status, headers: answered, body } = await outbound.fetch(asked, { timeout })
    return new Response(body, { status, headers: [...answered] })
  }
}

/** What answers a server's calls of a webhook, with the URL that it calls. */
export const hookAnswer = (hook: Hook, outbound: Outbound): readonly [url: string, answer: Answer] => [
  urlOf(hook.kind, hook.name),
  admissionAnswer(handleOf(hook, outbound), false),
]

/** The webhooks of configurations, with their answers. @throws ApiError BadRequest for another object, and for a webhook without an answer. */
export function hooksOf(objects: readonly TestObject[], answers: Readonly<Record<string, Hook['answer']>>): Hook[] {
  return objects.flatMap((object) => {
    const kind = Object.hasOwn(kinds, object.kind) ? kinds[object.kind as keyof typeof kinds] : undefined
    if (kind === undefined) throw badRequest(`manifests: a ${object.kind} is no configuration of webhooks`)
    const { webhooks } = object
    if (!Array.isArray(webhooks)) throw badRequest(`manifests: ${object.kind} ${object.metadata?.name}: webhooks: must be a list`)
    return webhooks.map((each: { readonly name?: unknown } | null) => {
      const name = String(each?.name)
      if (!Object.hasOwn(answers, name)) throw badRequest(`answers: no answer for the webhook ${name} of ${object.metadata?.name}`)
      return { kind, name, answer: answers[name] as Hook['answer'] }
    })
  })
}
