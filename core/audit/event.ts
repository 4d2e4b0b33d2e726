/** Audit events, and their JSON as the reference writes it: the same fields in the same order (apiserver, pkg/apis/audit/v1). */

import type { User } from '../request/exchange.ts'
import type { Status } from '../respond/status.ts'
import { concatenate } from '../schema/bytes.ts'
import { htmlSafe } from '../schema/html-safe.ts'
import { timestamp } from '../schema/time.ts'
import type { Level, Stage } from './policy.ts'

export interface ObjectReference {
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly group: string
  readonly version: string
  readonly resourceVersion: string
  readonly subresource: string
}

/** The parts of a Status that events have; a response that is no Status has a code only. */
export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>

/** A request at one stage. Times are milliseconds since the epoch. */
export interface AuditEvent {
  readonly level: Level
  readonly auditId: string
  readonly stage: Stage
  readonly requestUri: string
  readonly verb: string
  /** Absent: the request was refused before authentication. */
  readonly user: User | undefined
  readonly impersonated: User | undefined
  /** The verb that allowed a constrained impersonation (KEP-5284); empty: none. */
  readonly constraint: string
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  /** Absent: not a request to a resource. */
  readonly object: ObjectReference | undefined
  readonly status: ResponseStatus | undefined
  /** JSON without white space. */
  readonly requestObject: Uint8Array | undefined
  readonly responseObject: Uint8Array | undefined
  readonly received: number
  readonly reached: number
  /** Sorted by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[]
}

const textEncoder = new TextEncoder()
const lineEnd = textEncoder.encode('}\n')
const objectEnd = textEncoder.encode('}')

/** What JSON.stringify leaves out when it is empty. */
const filled = (value: string) => (value === '' ? undefined : value)
const anyOf = <T>(values: readonly T[]) => (values.length === 0 ? undefined : values)

function userInfo({ name, uid = '', groups, extra = {} }: User): object {
  const keys = Object.keys(extra).sort()
  const sorted = keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, extra[key]]))
  return { username: filled(name), uid: filled(uid), groups: anyOf(groups), extra: sorted }
}

const objectRef = ({ resource, namespace, name, uid, group, version, resourceVersion, subresource }: ObjectReference) => ({
  resource: filled(resource),
  namespace: filled(namespace),
  name: filled(name),
  uid: filled(uid),
  apiGroup: filled(group),
  apiVersion: filled(version),
  resourceVersion: filled(resourceVersion),
  subresource: filled(subresource),
})

const responseStatus = ({ status, message = '', reason = '', details, code }: ResponseStatus) => ({
  metadata: {},
  status,
  message: filled(message),
  reason: filled(reason),
  details,
  code: code === 0 ? undefined : code,
})

/** Encodes events. What is the same in many of them is kept: a user as long as the user, the text of the last second. */
export class EventEncoder {
  readonly #apiVersion: string
  readonly #typeMeta: string
  readonly #users = new WeakMap<User, object>()
  #second = Number.NaN
  #secondText = ''

  constructor(apiVersion: string) {
    this.#apiVersion = apiVersion
    this.#typeMeta = `{"kind":"Event","apiVersion":${JSON.stringify(apiVersion)},`
  }

  /** A line: JSON and a line feed. */
  line(event: AuditEvent): Uint8Array {
    return this.#encode(event, this.#typeMeta, lineEnd)
  }

  /** An EventList, as webhooks get it. Its items have no kind and apiVersion of their own. */
  list(events: readonly AuditEvent[]): Uint8Array<ArrayBuffer> {
    const head = `{"kind":"EventList","apiVersion":${JSON.stringify(this.#apiVersion)},"metadata":{},"items":[`
    const items = events.map((event, index) => this.#encode(event, index === 0 ? '{' : ',{', objectEnd))
    return concatenate([textEncoder.encode(head), ...items, textEncoder.encode(']}\n')])
  }

  #user(user: User): object {
    let info = this.#users.get(user)
    if (info === undefined) {
      info = userInfo(user)
      this.#users.set(user, info)
    }
    return info
  }

  /** Microseconds are always zero: the clock has milliseconds. */
  #time(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1000)
    if (second !== this.#second) {
      this.#secondText = timestamp(second * 1000).slice(0, -1)
      this.#second = second
    }
    return `${this.#secondText}.${String(Math.floor(milliseconds - second * 1000)).padStart(3, '0')}000Z`
  }

  /** The event between `start` and `end`; objects are copied once, as they are. */
  #encode(event: AuditEvent, start: string, end: Uint8Array): Uint8Array {
    const { requestObject, responseObject } = event
    const head = `${start}${htmlSafe(this.#head(event)).slice(1, -1)}`
    const tail = `,${htmlSafe(this.#tail(event)).slice(1, -1)}`
    if (requestObject === undefined && responseObject === undefined) return concatenate([textEncoder.encode(head + tail), end])
    return concatenate([
      textEncoder.encode(requestObject === undefined ? head : `${head},"requestObject":`),
      ...(requestObject === undefined ? [] : [requestObject]),
      ...(responseObject === undefined ? [] : [textEncoder.encode(',"responseObject":'), responseObject]),
      textEncoder.encode(tail),
      end,
    ])
  }

  /** The members before the objects, in one call of the native printer. */
  #head(event: AuditEvent): string {
    const { impersonated, constraint, object, status } = event
    return JSON.stringify({
      level: event.level,
      auditID: event.auditId,
      stage: event.stage,
      requestURI: event.requestUri,
      verb: event.verb,
      user: event.user === undefined ? {} : this.#user(event.user),
      impersonatedUser: impersonated && this.#user(impersonated),
      authenticationMetadata: constraint === '' ? undefined : { impersonationConstraint: constraint },
      sourceIPs: anyOf(event.sourceIps),
      userAgent: filled(event.userAgent),
      objectRef: object && objectRef(object),
      responseStatus: status && responseStatus(status),
    })
  }

  /** The members after the objects. */
  #tail({ received, reached, annotations }: AuditEvent): string {
    return JSON.stringify({
      requestReceivedTimestamp: this.#time(received),
      stageTimestamp: this.#time(reached),
      annotations: annotations.length === 0 ? undefined : Object.fromEntries(annotations),
    })
  }
}
