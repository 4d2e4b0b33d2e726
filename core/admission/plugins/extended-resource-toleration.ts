/** Pods that request an extended resource get a toleration for its taint (plugin/pkg/admission/extendedresourcetoleration). */
import { isExtended } from '../../resources/core/resource-validation.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import type { PodSpec } from './pod-amounts.ts'
import type { Toleration } from './tolerations.ts'

const operator = 'Exists'
const effect = 'NoSchedule'
const toleration = (key: string): Toleration => ({ key, operator, effect })

export function extendedResourceToleration({ platform }: PluginContext): AdmissionPlugin {
  function devicesOf({ containers, initContainers }: PodSpec): ReadonlySet<string> {
    const names = [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
    return new Set(names.filter((name) => isExtended(name, { platform })).sort())
  }

  return {
    name: 'ExtendedResourceToleration',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    mutate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const spec = specOf<PodSpec & { tolerations?: Toleration[] }>(attributes.object)
      const devices = devicesOf(spec)
      if (devices.size === 0) return
      const isOurs = (each: Toleration) =>
        devices.has(each.key ?? '') && each.operator === operator && each.effect === effect && !each.value
      // Such tolerations lose their tolerationSeconds, which this effect does not have.
      const given = (spec.tolerations ?? []).map((each) => (isOurs(each) ? toleration(each.key ?? '') : each))
      const tolerated = new Set(given.filter(isOurs).map(({ key }) => key))
      spec.tolerations = [...given, ...[...devices].filter((device) => !tolerated.has(device)).map(toleration)]
    },
  }
}
