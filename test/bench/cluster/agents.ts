/** Simulated node agents: their watches, leases and statuses, as their own users. */
import { Client, type Connections, type OnEvent, type Server } from './client.ts'
import type { Measures } from './measures.ts'
import * as objects from './objects.ts'
import { atRate, inParallel } from './pace.ts'
import { namespacesOf, nodeName, type Plan } from './plan.ts'
import { strategic } from './populate.ts'

/** Seconds between renewals of a node's lease, and between posts of its status: the defaults of node agents. */
const [leaseInterval, statusInterval] = [10, 300]
/** Watches that are being opened at a time. */
const opening = 64

export interface Agents {
  readonly watches: number
  /** The client of a node's agent. */
  of(node: number): Client
  /** Renews leases and posts statuses until the returned function is called. */
  start(): () => void
}

/** `resourceVersion="123"` of an object's JSON. */
function versionIn(body: Buffer): string | undefined {
  return /"resourceVersion":\s*"(\d+)"/.exec(body.toString('latin1'))?.[1]
}

export interface AgentOptions {
  readonly connections: Connections
  readonly server: Server
  readonly plan: Plan
  readonly measures: Measures
  /** An event of a node's pods. */
  onPod(node: number, event: Buffer): void
}

export async function startAgents({ connections, server, plan, measures, onPod }: AgentOptions): Promise<Agents> {
  const clients = Array.from(
    { length: plan.nodes },
    (_, node) => new Client(connections, server, `system:node:${nodeName(node)}`, 'system:nodes'),
  )
  const versions: (string | undefined)[] = []
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
  await inParallel(plan.nodes, opening, async (node) => {
    const { body } = await clients[node]!.need('POST', leases, { body: objects.lease(node, new Date()) })
    versions[node] = versionIn(body)
  })

  let watches = 0
  const failed = (error: Error) => measures.fail(`watch of an agent: ${error.message}`)
  const open = async (client: Client, path: string, event: OnEvent = () => {}) => {
    await client.watch(`${path}&watch=true&allowWatchBookmarks=true&resourceVersion=${now}`, event, failed)
    watches++
  }
  // Of a list, which is the server's current one.
  const now = versionIn((await clients[0]!.need('GET', `/api/v1/pods?fieldSelector=spec.nodeName%3D${nodeName(0)}&limit=1`)).body) ?? ''
  await inParallel(plan.nodes, 1, async (node) => {
    const client = clients[node]!
    const single = (path: string, name: string) => open(client, `${path}?fieldSelector=metadata.name%3D${name}`)
    await Promise.all([
      open(client, `/api/v1/pods?fieldSelector=spec.nodeName%3D${nodeName(node)}`, (event) => onPod(node, event)),
      single('/api/v1/nodes', nodeName(node)),
      ...namespacesOf(node, plan).flatMap((namespace) => [
        single(`/api/v1/namespaces/${namespace}/secrets`, objects.appName),
        single(`/api/v1/namespaces/${namespace}/configmaps`, objects.appName),
        single(`/api/v1/namespaces/${namespace}/configmaps`, objects.rootCertificates),
      ]),
    ])
  })

  async function renew(node: number): Promise<void> {
    const client = clients[node]!
    const path = `${leases}/${nodeName(node)}`
    const version = versions[node]
    // Without one, unless this write tells: whether it was done is not known when it fails.
    versions[node] = undefined
    const { status, body } = await measures.of(
      'update a lease',
      client.call('PUT', path, { body: objects.lease(node, new Date(), version) }),
    )
    if (status === 200) versions[node] = versionIn(body)
    else measures.fail(`PUT of a lease: ${status}`)
  }

  async function post(node: number): Promise<void> {
    const client = clients[node]!
    const path = `/api/v1/nodes/${nodeName(node)}`
    const { status: found } = await measures.of('get a node', client.call('GET', path))
    if (found !== 200) measures.fail(`GET of a node: ${found}`)
    const body = { status: objects.nodeStatus(node, new Date()) }
    const { status } = await measures.of("patch a node's status", client.call('PATCH', `${path}/status`, { type: strategic, body }))
    if (status !== 200) measures.fail(`PATCH of a node's status: ${status}`)
  }

  return {
    get watches() {
      return watches
    },
    of: (node) => clients[node]!,
    start() {
      const failed = (error: Error) => measures.fail(error.message)
      const stops = [
        atRate(plan.nodes / leaseInterval, (index) => void renew(index % plan.nodes).catch(failed)),
        atRate(plan.nodes / statusInterval, (index) => void post(index % plan.nodes).catch(failed)),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
