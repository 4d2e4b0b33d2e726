/** Audit events, and their JSON as the reference writes it: the same fields in the same order (apiserver, pkg/apis/audit/v1). */

import type { Status } from '../answers/status.ts'
import { sortedExtra, type User } from '../request/exchange.ts'
import { timestamp } from '../schema/formats/time.ts'
import { htmlSafe } from '../schema/json/html-safe.ts'
import { JoinedText, type Text } from './joined-text.ts'
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
  readonly requestObject: Text | undefined
  readonly responseObject: Text | undefined
  readonly received: number
  readonly reached: number
  /** Sorted by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[]
}

/** Characters that stand for themselves in JSON that is safe in HTML. */
const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/
const quoted = (text: string) => (plain.test(text) ? `"${text}"` : htmlSafe(JSON.stringify(text)))
const json = (value: unknown) => htmlSafe(JSON.stringify(value))

/** A member with a comma in front; nothing when it is empty. */
const member = (name: string, value: string) => (value === '' ? '' : `,"${name}":${quoted(value)}`)
/** Members without the comma in front of the first. */
const object = (members: string) => `{${members.slice(1)}}`
/** What JSON.stringify leaves out when it is empty. */
const filled = (value: string) => (value === '' ? undefined : value)

function userInfo(user: User): string {
  const { name, uid = '', groups } = user
  return json({ username: filled(name), uid: filled(uid), groups: groups.length === 0 ? undefined : groups, extra: sortedExtra(user) })
}

const objectReference = ({ resource, namespace, name, uid, group, version, resourceVersion, subresource }: ObjectReference) =>
  object(
    member('resource', resource) +
      member('namespace', namespace) +
      member('name', name) +
      member('uid', uid) +
      member('apiGroup', group) +
      member('apiVersion', version) +
      member('resourceVersion', resourceVersion) +
      member('subresource', subresource),
  )

function responseStatus({ status, message = '', reason = '', details, code = 0 }: ResponseStatus): string {
  if (status === undefined) return `{"metadata":{}${code === 0 ? '' : `,"code":${code}`}}`
  const shown = details === undefined ? '' : `,"details":${json(details)}`
  return `{"metadata":{},"status":${quoted(status)}${member('message', message)}${member('reason', reason)}${shown}${code === 0 ? '' : `,"code":${code}`}}`
}

const addresses = (values: readonly string[]) => (values.length === 0 ? '' : `,"sourceIPs":[${values.map(quoted).join(',')}]`)
const annotationMembers = (annotations: AuditEvent['annotations']) =>
  annotations.length === 0 ? '' : `,"annotations":${object(annotations.map(([key, value]) => `,${quoted(key)}:${quoted(value)}`).join(''))}`

/** Texts of values that many events share. They are kept as long as the value. */
class SharedTexts<T extends object> {
  readonly #known = new WeakMap<T, string>()
  readonly #write: (value: T) => string

  constructor(write: (value: T) => string) {
    this.#write = write
  }

  of(value: T): string {
    let text = this.#known.get(value)
    if (text === undefined) {
      text = this.#write(value)
      this.#known.set(value, text)
    }
    return text
  }
}

/** Encodes events. What is the same in many of them is encoded once. */
export class EventEncoder {
  readonly #apiVersion: string
  readonly #typeMeta: string
  readonly #users = new SharedTexts(userInfo)
  readonly #annotations = new SharedTexts(annotationMembers)
  #second = Number.NaN
  #secondText = ''

  constructor(apiVersion: string) {
    this.#apiVersion = apiVersion
    this.#typeMeta = `{"kind":"Event","apiVersion":${JSON.stringify(apiVersion)},`
  }

  /** Adds a line: JSON and a line feed. */
  addLine(to: JoinedText, event: AuditEvent): void {
    this.#add(to, event, this.#typeMeta, '}\n')
  }

  /** A line: JSON and a line feed. */
  line(event: AuditEvent): Uint8Array {
    const text = new JoinedText()
    this.addLine(text, event)
    return text.bytes()
  }

  /** An EventList, as webhooks get it. Its items have no kind and apiVersion of their own. */
  list(events: readonly AuditEvent[]): Uint8Array<ArrayBuffer> {
    const text = new JoinedText()
    text.add(`{"kind":"EventList","apiVersion":${JSON.stringify(this.#apiVersion)},"metadata":{},"items":[`)
    for (const [index, event] of events.entries()) this.#add(text, event, index === 0 ? '{' : ',{', '}')
    text.add(']}\n')
    return text.bytes()
  }

  /** Microseconds are always zero: the clock has milliseconds. */
  #time(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1000)
    if (second !== this.#second) {
      this.#secondText = timestamp(second * 1000).slice(0, -1)
      this.#second = second
    }
    return `"${this.#secondText}.${String(Math.floor(milliseconds - second * 1000)).padStart(3, '0')}000Z"`
  }

  /** The event between `start` and `end`; its objects as they are. */
  #add(to: JoinedText, event: AuditEvent, start: string, end: string): void {
    const { user, impersonated, constraint, status, requestObject, responseObject, received, reached } = event
    to.add(
      `${start}"level":"${event.level}","auditID":${quoted(event.auditId)},"stage":"${event.stage}","requestURI":${quoted(event.requestUri)}` +
        `,"verb":${quoted(event.verb)},"user":${user === undefined ? '{}' : this.#users.of(user)}`,
    )
    if (impersonated !== undefined) to.add(`,"impersonatedUser":${this.#users.of(impersonated)}`)
    if (constraint !== '') to.add(`,"authenticationMetadata":{"impersonationConstraint":${quoted(constraint)}}`)
    to.add(addresses(event.sourceIps) + member('userAgent', event.userAgent))
    if (event.object !== undefined) to.add(`,"objectRef":${objectReference(event.object)}`)
    if (status !== undefined) to.add(`,"responseStatus":${responseStatus(status)}`)
    if (requestObject !== undefined) {
      to.add(',"requestObject":')
      to.add(requestObject)
    }
    if (responseObject !== undefined) {
      to.add(',"responseObject":')
      to.add(responseObject)
    }
    const came = this.#time(received)
    const then = reached === received ? came : this.#time(reached)
    to.add(`,"requestReceivedTimestamp":${came},"stageTimestamp":${then}${this.#annotations.of(event.annotations)}${end}`)
  }
}
