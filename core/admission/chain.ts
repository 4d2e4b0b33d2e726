import type { Clock } from '../ports.ts'
import { qualified } from '../respond/status.ts'
import { type Soon, then } from '../soon.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, MutationRounds } from './attributes.ts'
import { type ChainObserver, unobserved } from './observer.ts'

/** The two admission phases. Each runs its plugins in order; the first denial ends it. A promise if a plugin needs I/O. */
export interface Admission {
  /** Runs once, or twice when a plugin requests a second round. */
  mutate(attributes: AdmissionAttributes): Soon<void>
  validate(attributes: AdmissionAttributes): Soon<void>
}

type Phase = 'mutate' | 'validate'
type Operations = Readonly<Record<AdmissionOperation, readonly Step[]>>

/** A plugin in one phase of one operation. */
interface Step {
  readonly plugin: AdmissionPlugin
  readonly ended: (rejected: boolean, milliseconds: number) => void
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

/** Selects the plugins for a request, indexed by resource, because every write looks them up. */
function selector(
  plugins: readonly AdmissionPlugin[],
  phase: Phase,
  observer: ChainObserver,
): (attributes: AdmissionAttributes) => readonly Step[] {
  const pick = plugins.filter((plugin) => plugin[phase])
  const stepsOf = (operation: AdmissionOperation) =>
    new Map(
      pick.map((plugin): [AdmissionPlugin, Step] => [plugin, { plugin, ended: observer.plugin(plugin.name, types[phase], operation) }]),
    )
  const steps = { CREATE: stepsOf('CREATE'), UPDATE: stepsOf('UPDATE'), DELETE: stepsOf('DELETE'), CONNECT: stepsOf('CONNECT') }
  const operationsOf = (name: string): Operations => {
    const concerned = pick.filter(({ resources }) => resources === undefined || resources.some((each) => qualified(each) === name))
    const of = (operation: AdmissionOperation) =>
      concerned.filter(({ operations }) => operations.includes(operation)).map((plugin) => steps[operation].get(plugin) as Step)
    return { CREATE: of('CREATE'), UPDATE: of('UPDATE'), DELETE: of('DELETE'), CONNECT: of('CONNECT') }
  }
  const byName = new Map(pick.flatMap(({ resources = [] }) => resources.map((each) => [qualified(each), operationsOf(qualified(each))])))
  const others = operationsOf('')
  return ({ groupResource, operation }) => (byName.get(qualified(groupResource)) ?? others)[operation]
}

const unmeasured: Measures = { clock: { now: () => 0 }, observer: unobserved }

/** Clock and observer for durations of plugins and phases. */
export interface Measures {
  readonly clock: Pick<Clock, 'now'>
  readonly observer: ChainObserver
}

export function createAdmission(plugins: readonly AdmissionPlugin[], { clock, observer }: Measures = unmeasured): Admission {
  const mutating = selector(plugins, 'mutate', observer)
  const validating = selector(plugins, 'validate', observer)
  /** Runs plugins in order, starting at the given time; returns the end time. */
  function run(
    concerned: readonly Step[],
    type: 'admit' | 'validate',
    { operation }: AdmissionAttributes,
    began: number,
    call: (plugin: AdmissionPlugin) => Soon<void>,
  ): Soon<number> {
    const end = ({ ended }: Step, since: number, rejected: boolean): number => {
      const now = clock.now()
      ended(rejected, now - since)
      if (rejected) observer.phase(type, operation, true, now - began)
      return now
    }
    const fail = (step: Step, since: number, error: unknown): never => {
      end(step, since, true)
      throw error
    }
    const resume = (pending: Promise<void>, at: number, step: Step, since: number): Promise<number> =>
      pending.then(
        () => runFrom(at + 1, end(step, since, false)),
        (error: unknown) => fail(step, since, error),
      )
    const runFrom = (first: number, since: number): Soon<number> => {
      let last = since
      for (let at = first; at < concerned.length; at++) {
        const step = concerned[at] as Step
        let pending: Soon<void>
        try {
          pending = call(step.plugin)
        } catch (error) {
          return fail(step, last, error)
        }
        if (pending instanceof Promise) return resume(pending, at, step, last)
        last = end(step, last, false)
      }
      return last
    }
    return runFrom(0, began)
  }

  return {
    mutate(attributes) {
      const { operation } = attributes
      const concerned = mutating(attributes)
      const rounds = new Rounds()
      const call = (plugin: AdmissionPlugin) => plugin.mutate?.(attributes, rounds)
      const began = clock.now()
      const round = (since: number): Soon<void> =>
        then(run(concerned, 'admit', attributes, since, call), (ended) => {
          if (!rounds.wanted || rounds.again) return observer.phase('admit', operation, false, ended - began)
          rounds.again = true
          return round(ended)
        })
      return round(began)
    },
    validate(attributes) {
      const began = clock.now()
      const ended = run(validating(attributes), 'validate', attributes, began, (plugin) => plugin.validate?.(attributes))
      return then(ended, (at) => observer.phase('validate', attributes.operation, false, at - began))
    },
  }
}
