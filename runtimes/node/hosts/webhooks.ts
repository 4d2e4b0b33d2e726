/** Webhooks that the interface answers: with a constant, or by a call of a URL without certificates. */
import type { Outbound } from '../../../core/ports.ts'
import { readManifests } from '../../testing/manifests.ts'
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
  return (request) => {
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }
    const headers = { 'content-type': 'application/json' }
    return outbound.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(review) }), { timeout })
  }
}

/** What answers a server's calls of a webhook, with the URL that it calls. */
export const hookAnswer = (hook: Hook, outbound: Outbound): readonly [url: string, answer: Answer] => [
  urlOf(hook.kind, hook.name),
  admissionAnswer(handleOf(hook, outbound), false),
]

/** The webhooks of configurations that have an answer. */
export function hooksOf(manifests: string | readonly TestObject[], answers: Readonly<Record<string, Hook['answer']>>): Hook[] {
  const objects = typeof manifests === 'string' ? readManifests(manifests) : manifests
  return objects.flatMap((object) => {
    const kind = kinds[object.kind as keyof typeof kinds]
    const webhooks = (object['webhooks'] ?? []) as readonly { readonly name: string }[]
    return webhooks.flatMap(({ name }) => (Object.hasOwn(answers, name) ? [{ kind, name, answer: answers[name] as Hook['answer'] }] : []))
  })
}
