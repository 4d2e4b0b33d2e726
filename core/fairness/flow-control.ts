/**
 * Priority and fairness: which flow and level a request belongs to, and when it may run (apiserver/pkg/util/flowcontrol, KEP-1040). Levels and
 * schemas come from API objects; those that a server must have are there without objects, too.
 */
import type { Platform } from '../platform.ts'
import type { Clock, SharedLimits } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { FlowSchemaSpec } from '../resources/flowcontrol/flowschema.ts'
import { mandatoryLevels, mandatorySchemas } from '../resources/flowcontrol/mandatory.ts'
import type { Infer } from '../schema/model.ts'
import { allocate } from './allocation.ts'
import { kindBounds } from './bounds.ts'
import { Classifier, type RuledSchema } from './classifier.ts'
import { Distribution } from './distribution.ts'
import { Dwell } from './dwell.ts'
import type { Estimator } from './estimator.ts'
import { addTimes, Level, type LevelConfiguration } from './level.ts'
import { type SeatSource, Ticket } from './ticket.ts'
import type { WatchCounts } from './watch-counts.ts'

export interface FlowControlOptions {
  readonly clock: Clock
  /** Seats of the server, which all levels share. */
  readonly seats: number
  /** Milliseconds that a request without a deadline may wait. */
  readonly maxWaitWithoutDeadline: number
  readonly estimator: Estimator
  readonly watches: WatchCounts
  readonly flowHeaders: Platform['flowHeaders']
  /** Numbers of running requests. */
  readonly inFlight: { readOnly: number; mutating: number }
  /** Of several servers together; default: the server has its limits for itself. */
  readonly limits?: SharedLimits | undefined
}

/** Milliseconds between changes of the levels' limits. */
const period = 10_000

/** Reading or writing requests. */
class RequestKind {
  readonly running: Dwell
  readonly waiting: Dwell
  readonly runningRatio = new Distribution(kindBounds)
  readonly waitingRatio = new Distribution(kindBounds)

  constructor(now: number) {
    this.running = new Dwell(now)
    this.waiting = new Dwell(now)
  }
}

type SchemaSpec = Infer<typeof FlowSchemaSpec>

const configurationOf = ({ metadata: { name = '', uid = '' }, spec }: ApiObject): LevelConfiguration => ({
  name,
  uid,
  spec: spec as LevelConfiguration['spec'],
})

/** Whether the server can use the level: the parts fit its name and type. */
function isUsable({ name, spec: { type, limited, exempt } }: LevelConfiguration): boolean {
  const isExempt = type === 'Exempt'
  if (isExempt !== (name === 'exempt') || isExempt !== (exempt !== undefined) || isExempt === (limited !== undefined)) return false
  const response = limited?.limitResponse
  return isExempt || (response?.type === 'Reject') === (response?.queuing === undefined)
}

export class FlowControl implements SeatSource {
  readonly clock: Clock
  readonly maxWaitWithoutDeadline: number
  readonly watches: WatchCounts
  /** By name. */
  levels: ReadonlyMap<string, Level> = new Map()
  readonly readOnly: RequestKind
  readonly mutating: RequestKind
  /** Seats per unit of demand, where no bound applies. */
  fairShare = 0
  readonly #options: FlowControlOptions
  #classifier: Classifier
  /** Whether the stored levels are known: until then it sets no limits that others have, too. */
  #isConfigured = false
  #objects: readonly [levels: readonly ApiObject[], schemas: readonly ApiObject[]] = [[], []]
  /** Sums over all levels. */
  #nominal = 0
  #queueCapacity = 0
  readonly #now = () => this.clock.monotonic()

