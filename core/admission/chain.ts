import type { Clock } from '../ports.ts'
import { qualified } from '../respond/status.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, MutationRounds } from './attributes.ts'
import { type ChainObserver, unobserved } from './observer.ts'

/** The two phases. In each, every plugin runs in the order of the list; the first refusal ends it. */
export interface Admission {
  /** Once, or twice when a plugin asks for a second round. */
  mutate(attributes: AdmissionAttributes): Promise<void>
  validate(attributes: AdmissionAttributes): Promise<void>
}

type Phase = 'mutate' | 'validate'
type Operations = Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>

class Rounds implements MutationRounds {
  again = false
  wanted = false
  repeat(): void {
    this.wanted = true
  }
}

/** Finds the plugins that concern a write; most concern few resources, and every write asks. */
function selector(plugins: readonly AdmissionPlugin[], phase: Phase): (attributes: AdmissionAttributes) => readonly AdmissionPlugin[] {
  const pick = plugins.filter((plugin) => plugin[phase])
  const operationsOf = (name: string): Operations => {
    const concerned = pick.filter(({ resources }) => resources === undefined || resources.some((each) => qualified(each) === name))
    const of = (operation: AdmissionOperation) => concerned.filter(({ operations }) => operations.includes(operation))
    return { CREATE: of('CREATE'), UPDATE: of('UPDATE'), DELETE: of('DELETE'), CONNECT: of('CONNECT') }
  }
  const byName = new Map(pick.flatMap(({ resources = [] }) => resources.map((each) => [qualified(each), operationsOf(qualified(each))])))
  const others = operationsOf('')
  return ({ groupResource, operation }) => (byName.get(qualified(groupResource)) ?? others)[operation]
}

const unmeasured: Measures = { clock: { now: () => 0 }, observer: unobserved }

/** How long plugins and phases take. */
export interface Measures {
  readonly clock: Pick<Clock, 'now'>
  readonly observer: ChainObserver
}

export function createAdmission(plugins: readonly AdmissionPlugin[], { clock, observer }: Measures = unmeasured): Admission {
  const mutating = selector(plugins, 'mutate')
  const validating = selector(plugins, 'validate')
  /** Runs plugins in order, from the given time on; resolves to when they have ended. */
  async function run(
    concerned: readonly AdmissionPlugin[],
    type: 'admit' | 'validate',
    { operation }: AdmissionAttributes,
    began: number,
    call: (plugin: AdmissionPlugin) => Promise<void> | void,
  ): Promise<number> {
    let last = began
    for (const plugin of concerned) {
      let rejected = true
      try {
        const pending = call(plugin)
        if (pending) await pending
        rejected = false
      } finally {
        const now = clock.now()
        observer.plugin(plugin.name, type, operation, rejected, now - last)
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
