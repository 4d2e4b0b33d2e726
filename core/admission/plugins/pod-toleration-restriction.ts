/** Adds the namespace's default tolerations to pods, and allows only whitelisted ones (plugin/pkg/admission/podtolerationrestriction). */

import { notFound, unreasoned } from '../../answers/status.ts'
import { qosClassOf } from '../../resources/core/qos.ts'
import { Toleration as TolerationMessage } from '../../resources/core/scheduling.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { AnnotationFault, readListAnnotation } from '../../resources/json-annotation.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import { covering, mergeTolerations, type Toleration } from './tolerations.ts'

type PodSpec = Parameters<typeof qosClassOf>[0] & { tolerations?: Toleration[] }

export function podTolerationRestriction({ platform, find, configuration }: PluginContext): AdmissionPlugin {
  const { defaults, whitelist } = configuration.PodTolerationRestriction ?? { defaults: [], whitelist: [] }
  const defaultsKey = platform.name('scheduler.alpha.<labels>/defaultTolerations')
  const whitelistKey = platform.name('scheduler.alpha.<labels>/tolerationsWhitelist')
  const pressure: Toleration = { key: platform.name('node.<labels>/memory-pressure'), operator: 'Exists', effect: 'NoSchedule' }

  /** Tolerations in an annotation of the namespace; undefined: none, so the cluster's defaults apply. */
  function listed({ metadata }: ApiObject, key: string): readonly Toleration[] | undefined {
    const text = metadata.annotations?.[key]
    if (text === undefined) return undefined
    if (text === '') return []
    try {
      return readListAnnotation(text, TolerationMessage, '[]v1.Toleration')
    } catch (error) {
      throw error instanceof AnnotationFault ? unreasoned(error.message) : error
    }
  }

  async function namespaceOf(attributes: AdmissionAttributes): Promise<ApiObject> {
    const name = attributes.namespace
    const found = await find('', 'namespaces', '', name, attributes)
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
    return found
  }

  function checkAllowed(namespace: ApiObject, tolerations: readonly Toleration[]): void {
    const own = listed(namespace, whitelistKey)
    const allowed = own ?? whitelist
    if (allowed.length === 0 || tolerations.every(covering(allowed))) return
    const scope = own ? 'namespace' : 'cluster'
    const why = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`
    throw unreasoned(why)
  }

  return {
    name: 'PodTolerationRestriction',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    async mutate(attributes) {
      const { object, operation } = attributes
      if (!isAbout(attributes, 'pods') || object === undefined) return
      const namespace = await namespaceOf(attributes)
      const spec = specOf<PodSpec>(object)
      const own = operation === 'CREATE' ? (listed(namespace, defaultsKey) ?? defaults) : []
      // Pods with resource requests tolerate memory pressure.
      const added = qosClassOf(spec) === 'BestEffort' ? own : [...own, pressure]
      const all = added.length > 0 ? mergeTolerations(spec.tolerations ?? [], added) : (spec.tolerations ?? [])
      if (all.length > 0) spec.tolerations = [...all]
      checkAllowed(namespace, all)
    },
    async validate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const { tolerations = [] } = specOf<PodSpec>(attributes.object)
      if (tolerations.length > 0) checkAllowed(await namespaceOf(attributes), tolerations)
    },
  }
}
