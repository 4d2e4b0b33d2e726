/** The routes of the interface, as rows: routing, validation and the OpenAPI document follow from them. */
import * as z from 'zod/mini'
import { badRequest, notFound } from '../../../core/answers/status.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { Fault } from '../../testing/faults.ts'
import { readManifests } from '../../testing/manifests.ts'
import type { TestObject } from '../../testing/server.ts'
import { type Hosted, snapshotResource } from './hosted.ts'
import type { Hosts } from './hosts.ts'
import * as schemas from './schemas.ts'
import { selectionOf } from './selection.ts'
import { handleOf, hooksOf } from './webhooks.ts'

/** What the interface is about. */
export interface InterfaceServices {
  readonly hosts: Hosts
  /** The URL of a server. */
  urlOf(name: string): string
  /** The kubeconfig of a server's administrator. `byHost`: with a host name in the place of a path. */
  kubeconfigOf(name: string, token: string, byHost: boolean): string
  /** The OpenAPI document. */
  document(): object
}

export interface InterfaceRequest<B = unknown> {
  readonly services: InterfaceServices
  /** The server in the path; empty: none. */
  readonly name: string
  readonly query: URLSearchParams
  readonly body: B
}

export interface Row {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `{name}` stands for one segment. */
  readonly path: string
  /** One sentence. */
  readonly summary: string
  readonly query?: { readonly [name: string]: string }
  readonly body?: z.ZodMiniType
  /** The body may be the text of this property. */
  readonly text?: string
  /** Status of success, and its body: JSON with this schema, or of this media type. */
  readonly status: 200 | 201
  readonly answer: z.ZodMiniType | 'application/yaml'
  run(asked: InterfaceRequest<never>): unknown
}

const row = <S extends z.ZodMiniType = z.ZodMiniType<undefined>>(
  given: Omit<Row, 'run' | 'body'> & { readonly body?: S; run(asked: InterfaceRequest<z.output<S>>): unknown },
): Row => given as unknown as Row

const base = '/hosts/v1'
const list = `${base}/servers`
const one = `${list}/{name}`

const anyObject = z.record(z.string(), z.unknown())
const done = z.object({ name: z.string() })

const isoTime = (time: number) => new Date(time).toISOString()

function described({ services }: InterfaceRequest<unknown>, hosted: Hosted): z.output<typeof schemas.server> {
  const { name, created, expires, limits, options } = hosted.settings
  return {
    name,
    url: services.urlOf(name),
    created: isoTime(created),
    ...(expires !== undefined && { expires: isoTime(expires) }),
    awake: hosted.isAwake,
    requestsInFlight: hosted.inFlight,
    limits: { ...limits },
    options: { ...options },
  }
}

/** The objects of manifests, which are text or objects. @throws ApiError BadRequest when the text is none. */
function objectsOf(manifests: unknown): readonly TestObject[] {
  if (typeof manifests !== 'string') return manifests as TestObject[]
  try {
    return readManifests(manifests)
  } catch (error) {
    throw badRequest(`manifests: ${messageOf(error)}`)
  }
}

const found = ({ services, name }: InterfaceRequest<unknown>): Hosted => services.hosts.get(name)

const namesOf = (objects: readonly TestObject[]) =>
  objects.map(({ apiVersion, kind, metadata: { name, namespace } = {} }) => ({ apiVersion, kind, ...(namespace && { namespace }), name }))

async function snapshotOf(hosted: Hosted, name: string) {
  const snapshot = await hosted.snapshots.get(name)
  if (snapshot === undefined) throw notFound(snapshotResource, name)
  return snapshot
}

const selection = {
  verb: 'Verbs, separated by commas; write and read stand for all of their kind.',
  resource: 'Plurals with or without group, separated by commas.',
  namespace: 'Namespace.',
  name: 'Name.',
  user: 'Name of the user.',
}

