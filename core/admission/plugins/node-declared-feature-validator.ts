/** Updates of a bound pod may only use features that its node declares (plugin/pkg/admission/nodedeclaredfeatures). */
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'

interface Container {
  readonly restartPolicy?: string
  readonly resources?: Json
}

interface PodSpec {
  readonly nodeName?: string
  readonly resources?: Json
  readonly initContainers?: readonly Container[] | null
}

/** Features in alphabetical order, each with a test for whether an update needs it (component-helpers/nodedeclaredfeatures). */
const features: { readonly [name: string]: (spec: PodSpec, old: PodSpec) => boolean } = {
  InPlacePodLevelResourcesVerticalScaling: (spec, old) => !equal(spec.resources ?? null, old.resources ?? null),
  InPlacePodVerticalScalingInitContainers: (spec, old) =>
    (old.initContainers ?? []).some(
      ({ restartPolicy, resources }, index) =>
        restartPolicy !== 'Always' && !equal(resources ?? {}, spec.initContainers?.[index]?.resources ?? {}),
    ),
}

export function nodeDeclaredFeatureValidator({ find, enabled }: PluginContext): AdmissionPlugin {
  const declaredBy = (node: ApiObject) =>
    ((node['status'] ?? {}) as { readonly declaredFeatures?: readonly string[] }).declaredFeatures ?? []
  return {
    name: 'NodeDeclaredFeatureValidator',
    operations: ['UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    async validate(attributes) {
      const { object, oldObject } = attributes
      const concerned = isAbout(attributes, 'pods') || isAbout(attributes, 'pods', '', 'resize')
      if (!concerned || object === undefined || oldObject === undefined || !enabled('NodeDeclaredFeatures')) return
      const [spec, old] = [object, oldObject].map((pod) => specOf<PodSpec>(pod)) as [PodSpec, PodSpec]
      if (!spec.nodeName) return
      const needed = Object.keys(features).filter((name) => features[name]?.(spec, old))
      if (needed.length === 0) return
      const node = await find('', 'nodes', '', spec.nodeName, attributes)
      const quoted = JSON.stringify(spec.nodeName)
      if (node === undefined) throw refusal(attributes, `node ${quoted} not found`)
      const missing = needed.filter((name) => !declaredBy(node).includes(name))
      if (missing.length > 0)
        throw refusal(attributes, `pod update requires features ${missing.join(', ')} which are not available on node ${quoted}`)
    },
  }
}
