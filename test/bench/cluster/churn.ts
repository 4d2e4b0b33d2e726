/**
 * Pods that come and go, each through the hands of a controller (creates and deletes it), a scheduler (binds it when its watch shows it) and a
 * node agent (starts it, ends it, as its watch tells). Every step waits for the event of the one before.
 */
import type { Agents } from './agents.ts'
import { type Client, typeOf } from './client.ts'
import type { Measures } from './measures.ts'
import * as objects from './objects.ts'
import { atRate } from './pace.ts'
import { churnName, churnNameLength, nodeName, type Plan, placeOf } from './plan.ts'
import { strategic } from './populate.ts'

/** Seconds from a pod's start to its deletion, and from a failed write to the next attempt. */
const [lifetime, backoff] = [20, 1]

interface Churned {
  readonly node: number
  readonly path: string
  /** When the write was sent that causes the next event. */
  sent: number
  state: 'created' | 'bound' | 'started' | 'running' | 'deleted' | 'ending'
  readonly begun: number
}

/** Statuses of a write that an earlier attempt has done: not found, and a conflict. */
const done: ReadonlySet<string | number> = new Set([404, 409])

const prefix = churnName(0).slice(0, 6)

/** The name of the churned pod that an event is about. */
function nameIn(event: Buffer): string | undefined {
  const at = event.indexOf(prefix)
  return at < 0 ? undefined : event.toString('latin1', at, at + churnNameLength)
}

export class Churn {
  readonly #plan: Plan
  readonly #admin: Client
  readonly #measures: Measures
  readonly #pods = new Map<string, Churned>()
  readonly #timers = new Set<NodeJS.Timeout>()
  agents: Agents | undefined

  constructor(plan: Plan, admin: Client, measures: Measures) {
    this.#plan = plan
    this.#admin = admin
    this.#measures = measures
  }

  /** Pods under way. */
  get size(): number {
    return this.#pods.size
  }

  /** Creates pods until the returned function is called. */
  start(): () => void {
    const stop = atRate(this.#plan.churn, (index) => this.#create(index))
    return () => {
      stop()
      for (const timer of this.#timers) clearTimeout(timer)
    }
  }

  /** An event of the scheduler's watch. */
  readonly onScheduler = (event: Buffer): void => {
    const name = nameIn(event)
    const pod = name === undefined ? undefined : this.#pods.get(name)
    if (name === undefined || pod?.state !== 'created') return
    this.#delivered(pod)
    pod.state = 'bound'
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: nodeName(pod.node) } }
    this.#write('bind a pod', pod, this.#admin, 'POST', `${pod.path}/binding`, { body })
  }

  /** An event of the watch of a node's agent. */
  readonly onAgent = (_node: number, event: Buffer): void => {
    const name = nameIn(event)
    const pod = name === undefined ? undefined : this.#pods.get(name)
    const agent = pod && this.agents?.of(pod.node)
    if (name === undefined || pod === undefined || agent === undefined) return
    const type = typeOf(event)
    if (pod.state === 'bound' && type === 'ADDED') {
      this.#delivered(pod)
      pod.state = 'started'
      this.#write("patch a pod's status", pod, agent, 'PATCH', `${pod.path}/status`, { type: strategic, body: objects.running(pod.node) })
    } else if (pod.state === 'started' && type === 'MODIFIED') {
      this.#delivered(pod)
      this.#measures.add('pod from creation to running', performance.now() - pod.begun)
      pod.state = 'running'
      this.#later(lifetime, () => {
        pod.state = 'deleted'
        this.#write('delete a pod', pod, this.#admin, 'DELETE', pod.path)
      })
    } else if (pod.state === 'deleted' && type === 'MODIFIED') {
      this.#delivered(pod)
      pod.state = 'ending'
      this.#write('delete a pod', pod, agent, 'DELETE', pod.path, { body: { gracePeriodSeconds: 0 } })
    } else if (pod.state === 'ending' && type === 'DELETED') {
      this.#delivered(pod)
      this.#pods.delete(name)
    }
  }

  #create(index: number): void {
    const { node, namespace } = placeOf(index, this.#plan)
    const name = churnName(index)
    const collection = `/api/v1/namespaces/${namespace}/pods`
    const begun = performance.now()
    const pod: Churned = { node, path: `${collection}/${name}`, sent: begun, state: 'created', begun }
    this.#pods.set(name, pod)
    this.#write('create a pod', pod, this.#admin, 'POST', collection, { body: objects.pod(name, namespace, index % 10) })
  }

  #delivered(pod: Churned): void {
    this.#measures.add('watch delay, from the write being sent', performance.now() - pod.sent)
  }

  #write(operation: string, pod: Churned, client: Client, method: string, path: string, call: Parameters<Client['call']>[2] = {}): void {
    pod.sent = performance.now()
    const failed = (why: string | number) => {
      this.#measures.fail(`${operation}: ${why}`)
      // What an earlier attempt has done is not there to be done again.
      if (!done.has(why)) this.#later(backoff, () => this.#write(operation, pod, client, method, path, call))
    }
    this.#measures.of(operation, client.call(method, path, call)).then(
      ({ status }) => {
        if (status >= 400) failed(status)
      },
      (error: Error) => failed(error.message),
    )
  }

  #later(seconds: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, seconds * 1000)
    this.#timers.add(timer)
  }
}
