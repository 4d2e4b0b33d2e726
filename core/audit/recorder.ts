/** What is recorded about one request, from its arrival to its last event (apiserver, pkg/audit/context.go). */

import { internalServerError } from '../answers/plain-error.ts'
import type { Status } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Exchange, ExchangeObserver, RequestMetadata, User, Verdict } from '../request/exchange.ts'
import { targetOf } from '../request/target.ts'
import { withoutLineFeed } from '../schema/bytes.ts'
import { messageOf } from '../schema/message-of.ts'
import type { DecisionAnnotations } from './decision-annotations.ts'
import type { AuditEvent, ObjectReference, ResponseStatus } from './event.ts'
import type { Text } from './joined-text.ts'
import type { AuditCounts } from './metrics.ts'
import { patchObject, withoutManagedFields } from './objects.ts'
import type { Evaluate, RecordedParts, Stage } from './policy.ts'
import type { Sink } from './sink.ts'
import { sourceAddresses } from './source-addresses.ts'

export interface RecorderContext {
  readonly evaluate: Evaluate
  readonly sink: Sink
  readonly counts: AuditCounts
  readonly clock: Clock
  readonly logger: Logger
  readonly annotations: DecisionAnnotations
  /** What the first event of a request took, in milliseconds. */
  passed(milliseconds: number): void
}

const maxAgentLength = 1024
const raw = /[\x80-\xff]/
const allRaw = /[\x80-\xff]/g

const encoder = new TextEncoder()
const none: AuditEvent['annotations'] = []

