/** An in-process server whose webhook calls are answered by functions of the test. */
import type { TestContext } from 'node:test'
import type { EmbeddedOptions } from '../../../../runtimes/web/index.ts'
import { startInProcess } from '../../../support/in-process.ts'

export interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly object: TestObject | null
    readonly oldObject: TestObject | null
    readonly [field: string]: unknown
  }
}

export interface TestObject {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: { readonly name?: string; readonly labels?: { readonly [key: string]: string }; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** The response of a webhook: members beside the uid, or a whole Response. */
export type Answer = object | Response | Promise<object | Response>

export interface Answered {
  readonly code: number
  readonly message: string
  readonly body: TestObject & { readonly message?: string; readonly reason?: string; readonly details?: object }
  readonly warnings: readonly string[]
}

const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** An allowing response with a JSON patch. */
export const patch = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: encode(JSON.stringify(operations)),
})

export const rule = (resource = 'configmaps', operations = ['CREATE', 'UPDATE', 'DELETE'], apiGroups = [''], apiVersions = ['v1']) => ({
  operations,
  apiGroups,
  apiVersions,
  resources: [resource],
})

/** A webhook NAME.example.com at the path NAME. */
export const webhook = (name: string, more: object = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://hooks.example.com/${name}` },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [rule()],
  ...more,
})

const registration = '/apis/admissionregistration.k8s.io/v1'

/** `answers`: by webhook name; other webhooks allow. */
export async function startWithWebhooks(
  t: TestContext,
  answers: { [name: string]: (review: Review) => Answer },
  options: Partial<EmbeddedOptions> = {},
) {
  const reviews: { readonly name: string; readonly review: Review; readonly url: string }[] = []
  const { api } = await startInProcess(
    {
      controllers: [],
      telemetry: { logger: { debug() {}, info() {}, warn() {}, error: (fields, message) => console.error(message, fields) } },
      outbound: {
        async fetch(request) {
          const name = new URL(request.url).pathname.slice(1)
          const review = (await request.json()) as Review
          reviews.push({ name, review, url: request.url })
          const answer = (await answers[name]?.(review)) ?? { allowed: true }
          if (answer instanceof Response) return answer
          return Response.json({ kind: review.kind, apiVersion: review.apiVersion, response: { uid: review.request.uid, ...answer } })
        },
        call: () => Promise.reject(new Error('no gRPC here')),
      },
      ...options,
    },
    t,
  )

  async function send(method: string, path: string, body?: object, type?: string): Promise<Answered> {
    const contentType = type ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')
    const answer = await api.send<Answered['body']>(method, path, body, { 'content-type': contentType })
    const warnings = answer.headers.get('warning')?.split(/, (?=299 )/) ?? []
    return { code: answer.status, message: answer.body.message ?? '', body: answer.body, warnings }
  }

  /** Waits some turns of the event loop, until changes have reached the informers. */
  async function heard(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Creates a webhook configuration and waits until it is in force. */
  async function register(plural: 'mutating' | 'validating', name: string, ...webhooks: object[]): Promise<void> {
    const made = await send('POST', `${registration}/${plural}webhookconfigurations`, { metadata: { name }, webhooks })
    if (made.code !== 201) throw new Error(JSON.stringify(made.body))
    await heard()
  }

  return {
    api,
    send,
    reviews,
    mutating: (name: string, ...webhooks: object[]) => register('mutating', name, ...webhooks),
    validating: (name: string, ...webhooks: object[]) => register('validating', name, ...webhooks),
    async unregister(plural: 'mutating' | 'validating', name: string) {
      await send('DELETE', `${registration}/${plural}webhookconfigurations/${name}`)
      await heard()
    },
    /** The reviews received since the last call, with the webhook's name. */
    asked: () => reviews.splice(0).map(({ name, review: { request } }) => `${name} ${request.operation}`),
  }
}
