/**
 * A shutdown, a client that leaves and a deadline, at everything that any verb waits for: the body, authenticators and authorizers, the store,
 * webhooks and conversions.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock, Context, KeyValueStore, Outbound } from '../../../core/ports.ts'
import { forkableStore, type StoreSnapshot } from '../../../runtimes/stores/forkable.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { define, definitionOf, stored, versionOf } from '../../conformance/definitions.ts'
import type { Api, TestObject } from '../../support/api.ts'
import { holdingClock } from '../../support/holding-clock.ts'
import { apiAs, startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { trials } from '../../support/soak.ts'
import { eventually, within } from '../../support/wait.ts'

/** The timeout of the requests that are ended; no other timer has it. */
const timeout = 1_234_567
const group = 'ends.example.com'
const reviewed = { apiVersions: ['*'], resources: ['configmaps', 'widgets'], operations: ['*'] }

/** What is waited for, and the signal that ends it, if any. */
interface Call {
  readonly what: string
  readonly signal?: AbortSignal | undefined
}

const callFor = (what: string, context: Context | undefined): Call => ({ what, signal: context?.signal })

/** Holds the n-th call that a request waits for, before it is made or before its result is seen. */
class Gate {
  /** The call that is held. */
  held: Call | undefined
  #left = 0
  #reach = () => {}
  #release = () => {}
  #released: Promise<void> = Promise.resolve()

  /** Resolves when the n-th wait from now on is reached. */
  hold(n: number): Promise<void> {
    this.#left = n
    this.#released = new Promise((resolve) => {
      this.#release = resolve
    })
    return new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  readonly pass = async <T>(call: Call, work: () => Promise<T>): Promise<T> => {
    await this.#wait(call)
    const result = await work()
    await this.#wait(call)
    return result
  }

  /** A body that is held too. */
  stream(text: string): ReadableStream<Uint8Array> {
    const send = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    }
    return new ReadableStream({ pull: (controller) => this.pass({ what: 'body' }, async () => send(controller)) }, { highWaterMark: 0 })
  }

  release(): void {
    this.#left = 0
    this.#release()
  }

  #wait(call: Call): Promise<void> {
    if (this.#left === 0 || --this.#left > 0) return Promise.resolve()
    this.held = call
    this.#reach()
    return this.#released
  }
}

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion?: string; readonly objects?: readonly object[] }
}

function answerTo({ kind, apiVersion, request: { uid, desiredAPIVersion, objects } }: Review): object {
  if (objects === undefined) return { kind, apiVersion, response: { uid, allowed: true } }
  const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }))
  return { kind, apiVersion, response: { uid, result: { status: 'Success' }, convertedObjects } }
}