  constructor(options: FlowControlOptions) {
    this.#options = options
    this.clock = options.clock
    this.maxWaitWithoutDeadline = options.maxWaitWithoutDeadline
    this.watches = options.watches
    this.readOnly = new RequestKind(this.#now())
    this.mutating = new RequestKind(this.#now())
    this.#classifier = this.#configured([], [])
  }

  /** The ticket of a request, which has no seats yet. */
  ticket(exchange: Exchange): Ticket {
    const flow = this.#classifier.classify(exchange.user, exchange.info)
    const { level, usage } = flow
    const estimate = this.#options.estimator(exchange, level.maxSeats, usage, this.#now)
    usage.estimatedSeats.add(estimate.seats)
    return new Ticket(this, exchange, flow, estimate)
  }

  // ── Configuration ─────────────────────────────────────────────────────────────────────────────

  /** Takes over the stored levels and schemas. */
  configure(levels: readonly ApiObject[], schemas: readonly ApiObject[]): void {
    this.#isConfigured = true
    this.#objects = [levels, schemas]
    this.#classifier = this.#configured(levels, schemas)
  }

  #configured(levels: readonly ApiObject[], schemas: readonly ApiObject[]): Classifier {
    const next = new Map<string, Level>()
    for (const configuration of levels.map(configurationOf))
      if (isUsable(configuration)) next.set(configuration.name, this.#level(configuration))
    const known = new Set(next.keys())
    for (const [name, level] of this.levels) {
      if (next.has(name) || Object.hasOwn(mandatoryLevels, name) || level.queues.isIdle) continue
      level.isLeaving = true
      next.set(name, level)
    }
    for (const name of Object.keys(mandatoryLevels)) {
      const kept = this.levels.get(name)?.configuration
      const spec = mandatoryLevels[name] as unknown as LevelConfiguration['spec']
      if (!next.has(name)) next.set(name, this.#level(kept ?? { name, uid: '', spec }))
      known.add(name)
    }
    this.levels = next
    this.#assign()
    return this.#classify(schemas, known)
  }

  #level(configuration: LevelConfiguration): Level {
    const { name } = configuration
    const level = this.levels.get(name) ?? new Level(this.clock, configuration, this.#options.limits?.open(`level/${name}`))
    level.configuration = configuration
    level.isLeaving = false
    return level
  }

  /** Divides the seats by shares. */
  #assign(): void {
    const all = [...this.levels.values()]
    const shares = all.reduce((sum, level) => sum + level.shares, 0)
    const now = this.#now()
    this.#foldKinds(now)
    this.#queueCapacity = 0
    for (const level of all) {
      level.assign(this.#options.seats, shares)
      this.#queueCapacity += Math.max(0, level.queueing.queues) * level.queueing.lengthLimit
    }
    this.#nominal = all.reduce((sum, level) => sum + level.nominal, 0)
    this.#rebalance(now)
  }

  #classify(schemas: readonly ApiObject[], levels: ReadonlySet<string>): Classifier {
    const ruled = (name: string, uid: string, { priorityLevelConfiguration, distinguisherMethod, rules }: SchemaSpec): RuledSchema => {
      const level = this.levels.get(priorityLevelConfiguration?.name ?? '')!
      const distinguishes = distinguisherMethod?.type as RuledSchema['distinguishes']
      const headers = [this.#options.flowHeaders.schema, uid, this.#options.flowHeaders.level, level.configuration.uid] as const
      return { name, level, usage: level.usageOf(name), headers, distinguishes, rules: rules ?? [] }
    }
    const mandatory = (name: string) => ruled(name, '', mandatorySchemas[name] as unknown as SchemaSpec)
    const specOf = ({ spec }: ApiObject) => spec as unknown as SchemaSpec
    const usable = schemas.filter((schema) => levels.has(specOf(schema).priorityLevelConfiguration?.name ?? ''))
    const ordered = usable.toSorted((one, other) => {
      const byPrecedence = (specOf(one).matchingPrecedence ?? 0) - (specOf(other).matchingPrecedence ?? 0)
      return byPrecedence || ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1)
    })
    const stored = ordered.map((schema) => ruled(schema.metadata.name ?? '', schema.metadata.uid ?? '', specOf(schema)))
    const lacks = (name: string) => !stored.some((schema) => schema.name === name)
    const last = stored.find(({ name }) => name === 'catch-all') ?? mandatory('catch-all')
    return new Classifier([...(lacks('exempt') ? [mandatory('exempt')] : []), ...stored, ...(lacks('catch-all') ? [last] : [])], last)
  }

  // ── Borrowing ─────────────────────────────────────────────────────────────────────────────────

  /** Adapts the limits to the demand now and every ten seconds; the returned function stops that. */
  start(): () => void {
    let cancel = () => {}
    const turn = () => {
      this.#rebalance(this.#now())
      cancel = this.clock.after(period, turn)
    }
    turn()
    return () => cancel()
  }

  /** Levels without demand lend seats to others. */
  #rebalance(now: number): void {
    if (this.#options.limits && !this.#isConfigured) return
    const all = [...this.levels.values()]
    for (const level of all) level.endPeriod(now)
    let left = this.#nominal
    for (const level of all) if (level.isExempt) left -= neededBy(level)
    const limited = all.filter(({ isExempt }) => !isExempt)
    const claims = limited.map((level) => {
      const lower = neededBy(level)
      return { lower, upper: level.upper, target: Math.max(lower, level.demand.smoothed) }
    })
    const least = limited.reduce((sum, level) => sum + level.lower, 0)
    const needed = claims.reduce((sum, { lower }) => sum + lower, 0)
    const allocation = left > needed ? allocate(this.#nominal, claims) : undefined
    this.fairShare = allocation?.fairShare ?? 0
    const part = left > least && left <= needed ? (left - least) / (needed - least) : 0
    for (const [index, level] of limited.entries()) {
      const { lower, target } = claims[index]!
      level.demand.target = target
      const squeezed = level.lower + Math.round((lower - level.lower) * part)
      const failed = left > needed && allocation === undefined
      level.limit(failed ? level.current : Math.round(allocation?.seats[index] ?? squeezed), this.#options.seats, now)
    }
    for (const level of all) {
      if (!level.isExempt) continue
      level.demand.target = neededBy(level)
      level.limit(neededBy(level), this.#options.seats, now)
    }
  }

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────

  runs(isMutating: boolean, by: 1 | -1, now: number): void {
    const { running } = isMutating ? this.mutating : this.readOnly
    running.set(running.value + by, now)
    if (isMutating) this.#options.inFlight.mutating += by
    else this.#options.inFlight.readOnly += by
  }

  waits(isMutating: boolean, by: 1 | -1, now: number): void {
    const { waiting } = isMutating ? this.mutating : this.readOnly
    waiting.set(waiting.value + by, now)
  }

  left(): void {
    this.configure(...this.#objects)
  }

  /** Brings all distributions up to date. */
  fold(): void {
    const now = this.#now()
    this.#foldKinds(now)
    for (const level of this.levels.values()) level.fold(now)
  }

  #foldKinds(now: number): void {
    for (const { running, waiting, runningRatio, waitingRatio } of [this.readOnly, this.mutating]) {
      addTimes(runningRatio, running, Math.max(1, this.#nominal), now)
      addTimes(waitingRatio, waiting, Math.max(1, this.#queueCapacity), now)
    }
  }
}

/** Seats that the level keeps in the next period: those that it used, up to its nominal ones, and at least those that it does not lend. */
function neededBy({ lower, nominal, isExempt, demand: { highest } }: Level): number {
  return Math.max(lower, isExempt ? highest : Math.min(nominal, highest))
}
