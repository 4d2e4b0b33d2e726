/** What the suite sends and gets. */

/** One request. `{{N.path}}` stands for a value from the answer to step N of its scene, and `{{name}}` for a setting of the run. */
export interface Call {
  /**
   * Or `RUN`: the program is run with the flags in `path`, a JSON list; `WEBSOCKET`: a GET for a WebSocket, read to its end; or `RAW`:
   * the bytes in `body`, on a connection of their own.
   */
  readonly method: string
  /** With the query, sent as written. */
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Another user than the administrator; '' is anonymous. */
  readonly token?: string
  /** Sent again until the answer has this code, at most half a minute; only whether it came is compared. */
  readonly until?: number
}

/** Requests that depend on each other, sent in order; scenes run side by side. */
export interface Scene {
  /** Plural of the resource with its group, or a word for what else it is about. */
  readonly kind: string
  /** What is tried, such as `spec.replicas: wrong type`. Unique together with the kind. */
  readonly at: string
  readonly calls: readonly Call[]
}

/** A part of the suite. */
export interface Part {
  readonly name: string
  /** Sent first, in order, and not compared: what the scenes need. */
  readonly before?: () => Iterable<Call>
  /** `seed`: those of `--seed`; 0: those with recorded answers. */
  readonly scenes: (seed: number) => Iterable<Scene>
  /** Another seed has other scenes. */
  readonly seeded?: true
  /** Collections whose objects are told by name: answers mention them by uid. They are read after `before`. */
  readonly named?: readonly string[]
  /** Sent last, in order, and not compared. */
  readonly after?: () => Iterable<Call>
  /** Both servers have these flags too, so that they are not those of other parts; default: none. */
  readonly flags?: readonly string[]
  /** So few requests that a bounded run sends all of them. */
  readonly small?: boolean
  /** Takes too long for bounded runs, or waits for a server. */
  readonly slow?: boolean
  /** Scenes run one after the other, because they see each other's objects. */
  readonly inOrder?: boolean
}

/** An answer as received. */
export interface Answer {
  readonly status: number
  /** Names in lower case; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const json = { 'content-type': 'application/json' }

export const get = (path: string, headers: Call['headers'] = {}): Call => ({ method: 'GET', path, headers })

/** A request for a WebSocket; its body is a line of JSON for each message. */
export const socket = (path: string, headers: Call['headers'] = {}): Call => ({ method: 'WEBSOCKET', path, headers })

/** A request with a JSON body; texts are sent as they are. */
export function send(method: string, path: string, body: unknown, headers: Call['headers'] = {}): Call {
  return { method, path, headers: { ...json, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) }
}