export const rows: readonly Row[] = [
  row({
    method: 'GET',
    path: `${base}/openapi.json`,
    summary: 'This interface as an OpenAPI document.',
    status: 200,
    answer: anyObject,
    run: ({ services }) => services.document(),
  }),
  row({
    method: 'GET',
    path: list,
    summary: 'List the servers, by name.',
    status: 200,
    answer: z.object({ servers: z.array(schemas.server) }),
    run: (asked) => ({ servers: asked.services.hosts.list().map((hosted) => described(asked, hosted)) }),
  }),
  row({
    method: 'POST',
    path: list,
    summary: 'Create a server, and apply manifests to it.',
    body: schemas.create,
    status: 201,
    answer: schemas.server,
    run: async (asked) => {
      const { manifests, ...body } = asked.body
      return described(
        asked,
        await asked.services.hosts.create({ ...body, ...(manifests !== undefined && { manifests: objectsOf(manifests) }) }),
      )
    },
  }),
  row({
    method: 'GET',
    path: one,
    summary: 'Show a server.',
    status: 200,
    answer: schemas.server,
    run: (asked) => described(asked, found(asked)),
  }),
  row({
    method: 'DELETE',
    path: one,
    summary: 'Delete a server with everything in it.',
    status: 200,
    answer: done,
    async run({ services, name }) {
      await services.hosts.delete(name)
      return { name }
    },
  }),
  row({
    method: 'GET',
    path: `${one}/kubeconfig`,
    summary: 'The kubeconfig of its administrator.',
    query: { by: 'path (default), or host: the server is found by the name in the TLS handshake, and has the URL without a path.' },
    status: 200,
    answer: 'application/yaml',
    async run(asked) {
      const by = asked.query.get('by') ?? 'path'
      if (by !== 'path' && by !== 'host') throw badRequest(`by: ${JSON.stringify(by)}: must be path or host`)
      const { secrets } = await found(asked).snapshot()
      return asked.services.kubeconfigOf(asked.name, secrets.token, by === 'host')
    },
  }),
  row({
    method: 'POST',
    path: `${one}/fork`,
    summary: 'Create a server with the state of this one, and with keys and tokens of its own.',
    body: schemas.fork,
    status: 201,
    answer: schemas.server,
    async run(asked) {
      const { snapshot, ...choices } = asked.body
      const from = found(asked)
      const state = snapshot === undefined ? undefined : await snapshotOf(from, snapshot)
      return described(asked, await asked.services.hosts.fork(from, choices, state))
    },
  }),
  row({
    method: 'GET',
    path: `${one}/snapshots`,
    summary: 'List the snapshots of a server.',
    status: 200,
    answer: z.object({ snapshots: z.array(z.string()) }),
    run: (asked) => ({ snapshots: found(asked).snapshots.names() }),
  }),
  row({
    method: 'POST',
    path: `${one}/snapshot`,
    summary: 'Keep the present state under a name; an earlier one of this name is replaced.',
    body: schemas.snapshot,
    status: 201,
    answer: done,
    async run(asked) {
      const hosted = found(asked)
      await hosted.snapshots.set(asked.body.name, await hosted.snapshot())
      return { name: asked.body.name }
    },
  }),
  row({
    method: 'POST',
    path: `${one}/restore`,
    summary: 'Replace the state by that of a snapshot. Requests in flight end, and faults and recorded requests are forgotten.',
    body: schemas.restore,
    status: 200,
    answer: done,
    async run(asked) {
      const hosted = found(asked)
      await hosted.restore(await snapshotOf(hosted, asked.body.snapshot))
      return { name: asked.body.snapshot }
    },
  }),
  row({
    method: 'POST',
    path: `${one}/load`,
    summary: 'Apply manifests in order, as JSON or, with another content type, as YAML text; definitions are served when this returns.',
    body: schemas.load,
    text: 'manifests',
    status: 200,
    answer: z.object({ objects: z.array(anyObject) }),
    async run(asked) {
      const manifests = objectsOf(asked.body.manifests)
      return { objects: namesOf(await found(asked).load(manifests)) }
    },
  }),
  row({
    method: 'POST',
    path: `${one}/clock`,
    summary: 'Set, advance, stop or continue the clock of a server.',
    body: schemas.clock,
    status: 200,
    answer: z.object({ time: z.iso.datetime(), frozen: z.boolean() }),
    run: (asked) => {
      const { time, advanceSeconds, frozen } = asked.body
      return found(asked).turnClock(async (clock) => {
        if (frozen === true) clock.freeze()
        if (time !== undefined) await clock.set(Date.parse(time))
        if (advanceSeconds !== undefined) await clock.advance(advanceSeconds * 1000)
        if (frozen === false) clock.resume()
        return { time: isoTime(clock.now()), frozen: clock.isFrozen }
      })
    },
  }),
  row({
    method: 'GET',
    path: `${one}/faults`,
    summary: 'List the faults of a server, with how often each has happened.',
    status: 200,
    answer: z.object({ faults: z.array(anyObject) }),
    run: (asked) => ({ faults: found(asked).faults.map(({ fault, added }) => ({ ...fault, hits: added.hits })) }),
  }),
  row({
    method: 'POST',
    path: `${one}/faults`,
    summary: 'Let requests of a server go wrong.',
    body: schemas.fault,
    status: 201,
    answer: anyObject,
    async run(asked) {
      const fault = asked.body as unknown as Fault
      await found(asked).addFault(fault)
      return fault
    },
  }),
  row({
    method: 'DELETE',
    path: `${one}/faults`,
    summary: 'Remove all faults of a server.',
    status: 200,
    answer: done,
    async run(asked) {
      await found(asked).clearFaults()
      return { name: asked.name }
    },
  }),
  row({
    method: 'GET',
    path: `${one}/requests`,
    summary: 'What was asked of a server since this was first called, by whom, and what it changed: at most the latest 10,000 requests.',
    query: selection,
    status: 200,
    answer: z.object({ requests: z.array(anyObject) }),
    run: (asked) => {
      const selected = selectionOf(asked.query)
      return found(asked).record((requests) => ({
        requests: requests.find(selected).map((request) => ({ ...request, changes: request.changes })),
      }))
    },
  }),
  row({
    method: 'DELETE',
    path: `${one}/requests`,
    summary: 'Forget the requests so far, and record from now on.',
    status: 200,
    answer: done,
    async run(asked) {
      await found(asked).record((requests) => requests.clear())
      return { name: asked.name }
    },
  }),
  row({
    method: 'POST',
    path: `${one}/webhooks`,
    summary: 'Apply webhook configurations whose webhooks are answered by URLs without certificates, or by constants.',
    body: schemas.webhooks,
    status: 201,
    answer: z.object({ webhooks: z.array(z.string()) }),
    async run(asked) {
      const { answers } = asked.body
      const manifests = objectsOf(asked.body.manifests)
      const hosted = found(asked)
      const hooks = hooksOf(manifests, answers)
      const functions = (kind: string) =>
        Object.fromEntries(hooks.filter((hook) => hook.kind === kind).map((hook) => [hook.name, handleOf(hook, hosted.trusted)]))
      await hosted.use((server) => server.webhooks({ validating: functions('validating'), mutating: functions('mutating'), manifests }))
      await hosted.addHooks(hooks)
      return { webhooks: hooks.map(({ name }) => name) }
    },
  }),
]
