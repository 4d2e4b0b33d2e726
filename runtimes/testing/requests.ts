/** What a server was asked, by whom, and what that changed. */
import { type Change, changesOf, textOf } from './changes.ts'
import { isWrite, type RequestFacts, type Selection, selects } from './selection.ts'

/** Requests, and bytes of objects, that are remembered; the oldest are forgotten first. */
const [maxRequests, maxBytes] = [10_000, 8 * 1024 * 1024]

/** A request that a server was asked. */
export class SeenRequest implements RequestFacts {
  readonly user: string
  readonly verb: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  /** Status of the response; 0: the connection was broken by a fault; undefined: there is none yet. */
  readonly code: number | undefined = undefined
  /** JSON of the object before and after a write. */
  #before = ''
  #after = ''

  constructor({ user, verb, resource, subresource, namespace, name, path }: RequestFacts) {
    ;[this.user, this.verb, this.resource] = [user, verb, resource]
    ;[this.subresource, this.namespace, this.name, this.path] = [subresource, namespace, name, path]
  }

  /** The object before a write of a single object; undefined: there was none. */
  get before(): unknown {
    return this.#before === '' ? undefined : JSON.parse(this.#before)
  }

  /** The object after it; undefined: it is gone. */
  get after(): unknown {
    return this.#after === '' ? undefined : JSON.parse(this.#after)
  }

  /** What the request changed in its object, without `managedFields` and `resourceVersion`. Empty: nothing. */
  get changes(): Change[] {
    return changesOf(this.before, this.after)
  }

  /** A line that says who asked what, and a line for each change. */
  toString(): string {
    const { user, verb, resource, subresource, namespace, name, path, code, changes } = this
    const what = resource === '' ? path : [resource, namespace, name, subresource].filter((part) => part !== '').join('/')
    const head = `${user}: ${verb} ${what} ${code ?? '(no answer yet)'}`
    if (!isWrite(this) || code === undefined || code >= 400) return head
    return `${head}\n${changes.length === 0 ? '  changed nothing' : textOf(changes).replaceAll(/^/gm, '  ')}`
  }

  static answered(request: SeenRequest, code: number): void {
    Object.assign(request, { code })
  }

  /** Bytes that it holds from now on, about. */
  static changed(request: SeenRequest, before: string, after: string): number {
    request.#before = before
    request.#after = after
    return before.length + after.length
  }
}

/** The requests of a server since it was first asked for them. */
export class Requests {
  readonly #seen: { readonly request: SeenRequest; bytes: number }[] = []
  #bytes = 0

  /** Those that are selected, the oldest first; at most the latest 10,000. */
  find(selection: Selection = {}): SeenRequest[] {
    return this.#seen.map(({ request }) => request).filter((request) => selects(selection, request))
  }

  /** The same as text: who asked what, and what it changed. */
  text(selection: Selection = {}): string {
    return this.find(selection).join('\n')
  }

  /** Forgets all of them. */
  clear(): void {
    this.#seen.length = 0
    this.#bytes = 0
  }

  static add(requests: Requests, request: SeenRequest): (before: string, after: string) => void {
    const entry = { request, bytes: 0 }
    requests.#seen.push(entry)
    requests.#bound()
    return (before, after) => {
      entry.bytes = SeenRequest.changed(request, before, after)
      requests.#bytes += entry.bytes
      requests.#bound()
    }
  }

  #bound(): void {
    while (this.#seen.length > maxRequests || (this.#bytes > maxBytes && this.#seen.length > 1))
      this.#bytes -= this.#seen.shift()?.bytes ?? 0
  }
}
