/**
 * CPU time of requests in one process, without sockets. Prints JSON: microseconds by row. `cpu-rows.ts` bundles and runs
 * it; for a profile, bundle it in the same way and run the result with `node --cpu-prof`. Arguments: rounds, requests
 * per round, ways and rows (default all). `fetch` is the way of programs that embed a server; `answer` is that of the
 * listener, with its request objects and our responses.
 */

import { LightHeaders } from '../../core/answers/light-headers.ts'
import { Reply } from '../../core/answers/reply.ts'
import type { Connection } from '../../core/ports.ts'
import { HeldBody } from '../../core/request/held-body.ts'
import { LightRequest } from '../../core/request/light-request.ts'
import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'

const [rounds = 5, requests = 2000] = process.argv.slice(2, 4).map(Number)
const wanted = (name: string, all: object) => {
  const chosen = process.argv.slice(4).filter((each) => Object.hasOwn(all, each))
  return chosen.length === 0 || chosen.includes(name)
}
const origin = 'http://server'
const collection = '/api/v1/namespaces/default/configmaps'
const one = `${collection}/one`
const pods = '/api/v1/namespaces/default/pods'

const configMap = (name: string, text = 'x'.repeat(800)) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'bench', shard: '3' } },
  data: { text },
})

/** Three containers, about 1.5 kB. */
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    labels: { app: 'bench', 'pod-template-hash': '7d4b9c6f5' },
    annotations: { 'example.com/checksum': 'c0ffee'.repeat(8) },
  },
  spec: {
    containers: ['web', 'proxy', 'logs'].map((container, index) => ({
      name: container,
      image: `registry.example.com/team/${container}:v1.2.3`,
      ports: [{ name: container, containerPort: 8080 + index, protocol: 'TCP' }],
      env: [
        { name: 'MODE', value: 'production' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
      readinessProbe: { httpGet: { path: '/ready', port: container }, periodSeconds: 5 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    })),
    volumes: [{ name: 'data', emptyDir: {} }],
  },
})

interface Ask {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

const json = 'application/json'

/** The status that an agent posts for a pod that runs. */
const podStatus = (restarts: number) => ({
  phase: 'Running',
  hostIP: '10.0.0.1',
  podIP: '10.1.0.7',
  podIPs: [{ ip: '10.1.0.7' }],
  qosClass: 'Burstable',
  startTime: '2026-01-01T00:00:00Z',
  conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })),
  containerStatuses: ['web', 'proxy', 'logs'].map((name) => ({
    name,
    ready: true,
    restartCount: restarts,
    image: `registry.example.com/team/${name}:v1.2.3`,
    imageID: `registry.example.com/team/${name}@sha256:${'0123456789abcdef'.repeat(4)}`,
    containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
    started: true,
    lastState: {},
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  })),
})

/** A lease that the agent of a node renews for the n-th time. */
const lease = (n: number, resourceVersion?: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'node-one',
    resourceVersion,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'e5f2e2e4-4b1c-4f6e-9a3b-0d2c6a1b7f01' }],
  },
  spec: {
    holderIdentity: 'node-one',
    leaseDurationSeconds: 40,
    renewTime: `2026-01-01T00:00:00.${String(n % 1_000_000).padStart(6, '0')}Z`,
  },
})

/** The pod as agents and controllers have read it. */
let storedPod: object = {}

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const strategic = 'application/strategic-merge-patch+json'
const merge = 'application/merge-patch+json'
const applied = (text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { labels: { applied: 'yes' } },
  data: { applied: text },
})