/** Creates a definition whose versions a webhook converts, and webhooks that review its objects and config maps. */
async function prepare(api: Api): Promise<void> {
  const clientConfig = { url: 'https://hook.example.com/' }
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
  await define(api, definitionOf(group, { versions: [stored, versionOf('v2')], conversion }))
  for (const kind of ['Mutating', 'Validating'])
    await api.create(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      kind: `${kind}WebhookConfiguration`,
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name: 'held' },
      webhooks: [
        {
          name: 'held.example.com',
          clientConfig,
          rules: [{ ...reviewed, apiGroups: ['', group] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
}

/** What every server of these tests has stored: the definition and the webhooks. */
let prepared: StoreSnapshot | undefined

async function open() {
  const gate = new Gate()
  // Its leases outlive the tests, and must not keep the process alive.
  const actual = forkableStore({ clock: webClock, ...(prepared && { from: prepared }) })
  /** Keys of all writes that the store was asked for. */
  const handed: string[] = []
  let calls = 0
  const store: KeyValueStore = {
    ...actual,
    get: (...given) => gate.pass(callFor(`get ${given[0]}`, given[2]), () => actual.get(...given)),
    list: (...given) => gate.pass(callFor(`list ${given[0].prefix}`, given[1]), () => actual.list(...given)),
    currentRevision: (...given) => gate.pass(callFor('currentRevision', given[0]), async () => actual.currentRevision(...given)),
    grantLease: (...given) => gate.pass({ what: 'grantLease' }, () => actual.grantLease(...given)),
    put(...given) {
      handed.push(given[0])
      return gate.pass({ what: 'put' }, () => actual.put(...given))
    },
    delete(...given) {
      handed.push(given[0])
      return gate.pass({ what: 'delete' }, () => actual.delete(...given))
    },
  }
  const outbound: Outbound = {
    fetch(request) {
      calls++
      const { url, signal } = request
      const answer = async () => new Response(JSON.stringify(answerTo((await request.json()) as Review)))
      return gate.pass({ what: `POST ${url}`, signal }, answer)
    },
    call: () => assert.fail('no calls by gRPC'),
  }
  const deadlines = new Set<() => void>()
  /** Timers of less than a minute: those that a request waits for. */
  let timers = 0
  const clock: Clock = {
    ...holdingClock,
    after(milliseconds, callback) {
      if (milliseconds !== timeout) {
        const counts = milliseconds < 60_000 ? 1 : 0
        timers += counts
        let ended = false
        const end = () => {
          if (!ended) timers -= counts
          ended = true
        }
        const cancel = holdingClock.after(milliseconds, () => {
          end()
          callback()
        })
        return () => {
          end()
          cancel()
        }
      }
      deadlines.add(callback)
      return () => deadlines.delete(callback)
    },
  }
  const user = { name: 'jane', groups: ['system:masters'] }
  const { server, close } = await startInProcess({
    store,
    clock,
    outbound,
    requestTimeout: 2 * timeout,
    tokenAuthenticators: [
      {
        name: 'held',
        authenticateToken: (token, _audiences, context) =>
          token === 'jane' ? gate.pass(callFor('authenticate', context), async () => ({ user })) : undefined,
      },
    ],
    authorizers: [
      {
        name: 'held',
        authorize: (attributes, context) =>
          attributes.user.name === 'jane'
            ? gate.pass(callFor('authorize', context), async () => ({ verdict: 'allow', reason: '' }))
            : { verdict: 'no-opinion', reason: '' },
      },
    ],
    telemetry: { logger: silentLogger },
  })
  const api = apiAs(server, 'jane')
  if (prepared === undefined) await prepare(api)
  await eventually('both webhooks are called', async () => {
    calls = 0
    await api.send('POST', `${configMaps.path}?dryRun=All`, configMaps.object('probe'))
    return calls === 2
  })
  prepared ??= actual.snapshot()
  return {
    close,
    api,
    actual,
    gate,
    handed,
    deadlines,
    timers: () => timers,
    expire() {
      for (const late of deadlines) {
        deadlines.delete(late)
        late()
      }
    },
  }
}
type Opened = Awaited<ReturnType<typeof open>>

interface Kind {
  readonly path: string
  /** Prefix of its keys. */
  readonly keys: string
  object(name: string): object
}

const configMaps: Kind = {
  path: '/api/v1/namespaces/default/configmaps',
  keys: '/registry/configmaps/default/',
  object: (name) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }),
}
/** Written with a lease. */
const events: Kind = {
  path: '/api/v1/namespaces/default/events',
  keys: '/registry/events/default/',
  object: (name) => ({ kind: 'Event', apiVersion: 'v1', metadata: { name }, involvedObject: { namespace: 'default' } }),
}
/** Read and written in another version than the stored one. */
const widgets: Kind = {
  path: `/apis/${group}/v2/namespaces/default/widgets`,
  keys: `/registry/${group}/widgets/default/`,
  object: (name) => ({ kind: 'Widget', apiVersion: `${group}/v2`, metadata: { name }, spec: { size: 'small' } }),
}

interface Verb {
  readonly method: string
  readonly type?: string
  /** Of the collection, with this query; `NAME` is that of the object. */
  readonly collection?: string
  /** `resourceVersion`: of the object before. */
  readonly body?: (kind: Kind, name: string, resourceVersion: string) => unknown
  readonly only?: Kind
  /** The object is not there before. */
  readonly creates?: boolean
  readonly removes?: boolean
}

const labels = { metadata: { labels: { changed: 'yes' } } }
const changed = ({ object }: Kind, name: string) => ({ ...object(name), metadata: { name, labels: { changed: 'yes' } } })
const verbs: { readonly [verb: string]: Verb } = {
  create: { method: 'POST', collection: '', body: changed, creates: true },
  update: {
    method: 'PUT',
    body: ({ object }, name, resourceVersion) => ({ ...object(name), metadata: { ...labels.metadata, name, resourceVersion } }),
  },
  'JSON patch': {
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: () => [{ op: 'add', path: '/metadata/labels', value: { changed: 'yes' } }],
  },
  'merge patch': { method: 'PATCH', type: 'application/merge-patch+json', body: () => labels },
  'strategic merge patch': { method: 'PATCH', type: 'application/strategic-merge-patch+json', body: () => labels, only: configMaps },
  apply: { method: 'PATCH', type: 'application/apply-patch+yaml', body: changed },
  'apply that creates': { method: 'PATCH', type: 'application/apply-patch+yaml', body: changed, creates: true },
  delete: { method: 'DELETE', removes: true },
  deletecollection: { method: 'DELETE', collection: 'fieldSelector=metadata.name=NAME', removes: true },
  get: { method: 'GET' },
  list: { method: 'GET', collection: 'labelSelector=changed!=yes' },
  watch: { method: 'GET', collection: 'watch=true' },
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * What goes on: writes and leases, because they may have been applied; the start of a watch cache, which others wait for too; the body, which is
 * the client's.
 */
const goesOn = [
  'put',
  'delete',
  'grantLease',
  'body',
  ...[configMaps, events, widgets].map(({ keys }) => `list ${keys.replace('default/', '')}`),
]

type Ending = 'shutdown' | 'client' | 'deadline'
let names = 0

/** Ends a request of this verb at its n-th wait. False: it has fewer. */
async function endedAt(n: number, ending: Ending, verb: string, kind: Kind, opened: Opened): Promise<boolean> {
  const { method, type = 'application/json', collection, body, creates, removes } = verbs[verb] ?? assert.fail(verb)
  const { api, actual, gate, handed, deadlines, close } = opened
  const what = `${verb} of ${kind.keys}, ${ending} at wait ${n}`
  const name = `n${++names}`
  const before = creates ? undefined : await api.create(kind.path, kind.object(name))
  await turns()
  const timersBefore = opened.timers()

  const client = new AbortController()
  const query = `timeout=${timeout}ms&fieldManager=test${collection ? `&${collection.replace('NAME', name)}` : ''}`
  const path = `${kind.path}${collection === undefined ? `/${name}` : ''}?${query}`
  const reached = gate.hold(n)
  const init = { method, headers: { 'content-type': type }, signal: client.signal }
  const sent = body && gate.stream(JSON.stringify(body(kind, name, before?.metadata.resourceVersion ?? '')))
  const answer = api.fetch(path, { ...init, ...(sent && { body: sent, duplex: 'half' }) } as RequestInit)
  const isHeld = await within(what, Promise.race([reached.then(() => true), answer.then(() => false)]))
  let closed: Promise<unknown> | undefined
  if (ending === 'shutdown') closed = close()
  else if (ending === 'client') client.abort()
  else opened.expire()
  await turns()
  // A watch has no deadline.
  const ends = ending === 'client' || (ending === 'deadline' && verb !== 'watch')
  if (isHeld && ends && !goesOn.includes(gate.held?.what ?? ''))
    assert.equal(gate.held?.signal?.aborted, true, `${what}: ${gate.held?.what} goes on`)
  const written = handed.length
  gate.release()
  const response = await within(`answer to ${what}`, answer)
  const text = verb === 'watch' ? '' : await within(`body of ${what}`, response.text())
  if (verb === 'watch') await response.body?.cancel()
  await turns()
  const { status } = response

  if (text !== '') assert.equal((JSON.parse(text) as TestObject).kind === 'Status' || status < 300, true, `${what}: ${text}`)
  if (ending === 'shutdown' && verb !== 'watch') assert(status < 300, `${what}: ${status} ${text}`)
  if (ending === 'deadline' && isHeld && verb !== 'watch') assert.equal(status, 504, what)
  if (ending !== 'shutdown') assert.deepEqual(handed.slice(written), [], `${what}: written after the end`)
  if (status < 300 && method !== 'GET') {
    const { kv } = await actual.get(`${kind.keys}${name}`)
    if (removes) assert.equal(kv, undefined, `${what}: it was acknowledged`)
    else assert.equal(String(kv?.modRevision), (JSON.parse(text) as TestObject).metadata.resourceVersion, `${what}: it was acknowledged`)
  }
  await within(`close after ${what}`, Promise.resolve(closed))
  assert.equal(deadlines.size, 0, `${what}: timers`)
  if (ending !== 'shutdown') {
    await eventually(`${what}: timers of ${timersBefore} before`, async () => opened.timers() <= timersBefore)
    await eventually(`${what}: free seats`, async () => {
      const { body: metrics } = await api.get<string>('/metrics')
      return /^apiserver_current_inflight_requests\{request_kind="mutating"\} 0/m.test(metrics)
    })
  }
  return isHeld
}

/**
 * From one wait to the next one that is tried. A shutdown needs a server of its own each time, so in usual runs every wait is tried with one kind,
 * and every third with the others; soak runs try all.
 */
const stepOf = (kind: Kind, ending: Ending) => (ending === 'shutdown' && kind !== configMaps ? trials(3, 1) : 1)

for (const kind of [configMaps, events, widgets])
  for (const ending of ['client', 'deadline', 'shutdown'] as const)
    test(`${kind.keys}: ${ending}`, async () => {
      let waits = 0
      let opened = await open()
      for (const verb of Object.keys(verbs)) {
        if ((verbs[verb]?.only ?? kind) !== kind) continue
        for (let n = 1; await endedAt(n, ending, verb, kind, opened); n += stepOf(kind, ending)) {
          waits++
          if (ending === 'shutdown') opened = await open()
        }
        if (ending === 'shutdown') opened = await open()
      }
      await opened.close()
      assert(waits > 20, `${waits} waits`)
    })
