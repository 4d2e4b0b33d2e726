/** Puts webhooks of a test into effect: their functions answer, and configurations name them. */
import { ApiFailure } from './failure.ts'
import { applyManifests, readManifests } from './manifests.ts'
import type { Caller } from './objects.ts'
import type { TestObject } from './server.ts'
import type { Answer, Answers, WebhookKind } from './webhook-answers.ts'
import { admissionAnswer, conversionAnswer, delayed, failing, urlOf } from './webhook-answers.ts'
import type {
  AdmissionRequest,
  ValidatingWebhook,
  WebhookCall,
  WebhookFailure,
  WebhookFunctions,
  WebhookRule,
  Webhooks,
} from './webhook-types.ts'

const group = 'admissionregistration.k8s.io/v1'
const kinds = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' } as const
const phases = ['validating', 'mutating'] as const
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** Calls that are remembered. */
const maxCalls = 1_000

type AdmissionHandle = ValidatingWebhook['handle']
type Row = ValidatingWebhook | AdmissionHandle

const completeRule = (rule: WebhookRule) => ({ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], ...rule })

interface ManifestHook {
  readonly name: string
  readonly [field: string]: unknown
}

/** The webhooks of one call of `server.webhooks`, and what happens to them. */
class Installed implements Webhooks {
  readonly calls: WebhookCall[] = []
  readonly #answers = new Map<string, Answer>()
  readonly #disturbed = new Map<string, Answer[]>()
  readonly #undo: (() => Promise<void>)[] = []

  add(name: string, answer: Answer): Answer {
    this.#answers.set(name, answer)
    return async (request, clock) => {
      const { request: asked } = (await request.clone().json()) as { readonly request: AdmissionRequest }
      const at = this.calls.push({ name, request: asked }) - 1
      const call = this.calls[at] as WebhookCall & { response?: WebhookCall['response'] }
      if (this.calls.length > maxCalls) this.calls.shift()
      const response = await (this.#disturbed.get(name)?.at(-1) ?? answer)(request, clock)
      const review = (await response
        .clone()
        .json()
        .catch(() => ({}))) as { readonly response?: NonNullable<WebhookCall['response']> }
      if (review.response !== undefined) Object.assign(call, { response: review.response })
      return response
    }
  }

  onRemove(undo: () => Promise<void>): void {
    this.#undo.push(undo)
  }

  fail(name: string, how: WebhookFailure): () => void {
    return this.#disturb(name, () => failing(how))
  }

  delay(name: string, milliseconds: number): () => void {
    return this.#disturb(name, (answer) => delayed(answer, milliseconds))
  }

  async remove(): Promise<void> {
    for (const undo of this.#undo.splice(0)) await undo()
  }

  #disturb(name: string, by: (answer: Answer) => Answer): () => void {
    const answer = this.#answers.get(name)
    if (answer === undefined) throw new Error(`no webhook ${name}; there are ${[...this.#answers.keys()].join(', ')}`)
    const all = this.#disturbed.get(name) ?? []
    this.#disturbed.set(name, all)
    const disturbed = by(all.at(-1) ?? answer)
    all.push(disturbed)
    return () => {
      const at = all.indexOf(disturbed)
      if (at >= 0) all.splice(at, 1)
    }
  }
}

const handleOf = (row: Row) => (typeof row === 'function' ? row : row.handle)

/** The configuration of the webhooks that have rules of their own. */
function configurationOf(phase: (typeof phases)[number], name: string, rows: WebhookFunctions['validating'] = {}): TestObject[] {
  const webhooks = Object.entries(rows).flatMap(([hook, row]) => {
    if (typeof row === 'function') return []
    const { handle: _handle, rules, ...fields } = row
    const clientConfig = { url: urlOf(phase, hook) }
    return [{ name: hook, sideEffects: 'None', admissionReviewVersions: ['v1'], ...fields, rules: rules.map(completeRule), clientConfig }]
  })
  return webhooks.length === 0 ? [] : [{ apiVersion: group, kind: kinds[phase], metadata: { name }, webhooks }]
}

/** A configuration of the test's manifests, whose webhooks call the functions. Throws an Error when a webhook has none. */
function pointed(object: TestObject, given: WebhookFunctions): TestObject {
  const phase = phases.find((each) => kinds[each] === object.kind)
  if (phase === undefined) throw new Error(`webhooks: a ${object.kind} is no configuration of webhooks; use server.load`)
  const webhooks = (object['webhooks'] ?? []) as readonly ManifestHook[]
  for (const { name } of webhooks)
    if (typeof given[phase]?.[name] !== 'function')
      throw new Error(`webhooks: ${object.metadata?.name} has a webhook ${name}, and ${phase} has no function for it`)
  return { ...object, webhooks: webhooks.map((hook) => ({ ...hook, clientConfig: { url: urlOf(phase, hook.name) } })) }
}

/** Throws an Error for a function that no configuration names. */
function checkNamed(given: WebhookFunctions, objects: readonly TestObject[]): void {
  for (const phase of phases) {
    const named = new Set(
      objects.filter(({ kind }) => kind === kinds[phase]).flatMap((each) => (each['webhooks'] as ManifestHook[]).map(({ name }) => name)),
    )
    for (const name of Object.keys(given[phase] ?? {}))
      if (!named.has(name)) throw new Error(`webhooks: ${phase} ${name} has no rules, and manifests have no such webhook`)
  }
}

/**
 * Resolves when the webhooks are in effect. `name`: that of the configurations. Rejects with an ApiFailure when the server refuses a configuration.
 */
export async function installWebhooks(given: WebhookFunctions, name: string, answers: Answers, caller: Caller): Promise<Webhooks> {
  const { manifests = [], conversion = {} } = given
  const installed = new Installed()
  const own = typeof manifests === 'string' ? readManifests(manifests) : manifests
  const objects = [...own.map((object) => pointed(object, given)), ...phases.flatMap((phase) => configurationOf(phase, name, given[phase]))]
  checkNamed(given, objects)
  const answer = (kind: WebhookKind, hook: string, by: Answer) => answers.set(urlOf(kind, hook), installed.add(hook, by))
  for (const phase of phases)
    for (const [hook, row] of Object.entries(given[phase] ?? {})) answer(phase, hook, admissionAnswer(handleOf(row), phase === 'mutating'))
  for (const [definition, convert] of Object.entries(conversion)) answer('conversion', definition, conversionAnswer(convert))

  const ask = async (method: string, target: string, body?: object): Promise<TestObject> => {
    const headers = ['content-type', 'application/merge-patch+json']
    const response = await caller.send({ method, target, ...(body && { headers, body: JSON.stringify(body) }) })
    if (!response.ok) throw await ApiFailure.of(response, 'webhooks')
    return JSON.parse(await response.text()) as TestObject
  }
  await applyManifests(objects, caller, 'test')
  for (const { kind, metadata } of objects) {
    const collection = await caller.collectionPath(group, kind)
    // The server's caches, which a list waits for, tell what follows them first.
    await ask('GET', collection)
    installed.onRemove(async () => {
      await ask('DELETE', `${collection}/${metadata?.name}`)
      await ask('GET', collection)
    })
  }
  for (const definition of Object.keys(conversion)) {
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: urlOf('conversion', definition) }, conversionReviewVersions: ['v1'] },
    }
    await ask('PATCH', `${definitions}/${definition}`, { spec: { conversion } })
    await ask('GET', definitions)
    installed.onRemove(
      async () => void (await ask('PATCH', `${definitions}/${definition}`, { spec: { conversion: { strategy: 'None', webhook: null } } })),
    )
  }
  return installed
}
