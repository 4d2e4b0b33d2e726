import type { AdmissionAttributes, AdmissionPlugin } from './attributes.ts'

/** The two phases. In each, every plugin runs in the order of the list; the first refusal ends it. */
export interface Admission {
  mutate(attributes: AdmissionAttributes): Promise<void>
  validate(attributes: AdmissionAttributes): Promise<void>
}

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const run = (phase: 'mutate' | 'validate') => async (attributes: AdmissionAttributes) => {
    for (const plugin of plugins) {
      if (plugin[phase] && plugin.operations.includes(attributes.operation)) await plugin[phase](attributes)
    }
  }
  return { mutate: run('mutate'), validate: run('validate') }
}
