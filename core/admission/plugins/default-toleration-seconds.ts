/** Adds tolerations for not-ready and unreachable nodes to pods without them (plugin/pkg/admission/defaulttolerationseconds). */
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import type { Toleration } from './tolerations.ts'

const effect = 'NoExecute'

export function defaultTolerationSeconds({ platform, tolerationSeconds }: PluginContext): AdmissionPlugin {
  const defaults: readonly (readonly [key: string, seconds: number])[] = [
    [platform.name('node.<labels>/not-ready'), tolerationSeconds.notReady],
    [platform.name('node.<labels>/unreachable'), tolerationSeconds.unreachable],
  ]
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    mutate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const spec = specOf<{ tolerations?: Toleration[] }>(attributes.object)
      const given = spec.tolerations ?? []
      const tolerates = (taint: string) =>
        given.some((each) => (!each.key || each.key === taint) && (!each.effect || each.effect === effect))
      const missing = defaults.filter(([key]) => !tolerates(key))
      if (missing.length > 0)
        spec.tolerations = [
          ...given,
          ...missing.map(([key, tolerationSeconds]) => ({ key, operator: 'Exists', effect, tolerationSeconds })),
        ]
    },
  }
}
