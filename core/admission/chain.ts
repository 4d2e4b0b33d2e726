import { qualified } from '../respond/status.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, MutationRounds } from './attributes.ts'

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
  return ({ on, operation }) => (byName.get(qualified(on)) ?? others)[operation]
}

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const mutating = selector(plugins, 'mutate')
  const validating = selector(plugins, 'validate')
  return {
    async mutate(attributes) {
      const concerned = mutating(attributes)
      const rounds = new Rounds()
      do {
        rounds.again = rounds.wanted
        for (const plugin of concerned) {
          const pending = plugin.mutate?.(attributes, rounds)
          if (pending) await pending
        }
      } while (rounds.wanted && !rounds.again)
    },
    async validate(attributes) {
      for (const plugin of validating(attributes)) {
        const pending = plugin.validate?.(attributes)
        if (pending) await pending
      }
    },
  }
}
