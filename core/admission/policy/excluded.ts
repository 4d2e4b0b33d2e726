import { type GroupResource, qualified } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'

type Resources = readonly (readonly [group: string, ...resources: readonly string[]])[]

/** Policies themselves: exempt from policies of the API. Those from manifests can't be changed by them. */
const configurations: Resources = [
  [
    'admissionregistration.<domain>',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ],
]

/** Reviews that a cluster needs to work: exempt from all policies. */
const reviews: Resources = [
  ['authentication.<domain>', 'selfsubjectreviews', 'tokenreviews'],
  ['authorization.<domain>', 'localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
]

export interface Exclusions {
  /** From all policies. */
  fromAll(groupResource: GroupResource): boolean
  /** From policies of the API only. */
  fromStored(groupResource: GroupResource): boolean
}

export function exclusions(platform: Platform): Exclusions {
  const namesOf = (rows: Resources) =>
    new Set(rows.flatMap(([group, ...resources]) => resources.map((resource) => qualified({ group: platform.name(group), resource }))))
  const [all, stored] = [namesOf(reviews), namesOf(configurations)]
  return { fromAll: (on) => all.has(qualified(on)), fromStored: (on) => stored.has(qualified(on)) }
}
