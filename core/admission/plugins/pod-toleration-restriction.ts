/** Adds the namespace's default tolerations to pods, and allows only whitelisted ones (plugin/pkg/admission/podtolerationrestriction). */

import { notFound } from '../../answers/status.ts'
import { qosClassOf } from '../../resources/core/qos.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'
import { covering, mergeTolerations, type Toleration } from './tolerations.ts'

type PodSpec = Parameters<typeof qosClassOf>[0] & { tolerations?: Toleration[] }

export function podTolerationRestriction({ platform, find, configuration }: PluginContext): AdmissionPlugin {
  const { defaults, whitelist } = configuration.PodTolerationRestriction ?? { defaults: [], whitelist: [] }
  const defaultsKey = platform.name('scheduler.alpha.<labels>/defaultTolerations')
  const whitelistKey = platform.name('scheduler.alpha.<labels>/tolerationsWhitelist')
  const pressure: Toleration = { key: platform.name('node.<labels>/memory-pressure'), operator: 'Exists', effect: 'NoSchedule' }

  /** Tolerations in an annotation of the namespace; undefined: none, so the cluster's defaults apply. */
  function listed(attributes: AdmissionAttributes, { metadata }: ApiObject, key: string): readonly Toleration[] | undefined {
    const text = metadata.annotations?.[key]
    if (text === undefined) return undefined
    if (text === '') return []
    try {
      const value: unknown = JSON.parse(text)
      if (value === null) return []
      if (!Array.isArray(value)) throw new Error('is not a list')
      return value as readonly Toleration[]
    } catch (error) {
      throw refusal(attributes, `annotation ${key} of namespace ${attributes.namespace}: ${messageOf(error)}`)
    }
  }

  async function namespaceOf(attributes: AdmissionAttributes): Promise<ApiObject> {
    const name = attributes.namespace
    const found = await find('', 'namespaces', '', name, attributes)
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
    return found
  }

  function checkAllowed(attributes: AdmissionAttributes, namespace: ApiObject, tolerations: readonly Toleration[]): void {
    const own = listed(attributes, namespace, whitelistKey)
    const allowed = own ?? whitelist
    if (allowed.length === 0 || tolerations.every(covering(allowed))) return
    const scope = own ? 'namespace' : 'cluster'
    const why = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`
    throw refusal(attributes, why)
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
      const own = operation === 'CREATE' ? (listed(attributes, namespace, defaultsKey) ?? defaults) : []
      const merged = own.length > 0 ? mergeTolerations(own, spec.tolerations ?? []) : (spec.tolerations ?? [])
      // Pods with resource requests tolerate memory pressure.
      const all = qosClassOf(spec) === 'BestEffort' ? merged : mergeTolerations(merged, [pressure])
      if (all.length > 0) spec.tolerations = [...all]
      checkAllowed(attributes, namespace, all)
    },
    async validate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const { tolerations = [] } = specOf<PodSpec>(attributes.object)
      if (tolerations.length > 0) checkAllowed(attributes, await namespaceOf(attributes), tolerations)
    },
  }
}
