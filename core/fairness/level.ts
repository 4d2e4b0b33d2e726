import type { Clock, SharedLimit } from '../ports.ts'
import type { PriorityLevelConfigurationSpec } from '../resources/flowcontrol/prioritylevelconfiguration.ts'
import type { Infer } from '../schema/model.ts'
import { demandBounds, requestBounds, seatBounds } from './bounds.ts'
import { Distribution } from './distribution.ts'
import type { Dwell } from './dwell.ts'
import { type Queueing, QueueSet } from './queue-set.ts'
import { RetryAfter } from './retry-after.ts'
import { Usage } from './usage.ts'

/** A priority level, as its object describes it. */
export interface LevelConfiguration {
  readonly name: string
  readonly uid: string
  readonly spec: Infer<typeof PriorityLevelConfigurationSpec>
}

/** How much of the demand of the last period the next one remembers: half after five minutes. */
const memory = 0.977
/** Part of a level's nominal seats that one request may take. */
const maxSeatsPart = 0.15
const nanosecondsOf = (milliseconds: number) => Math.round(milliseconds * 1e6)

const exemptQueueing: Queueing = { queues: -1, handSize: 0, lengthLimit: 0 }

function queueingOf({ limited }: LevelConfiguration['spec']): Queueing {
  if (!limited) return exemptQueueing
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = limited.limitResponse?.queuing ?? {}
  return { queues, handSize, lengthLimit: queueLengthLimit }
}

/** Its queues, its limits in seats, and statistics. */
export class Level {
  configuration: LevelConfiguration
  readonly queues: QueueSet
  /** Configured limits: nominal, without what it lends, with what it may borrow. */
  nominal = 0
  lower = 0
  upper = 0
  /** Most seats of one request; 0: no limit of its own. */
  maxSeats = 0
  /** Its object is gone; it ends with its last request. */
  isLeaving = false
  readonly retryAfter = new RetryAfter()
  /** By schema. */
  readonly usages = new Map<string, Usage>()
  /** Seats wanted in the last period. */
  readonly demand = { average: 0, deviation: 0, highest: 0, smoothed: 0, target: 0 }
  /** Nanoseconds by utilization. */
  readonly seatUtilization = new Distribution(seatBounds)
  readonly runningUtilization = new Distribution(requestBounds)
  readonly waitingUtilization = new Distribution(requestBounds)
  readonly demandRatio = new Distribution(demandBounds)
  #denominator = 1
  readonly #shared: SharedLimit | undefined
  /** Milliseconds of this period, and integrals of the demand and of its square. */
  #moments = { duration: 0, sum: 0, squares: 0 }

  /** `shared`: the seats are those of several servers together. */
  constructor(clock: Clock, configuration: LevelConfiguration, shared: SharedLimit | undefined) {
    this.configuration = configuration
    this.#shared = shared
    this.queues = new QueueSet(clock, queueingOf(configuration.spec), shared)
  }

  /** The limit for now. */
  get current(): number {
    return this.queues.limit
  }

  get name(): string {
    return this.configuration.name
  }

  get isExempt(): boolean {
    return this.configuration.spec.limited === undefined
  }

  get queueing(): Queueing {
    return queueingOf(this.configuration.spec)
  }

  get shares(): number {
    const { limited, exempt } = this.configuration.spec
    return limited ? (limited.nominalConcurrencyShares ?? 30) : (exempt?.nominalConcurrencyShares ?? 0)
  }

  usageOf(schema: string): Usage {
    const usage = this.usages.get(schema) ?? new Usage()
    this.usages.set(schema, usage)
    return usage
  }

  /** Takes its part of all seats; `shares` is the sum over all levels. */
  assign(seats: number, shares: number): void {
    const { limited, exempt } = this.configuration.spec
    const { lendablePercent = 0 } = limited ?? exempt ?? {}
    const nominal = Math.ceil((seats * this.shares) / shares)
    const lendable = Math.round((nominal * lendablePercent) / 100)
    const percent = limited?.borrowingLimitPercent
    this.nominal = nominal
    this.lower = nominal - lendable
    this.upper = nominal + (percent === undefined ? seats : Math.round((nominal * percent) / 100))
    const { handSize } = this.queueing
    const isQueueing = this.queueing.queues > 0
    this.maxSeats = isQueueing ? Math.max(1, Math.min(Math.ceil(nominal * maxSeatsPart), Math.floor(nominal / handSize))) : 0
  }

  /** Ends a period: the statistics of its demand. */
  endPeriod(now: number): void {
    this.fold(now)
    const { duration, sum, squares } = this.#moments
    this.#moments = { duration: 0, sum: 0, squares: 0 }
    const { demand } = this
    demand.highest = this.queues.demand.highest
    this.queues.demand.restart()
    if (duration <= 0) return
    demand.average = sum / duration
    demand.deviation = Math.sqrt(Math.max(0, squares / duration - demand.average ** 2))
    if (this.#shared) Object.assign(demand, this.#shared.exchange(demand))
    const envelope = demand.average + demand.deviation
    demand.smoothed = Math.max(envelope, memory * demand.smoothed + (1 - memory) * envelope)
  }

  /** Applies a limit for the next period. `seats`: of the server. */
  limit(current: number, seats: number, now: number): void {
    this.fold(now)
    this.#denominator = current > 0 ? current : Math.max(1, Math.round(seats / 10))
    this.queues.configure(this.queueing, current)
  }

  /** Brings the distributions up to date. */
  fold(now: number): void {
    const { queues } = this
    const { lengthLimit, queues: count } = queues.queueing
    const queueCapacity = Math.max(1, lengthLimit) * Math.max(1, count)
    addTimes(this.seatUtilization, queues.seatsInUse, this.#denominator, now)
    addTimes(this.runningUtilization, queues.requestsRunning, this.#denominator, now)
    addTimes(this.waitingUtilization, queues.requestsWaiting, queueCapacity, now)
    queues.demand.take(now, (value, milliseconds) => {
      const moments = this.#moments
      moments.duration += milliseconds
      moments.sum += value * milliseconds
      moments.squares += value * value * milliseconds
      this.demandRatio.add(value / this.#denominator, nanosecondsOf(milliseconds))
    })
  }
}

/** Adds how long a number had its values, in nanoseconds, as parts of a whole. */
export function addTimes(distribution: Distribution, dwell: Dwell, whole: number, now: number): void {
  dwell.take(now, (value, milliseconds) => distribution.add(value / whole, nanosecondsOf(milliseconds)))
}