/** The target of a request as Go writes it: bytes that must not be in a path are escaped. A character of a target stands for a byte. */
function requestUri(request: Request): string {
  const target = targetOf(request)
  if (!raw.test(target)) return target
  return target.replace(allRaw, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

function userAgent(headers: Headers): string {
  const agent = headers.get('user-agent') ?? ''
  return agent.length > maxAgentLength ? `${agent.slice(0, maxAgentLength)}...TRUNCATED` : agent
}

/** Records one request. It is the exchange's observer until the policy says that the request is not recorded. */
export class Recorder implements ExchangeObserver {
  readonly #context: RecorderContext
  readonly #exchange: Exchange
  readonly #received: number
  /** Absent: the policy has not been evaluated, or the request is not recorded. */
  #parts: RecordedParts | undefined
  #isEvaluated = false
  #user: User | undefined
  #impersonated: User | undefined
  #constraint = ''
  #verdict: Verdict | undefined
  #reason = ''
  #metadata: Required<RequestMetadata> | undefined
  #requestObject: Text | undefined
  #responseObject: Text | undefined
  #status: ResponseStatus | undefined
  #hasPanicked = false

  constructor(context: RecorderContext, exchange: Exchange) {
    this.#context = context
    this.#exchange = exchange
    this.#received = context.clock.now()
  }

  // ── Called by the exchange ────────────────────────────────────────────────────────────────────

  authenticated(): MaybePromise<void> {
    this.#user = this.#exchange.user
    if (!this.#evaluate()) return
    const stored = this.reached('RequestReceived')
    const { clock } = this.#context
    if (!(stored instanceof Promise)) return this.#pass(stored, 0)
    const began = clock.monotonic()
    return stored.then((late) => this.#pass(late, clock.monotonic() - began))
  }

  impersonated(user: User, constraint: string): void {
    this.#impersonated = user
    this.#constraint = constraint
  }

  authorized(verdict: Verdict, reason: string): void {
    this.#verdict = verdict
    this.#reason = reason
  }

  requested(metadata: RequestMetadata, json: () => string): void {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata
    // A copy: the object changes on its way to the store.
    this.#metadata = { name, namespace, uid, resourceVersion }
    if (this.#parts?.request) this.#requestObject = this.#print(json)
  }

  patched(body: Uint8Array): void {
    if (this.#parts?.request) this.#requestObject = patchObject(body)
  }

  responding(json: () => Uint8Array, status?: Status): void {
    if (this.#hasPanicked) return
    this.#status = status
    // A request that is refused before authentication is recorded later.
    if (this.#parts?.response || !this.#isEvaluated) this.#responseObject = this.#print(json)
  }

  panicked(error: unknown): void {
    this.#hasPanicked = true
    this.#status = { status: 'Failure', message: `APIServer panic'd: ${messageOf(error)}`, reason: 'InternalError', code: 500 }
  }

  // ── Called by the audit filter ────────────────────────────────────────────────────────────────

  /** Whether the request was refused before authentication and is recorded. Its only event is ResponseStarted. */
  isRefused(): boolean {
    if (this.#isEvaluated || !this.#evaluate()) return false
    if (!this.#parts?.response) this.#responseObject = undefined
    return true
  }

  /** Whether the response has events. */
  get isRecorded(): boolean {
    return this.#parts !== undefined
  }

  get hasPanicked(): boolean {
    return this.#hasPanicked
  }

  /** Makes the event of a stage. False: it is lost, and the mode is strict. `code`: HTTP status of the response, once there is one. */
  reached(stage: Stage, code?: number): MaybePromise<boolean> {
    const { sink, counts, clock } = this.#context
    if (this.#parts?.omitted.has(stage)) return true
    const reached = stage === 'RequestReceived' ? this.#received : clock.now()
    counts.recorded()
    return sink.process(this.#event(stage, reached, code))
  }

  // ── Parts of events ───────────────────────────────────────────────────────────────────────────

  /** Evaluates the policy. False: the request is not recorded. */
  #evaluate(): boolean {
    const { evaluate, counts } = this.#context
    this.#isEvaluated = true
    this.#parts = evaluate(this.#exchange.info, this.#user)
    counts.evaluated[this.#parts?.level ?? 'None']()
    if (this.#parts === undefined) this.#exchange.observer = undefined
    return this.#parts !== undefined
  }

  #pass(stored: boolean, took: number): void {
    if (!stored) this.#reject()
    this.#context.passed(took)
  }

  #reject(): never {
    this.#parts = undefined
    this.#exchange.observer = undefined
    this.#context.counts.rejected()
    throw internalServerError(targetOf(this.#exchange.request), 'failed to store audit event')
  }

  #print(text: () => Text): Text | undefined {
    try {
      const json = text()
      const bare = typeof json === 'string' ? json : withoutLineFeed(json)
      return this.#parts?.omitsManagedFields ? withoutManagedFields(typeof bare === 'string' ? encoder.encode(bare) : bare) : bare
    } catch (error) {
      this.#context.logger.error(
        { auditId: this.#exchange.auditId, error: messageOf(error) },
        'an object of an audit event was not encoded',
      )
      return undefined
    }
  }

  #event(stage: Stage, reached: number, code: number | undefined): AuditEvent {
    const { auditId, info, request, connection } = this.#exchange
    return {
      level: this.#parts?.level ?? 'None',
      auditId,
      stage,
      requestUri: requestUri(request),
      verb: info.verb,
      user: this.#user,
      impersonated: this.#impersonated,
      constraint: this.#constraint,
      sourceIps: sourceAddresses(request.headers, connection.remoteAddress),
      userAgent: userAgent(request.headers),
      object: this.#object(),
      status: code === undefined ? undefined : { ...this.#status, code },
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      received: this.#received,
      reached,
      annotations: this.#annotations(),
    }
  }

  #object(): ObjectReference | undefined {
    const { isResource, resource, namespace, name, group, version, subresource } = this.#exchange.info
    if (!isResource) return undefined
    const given = this.#metadata
    return {
      resource,
      namespace: namespace || (given?.namespace ?? ''),
      name: name || (given?.name ?? ''),
      uid: given?.uid ?? '',
      group,
      version,
      resourceVersion: given?.resourceVersion ?? '',
      subresource,
    }
  }

  #annotations(): AuditEvent['annotations'] {
    const decision = this.#verdict === undefined ? none : this.#context.annotations.of(this.#verdict, this.#reason)
    if (!this.#exchange.annotated) return decision
    const { annotations, requestAnnotations } = this.#exchange
    const all = new Map(annotations)
    if (this.#parts?.request) for (const [key, value] of requestAnnotations) if (!all.has(key)) all.set(key, value)
    for (const [key, value] of decision) all.set(key, value)
    return [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
