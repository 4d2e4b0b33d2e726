/** Priority and fairness without a server: a clock that jumps from timer to timer, and requests that are only attributes. */
import { flowControlObjects } from '../../../core/controllers/bootstrap/flow-control-objects.ts'
import { createEstimator } from '../../../core/fairness/estimator.ts'
import { FlowControl } from '../../../core/fairness/flow-control.ts'
import { ObjectCounts } from '../../../core/fairness/object-counts.ts'
import { WatchCounts } from '../../../core/fairness/watch-counts.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Clock, SharedLimits } from '../../../core/ports.ts'
import type { Exchange, User } from '../../../core/request/exchange.ts'
import { requestInfo } from '../../../core/request/info.ts'
import type { ApiObject } from '../../../core/resources/definition.ts'

export const platform = createPlatform('kubernetes')

interface Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
  isCancelled: boolean
}

/** Timers in a heap: thousands cost little. */
export class SimulatedClock implements Clock {
  #now = 0
  #stepped = 0
  #made = 0
  readonly #heap: Timer[] = []

  now(): number {
    return 1_700_000_000_000 + this.#now + this.#stepped
  }

  /** Sets the wall clock forward or back; no time passes. */
  step(milliseconds: number): void {
    this.#stepped += milliseconds
  }

  monotonic(): number {
    return this.#now
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, order: this.#made++, callback, isCancelled: false }
    const heap = this.#heap
    let at = heap.push(timer) - 1
    for (let above = (at - 1) >> 1; at > 0 && isBefore(timer, heap[above]!); above = (at - 1) >> 1) {
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = timer
    return () => {
      timer.isCancelled = true
    }
  }

  /** Runs the timers of so many milliseconds, and what they settle. */
  async run(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await settled()
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#pop()
      if (next.isCancelled) continue
      this.#now = next.at
      next.callback()
      await settled()
    }
    this.#now = end
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
      if (!isBefore(heap[below]!, last)) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
  }
}

const isBefore = (one: Timer, other: Timer) => one.at < other.at || (one.at === other.at && one.order < other.order)

/** What promises settle in turn has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await undefined
}

export const userOf = (name: string, ...groups: string[]): User => ({ name, groups: [...groups, 'system:authenticated'] })

/** Only what priority and fairness reads. */
export function exchangeOf(
  user: User,
  method: string,
  target: string,
  deadline?: number,
): Exchange & { readonly controller: AbortController } {
  const [path = '', query = ''] = target.split('?', 2)
  const controller = new AbortController()
  const parameters = new URLSearchParams(query)
  const exchange = { user, info: requestInfo(method, path, parameters), query: parameters, signal: controller.signal, deadline, controller }
  return exchange as unknown as Exchange & { readonly controller: AbortController }
}

export interface ControlOptions {
  readonly clock?: SimulatedClock
  /** Default 600. */
  readonly seats?: number
  readonly objects?: ObjectCounts
  readonly longestWait?: number
  /** Limits that it has together with others. */
  readonly limits?: SharedLimits
}

export function createControl({
  clock = new SimulatedClock(),
  seats = 600,
  objects = new ObjectCounts(),
  longestWait = 15_000,
  limits,
}: ControlOptions = {}) {
  const watches = new WatchCounts()
  const inFlight = { readOnly: 0, mutating: 0 }
  const estimator = createEstimator({ objects, watches, measure: 'bytes', watchList: true })
  const control = new FlowControl({
    clock,
    seats,
    maxWaitWithoutDeadline: longestWait,
    estimator,
    watches,
    flowHeaders: platform.flowHeaders,
    inFlight,
    limits,
  })
  return { control, clock, watches, objects, inFlight }
}

const stored = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid-${object.metadata.name}`, generation: 1 },
})

/** The objects of every cluster, as stored. */
export function defaultObjects(): { readonly levels: ApiObject[]; readonly schemas: ApiObject[] } {
  const { suggested, mandatory } = flowControlObjects(platform)
  return {
    levels: [...suggested.levels, ...mandatory.levels].map(stored),
    schemas: [...suggested.schemas, ...mandatory.schemas].map(stored),
  }
}

export const level = (name: string, limited: object): ApiObject =>
  stored({
    kind: 'PriorityLevelConfiguration',
    apiVersion: '',
    metadata: { name },
    spec: { type: 'Limited', limited },
  } as unknown as ApiObject)

export const reject = { type: 'Reject' }
export const queue = (queues: number, handSize: number, queueLengthLimit: number) => ({
  type: 'Queue',
  queuing: { queues, handSize, queueLengthLimit },
})

/** A schema for all requests of a user. */
export const schemaFor = (name: string, user: string, levelName: string, precedence: number, more: object = {}): ApiObject =>
  stored({
    kind: 'FlowSchema',
    apiVersion: '',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence: precedence,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
      ...more,
    },
  } as unknown as ApiObject)
