import { type GroupResource, qualified } from '../answers/status.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { uncounted } from '../metrics.ts'
import type { Clock } from '../ports.ts'
import type { FieldErrors } from '../schema/field-error.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, MutationRounds } from './attributes.ts'
import { type ChainMetrics, chainRows } from './metrics.ts'

/** The two admission phases. Each runs its plugins in order; the first denial ends it. A promise if a plugin needs I/O. */
export interface Admission {
  /** Runs once, or twice when a plugin requests a second round. */
  mutate(attributes: AdmissionAttributes): MaybePromise<void>
  validate(attributes: AdmissionAttributes): MaybePromise<void>
  /** Finds errors that are listed with those of validation; undefined for resources without such. */
  finderOf(resource: GroupResource): ((attributes: AdmissionAttributes) => Promise<FieldErrors>) | undefined
}

/** Called at the end of a plugin or phase. */
type Ended = (rejected: boolean, milliseconds: number) => void
type Phase = 'mutate' | 'validate'

/** A plugin in one phase of one operation. */
interface Step {
  readonly plugin: AdmissionPlugin
  readonly ended: Ended
}

/** The plugins of a phase for one operation on one resource. */
interface Steps {
  readonly steps: readonly Step[]
  /** Receives the end of the phase. */
  readonly ended: Ended
}

/** Phases in metrics labels. */
const types = { mutate: 'admit', validate: 'validate' } as const

class Rounds implements MutationRounds {
  again = false
  wanted = false
  repeat(): void {
    this.wanted = true
  }
}

/** `observe`: what receives the seconds of those that were rejected, or were not. */
function endOf(observe: (rejected: 'true' | 'false') => (seconds: number) => void): Ended {
  const [admitted, refused] = [observe('false'), observe('true')]
  return (rejected, milliseconds) => (rejected ? refused : admitted)(milliseconds / 1000)
}

/** Maximum remembered resources that no plugin names. */
const maxKnown = 1_000

/** Selects the plugins for a request, indexed by resource, because every write looks them up. */
function selector(plugins: readonly AdmissionPlugin[], phase: Phase, metrics: ChainMetrics): (attributes: AdmissionAttributes) => Steps {
  const pick = plugins.filter((plugin) => plugin[phase])
  const stepsOf = (name: AdmissionOperation) => {
    const type = types[phase]
    const ended = endOf((rejected) => {
      const [inPhase, inSummary] = [metrics.phases.in([type, name, rejected]), metrics.summary.in([type, name, rejected])]
      return (seconds) => {
        inPhase(seconds)
        inSummary(seconds)
      }
    })
    const stepOf = (plugin: AdmissionPlugin): Step => ({
      plugin,
      ended: endOf((rejected) => metrics.plugins.in([plugin.name, type, name, rejected])),
    })
    return (concerned: readonly AdmissionPlugin[]): Steps => ({
      ended,
      steps: concerned.filter(({ operations }) => operations.includes(name)).map(stepOf),
    })
  }
  const makers = new Map<AdmissionOperation, ReturnType<typeof stepsOf>>()
  /** Made at the first request: most resources are never written with most operations. */
  function make(operation: AdmissionOperation, concerned: readonly AdmissionPlugin[]): Steps {
    const maker = makers.get(operation) ?? stepsOf(operation)
    makers.set(operation, maker)
    return maker(concerned)
  }
  const unspecific = pick.filter(({ resources }) => resources === undefined).length
  /** By resource; those that no plugin names share one entry, and have some more of the same. */
  const known: Readonly<Record<AdmissionOperation, Map<string, Steps>>> = {
    CREATE: new Map(),
    UPDATE: new Map(),
    DELETE: new Map(),
    CONNECT: new Map(),
  }
  function find(on: GroupResource, resource: string, operation: AdmissionOperation): Steps {
    const isOn = ({ group, resource }: GroupResource) => resource === on.resource && group === on.group
    const concerned = pick.filter(({ resources }) => resources === undefined || resources.some(isOn))
    const name = concerned.length === unspecific ? '' : resource
    const steps = known[operation].get(name) ?? make(operation, concerned)
    known[operation].set(name, steps)
    if (known[operation].size < maxKnown) known[operation].set(resource, steps)
    return steps
  }
  return ({ groupResource, operation }) => {
    const resource = qualified(groupResource)
    return known[operation].get(resource) ?? find(groupResource, resource, operation)
  }
}

const unmeasured: Measures = { clock: { monotonic: () => 0 }, metrics: uncounted(chainRows) }

/** Clock and metrics for durations of plugins and phases. */
export interface Measures {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly metrics: ChainMetrics
}

/** One phase of one request: its plugins in order. */
class Run {
  readonly #steps: readonly Step[]
  readonly #ended: Ended
  readonly #clock: Measures['clock']
  readonly #call: (plugin: AdmissionPlugin) => MaybePromise<void>

  constructor({ steps, ended }: Steps, clock: Measures['clock'], call: (plugin: AdmissionPlugin) => MaybePromise<void>) {
    this.#steps = steps
    this.#ended = ended
    this.#clock = clock
    this.#call = call
  }

  /** Runs the plugins from the `first` on, which starts at the time `since`; returns the end time. */
  from(began: number, first = 0, since = began): MaybePromise<number> {
    let last = since
    for (let at = first; at < this.#steps.length; at++) {
      const step = this.#steps[at] as Step
      let pending: MaybePromise<void>
      try {
        pending = this.#call(step.plugin)
      } catch (error) {
        return this.#fail(step, began, last, error)
      }
      if (pending instanceof Promise) return this.#resume(pending, began, at, last)
      last = this.#end(step, last, false)
    }
    return last
  }

  /** Continues after a plugin that needs I/O. */
  #resume(pending: Promise<void>, began: number, at: number, since: number): Promise<number> {
    const step = this.#steps[at] as Step
    return pending.then(
      () => this.from(began, at + 1, this.#end(step, since, false)),
      (error: unknown) => this.#fail(step, began, since, error),
    )
  }

  #end({ ended }: Step, since: number, rejected: boolean): number {
    const now = this.#clock.monotonic()
    ended(rejected, now - since)
    return now
  }

  #fail(step: Step, began: number, since: number, error: unknown): never {
    const now = this.#end(step, since, true)
    this.#ended(true, now - began)
    throw error
  }
}

export function createAdmission(plugins: readonly AdmissionPlugin[], measures: Measures = unmeasured): Admission {
  const { clock, metrics } = measures
  const mutating = selector(plugins, 'mutate', metrics)
  const validating = selector(plugins, 'validate', metrics)
  const finders = new Map<string, NonNullable<AdmissionPlugin['findErrors']>>()
  for (const { findErrors, resources = [] } of plugins)
    if (findErrors) for (const each of resources) finders.set(qualified(each), findErrors)
  return {
    finderOf: (resource) => finders.get(qualified(resource)),
    mutate(attributes) {
      const rounds = new Rounds()
      const steps = mutating(attributes)
      const run = new Run(steps, clock, (plugin) => plugin.mutate?.(attributes, rounds))
      const began = clock.monotonic()
      const round = (since: number): MaybePromise<void> =>
        then(run.from(since), (ended) => {
          if (!rounds.wanted || rounds.again) return steps.ended(false, ended - began)
          rounds.again = true
          return round(ended)
        })
      return round(began)
    },
    validate(attributes) {
      const steps = validating(attributes)
      const run = new Run(steps, clock, (plugin) => plugin.validate?.(attributes))
      const began = clock.monotonic()
      return then(run.from(began), (ended) => steps.ended(false, ended - began))
    },
  }
}
