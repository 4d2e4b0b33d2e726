import type { Clock } from '../ports.ts'
import { qualified } from '../respond/status.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, MutationRounds } from './attributes.ts'
import { type ChainObserver, unobserved } from './observer.ts'

/** The two admission phases. Each runs its plugins in order; the first denial ends it. */
export interface Admission {
  /** Runs once, or twice when a plugin requests a second round. */
  mutate(attributes: AdmissionAttributes): Promise<void>
  validate(attributes: AdmissionAttributes): Promise<void>
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
  /** Runs plugins in order, starting at the given time; resolves to the end time. */
  async function run(
    concerned: readonly Step[],
    type: 'admit' | 'validate',
    { operation }: AdmissionAttributes,
    began: number,
    call: (plugin: AdmissionPlugin) => Promise<void> | void,
  ): Promise<number> {
    let last = began
    for (const { plugin, ended } of concerned) {
      let rejected = true
      try {
        const pending = call(plugin)
        if (pending) await pending
        rejected = false
      } finally {
        const now = clock.now()
        ended(rejected, now - last)
        if (rejected) observer.phase(type, operation, true, now - began)
        last = now
      }
    }
    return last
  }

  return {
    async mutate(attributes) {
      const concerned = mutating(attributes)
      const rounds = new Rounds()
      const began = clock.now()
      let ended = began
      do {
        rounds.again = rounds.wanted
        ended = await run(concerned, 'admit', attributes, ended, (plugin) => plugin.mutate?.(attributes, rounds))
      } while (rounds.wanted && !rounds.again)
      observer.phase('admit', attributes.operation, false, ended - began)
    },
    async validate(attributes) {
      const began = clock.now()
      const ended = await run(validating(attributes), 'validate', attributes, began, (plugin) => plugin.validate?.(attributes))
      observer.phase('validate', attributes.operation, false, ended - began)
    },
  }
}
