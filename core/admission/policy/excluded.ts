import type { Platform } from '../../platform.ts'
import { type GroupResource, qualified } from '../../respond/status.ts'

/** Resources exempt from policies: policies themselves, and reviews that a cluster needs to work. */
const excluded: readonly (readonly [group: string, ...resources: readonly string[]])[] = [
  [
    'admissionregistration.<domain>',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ],
  ['authentication.<domain>', 'selfsubjectreviews', 'tokenreviews'],
  ['authorization.<domain>', 'localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
]

export function isExcluded(platform: Platform): (groupResource: GroupResource) => boolean {
  const names = new Set(
    excluded.flatMap(([group, ...resources]) => resources.map((resource) => qualified({ group: platform.name(group), resource }))),
  )
  return (on) => names.has(qualified(on))
}
