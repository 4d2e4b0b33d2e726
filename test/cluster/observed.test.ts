/**
 * What is seen of kubectl's daily commands: audit events, whole and in order, and metrics. The same commands run on this server and on the
 * reference.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { missingMetrics } from '../core/meta/metrics/missing.ts'
import { normalEvent } from '../reference/audit/normal.ts'
import { type Kubectl, kubectls, kubectlWith } from '../support/kubectl.ts'
import { eventually } from '../support/wait.ts'
import { type LoneServer, startLoneServer } from './lone-server.ts'
import { programPath } from './programs.ts'
import type { ServerName } from './server.ts'

const [kubectl] = kubectls().toReversed()
const lacks = programPath('kube-apiserver') === undefined ? 'kube-apiserver' : kubectl === undefined ? 'kubectl' : undefined
const skip = lacks !== undefined && `not installed (on PATH or in KUBERNETES_BIN): ${lacks}`

const policy = { kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [{ level: 'RequestResponse' }] }
const labels = { app: 'web' }
const container = { name: 'web', image: 'nginx' }
const deployment = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
}
const service = {
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'web' },
  spec: { clusterIP: '10.0.0.77', selector: labels, ports: [{ port: 80 }] },
}
const settings = (data: object) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'settings' }, data })
const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'node-1' } }
const cronJob = {
  kind: 'CronJob',
  apiVersion: 'batch/v1',
  metadata: { name: 'nightly' },
  spec: {
    schedule: '0 0 * * *',
    jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
  },
}

interface Command {
  readonly args: string
  readonly input?: object
  readonly env?: { readonly [name: string]: string }
}

const commands: readonly Command[] = [
  { args: 'create namespace shop' },
  { args: 'create serviceaccount default' },
  { args: 'apply -f -', input: deployment },
  { args: 'apply -f -', input: deployment },
  { args: 'create -f -', input: service },
  { args: 'create configmap plain --from-literal=a=1' },
  { args: 'create configmap plain --from-literal=a=1' },
  { args: 'create secret generic token --from-literal=a=1' },
  { args: 'apply --server-side -f -', input: settings({ a: '1' }) },
  { args: 'apply -f - --dry-run=server', input: settings({ a: '2' }) },
  { args: 'diff -f -', input: settings({ a: '3' }) },
  { args: 'get deployments' },
  { args: 'get deployment web -o yaml' },
  { args: 'get all' },
  { args: 'get pods -A -l app=web --sort-by=.metadata.name' },
  { args: 'get configmaps --chunk-size=1 -o name' },
  { args: 'get configmap none' },
  { args: 'get nothing' },
  { args: 'get configmaps -w --request-timeout=1s' },
  { args: 'describe deployment web' },
  { args: 'describe service web' },
  { args: 'label deployment web tier=front' },
  { args: 'annotate deployment web note=x --overwrite' },
  { args: 'set image deployment/web web=nginx:2' },
  { args: 'set env deployment/web A=1' },
  { args: 'set resources deployment/web --limits=cpu=1' },
  { args: 'scale deployment web --replicas=3' },
  { args: 'autoscale deployment web --max=5' },
  { args: 'expose deployment web --name=front --port=80 --cluster-ip=10.0.0.78' },
  { args: 'rollout restart deployment/nothing' },
  { args: 'rollout pause deployment/web' },
  { args: 'rollout resume deployment/web' },
  { args: 'rollout status deployment/web --timeout=1s' },
  { args: 'rollout history deployment/web' },
  { args: 'patch deployment web --patch {"spec":{"paused":true}}' },
  { args: 'patch configmap plain --type=merge --patch {"data":{"a":"2"}}' },
  { args: 'patch configmap plain --type=json --patch [{"op":"remove","path":"/data/a"}]' },
  { args: 'edit configmap plain', env: { KUBE_EDITOR: "sed -i -e '/^apiVersion/a data: {c: d}'" } },
  { args: 'replace -f -', input: settings({ b: '2' }) },
  { args: 'run tool --image=tool --overrides={"spec":{"automountServiceAccountToken":false}}' },
  { args: 'logs tool' },
  { args: 'exec tool -- date' },
  { args: 'attach tool' },
  { args: 'port-forward tool 18080:80' },
  { args: 'debug tool --image=helper --container=helper' },
  { args: 'create -f -', input: cronJob },
  { args: 'create job manual --from=cronjob/nightly' },
  { args: 'create role reader --verb=get,list --resource=configmaps' },
  { args: 'create rolebinding readers --role=reader --user=jane' },
  { args: 'create token default --duration=1h' },
  { args: 'auth can-i list pods' },
  { args: 'auth whoami' },
  { args: 'get configmap plain --as=jane' },
  { args: 'get secrets --as=jane --as-group=dev' },
  { args: 'delete configmap plain --as=jane' },
  { args: 'create -f -', input: node },
  { args: 'cordon node-1' },
  { args: 'taint node node-1 key=value:NoSchedule' },
  { args: 'drain node-1 --ignore-daemonsets' },
  { args: 'top pods' },
  { args: 'events' },
  { args: 'get --raw /healthz' },
  { args: 'wait --for=condition=Available deployment/web --timeout=1s' },
  { args: 'delete configmap plain --wait=false' },
  { args: 'delete pod tool --now --wait=false' },
  { args: 'delete deployment web --cascade=orphan --wait=false' },
  { args: 'delete configmaps --all' },
  { args: 'delete namespace shop --wait=false' },
]

interface Side {
  readonly server: LoneServer
  readonly kubectl: Kubectl
  readonly log: string
  /** Lines of the log that have been read. */
  read: number
}

