import { qualified } from '../respond/status.ts'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './attributes.ts'

/** The two phases. In each, every plugin runs in the order of the list; the first refusal ends it. */
export interface Admission {
  mutate(attributes: AdmissionAttributes): Promise<void>
  validate(attributes: AdmissionAttributes): Promise<void>
}

type Phase = 'mutate' | 'validate'
type Operations = Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const run = (phase: Phase) => {
    const pick = plugins.filter((plugin) => plugin[phase])
    const operationsOf = (name: string): Operations => {
      const concerned = pick.filter(({ resources }) => resources === undefined || resources.some((each) => qualified(each) === name))
      const of = (operation: AdmissionOperation) => concerned.filter(({ operations }) => operations.includes(operation))
      return { CREATE: of('CREATE'), UPDATE: of('UPDATE'), DELETE: of('DELETE'), CONNECT: of('CONNECT') }
    }
    // Most plugins concern few resources, and every write asks.
    const byName = new Map(pick.flatMap(({ resources = [] }) => resources.map((each) => [qualified(each), operationsOf(qualified(each))])))
    const others = operationsOf('')
    return async (attributes: AdmissionAttributes) => {
      for (const plugin of (byName.get(qualified(attributes.on)) ?? others)[attributes.operation]) {
        const pending = plugin[phase]?.(attributes)
        if (pending) await pending
      }
    }
  }
  return { mutate: run('mutate'), validate: run('validate') }
}
