/** Taints new nodes as not ready (plugin/pkg/admission/nodetaint). */
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'

interface Taint {
  readonly key: string
  readonly effect: string
}

export function taintNodesByCondition({ platform }: PluginContext): AdmissionPlugin {
  const taint: Taint = { key: platform.name('node.<labels>/not-ready'), effect: 'NoSchedule' }
  return {
    name: 'TaintNodesByCondition',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'nodes' }],
    mutate(attributes) {
      if (!isAbout(attributes, 'nodes') || attributes.object === undefined) return
      const spec = specOf<{ taints?: Taint[] }>(attributes.object)
      const given = spec.taints ?? []
      if (!given.some(({ key, effect }) => key === taint.key && effect === taint.effect)) spec.taints = [...given, taint]
    },
  }
}