/** Each row makes its n-th request; `revision` is that of the store before it. */
const rows: { readonly [name: string]: (n: number, revision: number) => Ask } = {
  get: () => ({ method: 'GET', path: one }),
  create: (n) => ({ method: 'POST', path: collection, type: 'application/json', body: JSON.stringify(configMap(`made-${n}`)) }),
  put: (n) => ({ method: 'PUT', path: one, type: 'application/json', body: JSON.stringify(configMap('one', `${n}`.padEnd(800, 'y'))) }),
  'merge patch': (n) => ({ method: 'PATCH', path: one, type: merge, body: `{"metadata":{"annotations":{"touched":"${n}"}}}` }),
  'merge patch of nothing': () => ({ method: 'PATCH', path: one, type: merge, body: '{"metadata":{"labels":{"app":"bench"}}}' }),
  'strategic patch': (n) => ({
    method: 'PATCH',
    path: one,
    type: 'application/strategic-merge-patch+json',
    body: `{"metadata":{"annotations":{"touched":"${n}"}}}`,
  }),
  'json patch': (n) => ({
    method: 'PATCH',
    path: one,
    type: 'application/json-patch+json',
    body: `[{"op":"add","path":"/data/patched","value":"${n}"}]`,
  }),
  apply: (n) => ({
    method: 'PATCH',
    path: `${one}?fieldManager=bench`,
    type: 'application/apply-patch+yaml',
    body: JSON.stringify(applied(`${n}`)),
  }),
  'apply of nothing': () => ({
    method: 'PATCH',
    path: `${collection}/two?fieldManager=bench`,
    type: 'application/apply-patch+yaml',
    body: JSON.stringify(applied('the same')),
  }),
  'create a pod': (n) => ({
    method: 'POST',
    path: pods,
    type: 'application/json',
    body: JSON.stringify(pod(`made-${n}`)),
  }),
  'merge patch of a pod': (n) => ({
    method: 'PATCH',
    path: `${pods}/one`,
    type: merge,
    body: `{"metadata":{"annotations":{"touched":"${n}"}}}`,
  }),
  'status of a pod, PUT': (n) => ({
    method: 'PUT',
    path: `${pods}/one/status`,
    type: json,
    body: JSON.stringify({ ...storedPod, status: podStatus(n) }),
  }),
  'status of a pod, strategic patch': (n) => ({
    method: 'PATCH',
    path: `${pods}/one/status`,
    type: strategic,
    body: JSON.stringify({ status: { containerStatuses: [{ name: 'web', restartCount: n }] } }),
  }),
  'renew a lease': (n, revision) => ({
    method: 'PUT',
    path: `${leases}/node-one`,
    type: json,
    body: JSON.stringify(lease(n, `${revision}`)),
  }),
  'apply of a pod': (n) => ({
    method: 'PATCH',
    path: `${pods}/applied?fieldManager=bench`,
    type: 'application/apply-patch+yaml',
    body: JSON.stringify({ ...pod('applied'), metadata: { name: 'applied', annotations: { touched: `${n}` } } }),
  }),
}

const keepAlive = setInterval(() => {}, 60_000)
const server = await createApiServer({ store: memoryStore(), controllers: ['serviceaccount'] })
const encoder = new TextEncoder()

/** Prepares a request; the function sends it and resolves to the status. */
type Sender = (ask: Ask) => () => Promise<number>

const embedded: Sender =
  ({ method, path, type, body }) =>
  async () => {
    const init = type === undefined ? { method } : { method, headers: { 'content-type': type }, body: body as string }
    const response = await server.fetch(new Request(origin + path, init))
    await response.arrayBuffer()
    return response.status
  }

const connection: Connection = { remoteAddress: '127.0.0.1', remotePort: 1, protocol: 'h2' }

const listened: Sender = ({ method, path, type, body }) => {
  const bytes = encoder.encode(body ?? '')
  const headers = LightHeaders.of(['accept', 'application/json', 'user-agent', 'bench/1.0'])
  if (type !== undefined) headers.flat.push('content-type', type, 'content-length', String(bytes.length))
  const request = new LightRequest(method, path, headers, type === undefined ? null : new HeldBody(bytes))
  return async () => {
    const response = await server.answer(request, connection)
    // As the listener takes it: bodies are made when they are asked for.
    Reply.parts(response)
    return response.status
  }
}

const ways = { fetch: embedded, answer: listened }

const post = (path: string, object: object) => embedded({ method: 'POST', path, type: 'application/json', body: JSON.stringify(object) })()
for (const object of [configMap('one'), configMap('two')]) await post(collection, object)
await post(leases, lease(0))

/** Revision of the store, after a write of the lease. */
async function revisionNow(): Promise<number> {
  const init = { method: 'PATCH', headers: { 'content-type': merge }, body: `{"metadata":{"labels":{"at":"${number}"}}}` }
  const response = await server.fetch(new Request(`${origin}${leases}/node-one`, init))
  const { metadata } = (await response.json()) as { metadata: { resourceVersion: string } }
  return Number(metadata.resourceVersion)
}

// Until the controller has created the service account that pods run as.
while ((await post(pods, pod('one'))) !== 201) await new Promise((resolve) => setTimeout(resolve, 5))

const { metadata, ...rest } = (await (await server.fetch(new Request(`${origin}${pods}/one`))).json()) as { metadata: object }
storedPod = { ...rest, metadata: { ...metadata, resourceVersion: undefined } }

let number = 0
const best: { [way: string]: { [row: string]: number } } = { fetch: {}, answer: {} }
for (let round = 0; round < rounds; round++) {
  for (const [way, send] of Object.entries(ways)) {
    for (const [row, make] of Object.entries(rows)) {
      if (!wanted(way, ways) || !wanted(row, rows)) continue
      const revision = await revisionNow()
      const asks = Array.from({ length: requests }, (_, at) => send(make(number++, revision + at)))
      const before = process.cpuUsage()
      for (const ask of asks) {
        const status = await ask()
        if (status >= 300) throw new Error(`${row}: ${status}`)
      }
      const { user, system } = process.cpuUsage(before)
      const took = (user + system) / requests
      const known = best[way] as { [row: string]: number }
      known[row] = Math.min(known[row] ?? Number.POSITIVE_INFINITY, took)
    }
  }
}
console.log(JSON.stringify(best))
await server.close()
clearInterval(keepAlive)