async function startSide(name: ServerName): Promise<Side> {
  const server = await startLoneServer(name, (file) => [
    `--audit-policy-file=${file('policy.json', JSON.stringify(policy))}`,
    `--audit-log-path=${file('audit.log')}`,
  ])
  if (kubectl === undefined) throw new Error('no kubectl')
  return { server, kubectl: kubectlWith(kubectl, server.kubeconfig, server.file('home')), log: server.file('audit.log'), read: 0 }
}

/** What kubectl asks for again now and then, in any order. */
const isDiscovery = (uri: string) =>
  /^\/(?:api|apis|openapi|version)(?:[/?]|$)/.test(uri) && !/^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/[^?]/.test(uri)

interface Line {
  readonly stage: string
  readonly auditID: string
  readonly requestURI: string
  readonly userAgent?: string
}

const isLast = ({ stage }: Line) => stage === 'ResponseComplete' || stage === 'Panic'

/** The events of the requests of a command, when each request has its last one; requests side by side are in the order of their addresses. */
async function eventsOf(side: Side): Promise<readonly string[]> {
  const found = await eventually('the last events', async () => {
    const lines = readFileSync(side.log, 'utf8').split('\n').slice(side.read, -1)
    const events = lines
      .map((line) => ({ line, event: JSON.parse(line) as Line }))
      .filter(({ event: { userAgent = '', requestURI } }) => userAgent.startsWith('kubectl') && !isDiscovery(requestURI))
    const ended = new Set(events.flatMap(({ event }) => (isLast(event) ? [event.auditID] : [])))
    return events.every(({ event }) => ended.has(event.auditID)) && { events, count: lines.length }
  })
  side.read += found.count
  return found.events
    .map(({ line }) => {
      const { auditID: _, ...event } = normalEvent(line)
      const text = JSON.stringify(event, undefined, 1).replace(
        /fieldSelector=([^&"]*)/,
        (_selector, terms: string) => `fieldSelector=${terms.split('%2C').sort()}`,
      )
      return replacements.reduce((before, [pattern, by]) => before.replaceAll(pattern, by), text)
    })
    .sort()
}

/** What differs from run to run, beside what `normalEvent` replaces and the order of a field selector. Tokens to continue are opaque. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/resourceVersion(=|%3D)\d+/g, 'resourceVersion=REVISION'],
  [/timeoutSeconds=\d{3}/g, 'timeoutSeconds=RANDOM'],
  [/continue(=|": ")[\w-]+/g, 'continue=TOKEN'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
]

interface Family {
  readonly name: string
  readonly type: string
  /** Labels of each sample. */
  readonly labels: readonly string[]
}

/** The families of a page of metrics with the number of their samples without buckets. */
function familiesOf(text: string): ReadonlyMap<string, Family> {
  const found = new Map<string, Family>()
  let current: { name: string; type: string; labels: string[] } | undefined
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
    if (name !== undefined && type !== undefined) {
      current = { name, type, labels: [] }
      found.set(name, current)
    } else if (current !== undefined && line !== '' && !line.startsWith('#')) {
      const counts = current.type === 'histogram' || current.type === 'summary' ? line.startsWith(`${current.name}_count`) : true
      if (counts) current.labels.push(line.slice(line.indexOf('{'), line.lastIndexOf(' ')))
    }
  }
  return found
}

