/** Clients of a daemon that may be killed and restarted elsewhere; they record a history. */
import { apiOf, configMap, type TestList, type TestObject } from '../support/api.ts'
import type { Observed, Operation, Value } from '../support/linearizability.ts'
import { randomNumbers } from '../support/random.ts'
import type { Fetch } from '../support/tls-fetch.ts'
import { sleep } from '../support/wait.ts'
import { readWatch } from '../support/watch-reader.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const keys = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5']
const selector = 'labelSelector=linear'

/** Connects to the running daemon; rejects if there is none. */
export type Connect = () => Fetch

export interface Histories {
  readonly operations: ReadonlyMap<string, readonly Operation[]>
  /** Resolves when so many further operations have been answered. */
  answered(count: number): Promise<void>
  stop(): Promise<void>
}

interface Known {
  readonly version: string
  readonly value: string
}

const storedIn = (object: TestObject): string => object.data?.['value'] ?? ''

/** Starts clients that read, list, create, update and delete the same few keys without pause. */
export function startClients(connect: Connect, count: number): Histories {
  const operations = new Map<string, Operation[]>(keys.map((key) => [key, []]))
  let written = 0
  let answers = 0
  let notice = () => {}
  let stopped = false

  async function run(client: number): Promise<void> {
    const random = randomNumbers(client)
    /** Last known state of each key, as seen by this client. */
    const known = new Map<string, Known>()

    const note = (key: string, object: TestObject | undefined): Value => {
      if (object) known.set(key, { version: object.metadata.resourceVersion, value: storedIn(object) })
      else known.delete(key)
      return object && storedIn(object)
    }
    const add = (key: string, operation: Omit<Operation, 'client' | 'end'> & { end?: number }) => {
      operations.get(key)?.push({ client, end: performance.now(), ...operation })
      if (operation.kind === 'unknown') return
      answers++
      notice()
    }

    async function get(key: string): Promise<void> {
      const begin = performance.now()
      const { status, body } = await apiOf(connect()).get(`${collection}/${key}`)
      if (status === 200 || status === 404) add(key, { kind: 'read', begin, after: note(key, status === 200 ? body : undefined) })
    }

    async function list(): Promise<void> {
      const begin = performance.now()
      const { status, body } = await apiOf(connect()).get<TestList>(`${collection}?${selector}`)
      if (status !== 200) return
      const items = new Map(body.items.map((item) => [item.metadata.name, item]))
      for (const key of keys) add(key, { kind: 'read', begin, after: note(key, items.get(key)) })
    }

    /** Updates a known value, or deletes it. */
    async function write(key: string, remove: boolean): Promise<void> {
      const last = known.get(key)
      const value = `${client}.${written++}`
      const change = { before: last?.value, after: last && remove ? undefined : value }
      const begin = performance.now()
      const object = configMap(key, { value }, { labels: { linear: '' }, ...(last && { resourceVersion: last.version }) })
      let status = 0
      try {
        const api = apiOf(connect())
        const answer = !last
          ? await api.send<TestObject>('POST', collection, object)
          : remove
            ? await api.delete(`${collection}/${key}`, { preconditions: { resourceVersion: last.version } })
            : await api.send<TestObject>('PUT', `${collection}/${key}`, object)
        status = answer.status
        if (status < 300) note(key, change.after === undefined ? undefined : answer.body)
      } catch (error) {
        // A broken connection leaves the outcome unknown; without a connection nothing happened.
        if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') throw error
      }
      if (status >= 300 || status === 0) known.delete(key)
      if (status >= 200 && status < 300) add(key, { kind: 'written', begin, ...change })
      else if (status === 404 || status === 409) add(key, { kind: 'refused', begin, before: change.before })
      else if (status !== 429) add(key, { kind: 'unknown', begin, end: Number.POSITIVE_INFINITY, ...change })
    }

    while (!stopped) {
      const key = random.pick(keys)
      const dice = random.next()
      try {
        if (dice < 0.1) await list()
        else if (dice < 0.4 || (!known.has(key) && dice < 0.7)) await get(key)
        else await write(key, dice > 0.85)
      } catch {
        await sleep(50)
      }
      await sleep(5 * random.next())
    }
  }

  const running = Promise.all(Array.from({ length: count }, (_, client) => run(client)))
  return {
    operations,
    answered(count) {
      const enough = answers + count
      return new Promise((resolve) => {
        notice = () => answers >= enough && resolve()
      })
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

export interface Watching {
  readonly events: ReadonlyMap<string, readonly Observed[]>
  /** The error that ended the watch for good; undefined if there was none. */
  readonly error: string | undefined
  /** Resolves when all events up to the revision have arrived. */
  reached(revision: number): Promise<void>
  stop(): void
}

/** Watches all keys from a revision on, and resumes when the watch ends. */
export function startWatching(connect: Connect, from: string): Watching {
  const events = new Map<string, Observed[]>(keys.map((key) => [key, []]))
  let revision = Number(from)
  let stopped = false
  let error: string | undefined
  const abort = new AbortController()
  let wake = () => {}

  async function follow(): Promise<void> {
    const path = `${collection}?watch=true&${selector}&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${revision}`
    const response = await connect()(path, { signal: abort.signal })
    if (response.status !== 200 || response.body === null) throw new Error(`watch: ${response.status}`)
    const watch = readWatch(response.body, () => {})
    for (let event = await watch.next(); event; event = await watch.next()) {
      if (event.type === 'ERROR') {
        error = JSON.stringify(event.object)
        return wake()
      }
      revision = Number(event.object.metadata.resourceVersion)
      const after = event.type === 'DELETED' ? undefined : storedIn(event.object)
      if (event.type !== 'BOOKMARK') events.get(event.object.metadata.name)?.push({ revision, after })
      wake()
    }
  }

  const running = (async () => {
    while (!stopped && error === undefined) await follow().catch(() => sleep(50))
  })()
  return {
    events,
    get error() {
      return error
    },
    reached: (wanted) =>
      new Promise<void>((resolve) => {
        wake = () => {
          if (revision >= wanted || error !== undefined) resolve()
        }
        wake()
      }),
    stop() {
      stopped = true
      abort.abort()
      void running
    },
  }
}
