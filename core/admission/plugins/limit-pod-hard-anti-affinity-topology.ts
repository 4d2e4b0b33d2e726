/** Restricts required pod anti-affinity to the hostname topology: otherwise a pod could reserve a whole zone (plugin/pkg/admission/antiaffinity). */

import { forbidden } from '../../answers/status.ts'
import type { PodSpec as PodSpecSchema } from '../../resources/core/pod-spec.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'

type PodSpec = Infer<typeof PodSpecSchema>

export function limitPodHardAntiAffinityTopology({ platform }: PluginContext): AdmissionPlugin {
  const allowed = platform.name('<labels>/hostname')
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    validate(attributes) {
      const { groupResource, object } = attributes
      if (!isAbout(attributes, 'pods') || object === undefined) return
      const terms = specOf<PodSpec>(object).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      for (const { topologyKey: key = '' } of terms)
        if (key !== allowed) {
          const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${allowed} is allowed`
          throw forbidden(groupResource, object.metadata.name ?? '', why)
        }
    },
  }
}