/** The reference counts stored service accounts from the second minute on. */
const countedLate = 'resource="serviceaccounts"'
/** Count what the caches of the server's own components ask for, which the reference does in another way with etcd 3.4.25 and later. */
const byOwnCaches = new Set(['etcd_bookmark_total', 'apiserver_init_events_total'])

const reasons = Object.values(missingMetrics).flat()
const isMissing = (name: string) => reasons.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))

describe('what is seen of daily commands', { skip, timeout: 900_000 }, () => {
  const sides: Side[] = []
  before(async () => {
    for (const name of ['this server', 'the reference'] as const) sides.push(await startSide(name))
    for (const side of sides) await eventsOf(side)
  })
  after(async () => {
    for (const { server } of sides) await server.close()
  })

  for (const [index, { args, input, env = {} }] of commands.entries()) {
    test(`${index + 1}: kubectl ${args}`, async () => {
      const all = index === 0 ? args.split(' ') : ['--namespace=shop', ...args.split(' ')]
      const seen = await Promise.all(
        sides.map(async (side) => {
          const run = await side.kubectl.try(all, { env, ...(input && { stdin: JSON.stringify(input) }) })
          return { code: run.code, events: await eventsOf(side) }
        }),
      )
      assert.deepEqual(seen[0], seen[1])
      if (index === 0) assert.ok((seen[0]?.events.length ?? 0) > 0)
    })
  }

  test('the reference has no metric that is missing here without a reason', async () => {
    const [ours, theirs] = await Promise.all(sides.map(async ({ server }) => familiesOf((await server.api.get<string>('/metrics')).body)))
    const absent = [...(theirs?.values() ?? [])].filter(({ name, labels }) => labels.length > 0 && !ours?.has(name) && !isMissing(name))
    assert.deepEqual(
      absent.map(({ name }) => name),
      [],
    )
    // The server's own controllers and caches do other work; what clients cause must be there.
    const unseen = [...(theirs?.values() ?? [])].filter(({ name, labels }) => labels.length > 0 && ours?.get(name)?.labels.length === 0)
    console.info(`families with samples on the reference only: ${unseen.map(({ name, labels }) => `${name} ${labels.length}`).join(', ')}`)
  })

  test('no metric has more series than the reference has for the same requests', async () => {
    const [ours, theirs] = await Promise.all(sides.map(async ({ server }) => familiesOf((await server.api.get<string>('/metrics')).body)))
    const larger = [...(ours?.values() ?? [])].flatMap(({ name, labels }) => {
      const there = theirs?.get(name)?.labels
      if (there === undefined || labels.length <= there.length || byOwnCaches.has(name)) return []
      const alone = labels.filter((each) => !there.includes(each) && !each.includes(countedLate))
      if (alone.length === 0) return []
      return [`${name}: ${labels.length}, there ${there.length}; here only: ${alone.join(' ')}`]
    })
    assert.deepEqual(larger, [])
  })
})
