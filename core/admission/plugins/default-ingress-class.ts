/** Sets the default ingress class on new ingresses without a class (plugin/pkg/admission/network/defaultingressclass). */
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import { defaultClassOf } from './default-class.ts'

const group = 'networking.<domain>'

export function defaultIngressClass(context: PluginContext): AdmissionPlugin {
  const { platform } = context
  const older = platform.name('<labels>/ingress.class')
  const mark = platform.name('ingressclass.<labels>/is-default-class')
  return {
    name: 'DefaultIngressClass',
    operations: ['CREATE'],
    resources: [{ group: platform.name(group), resource: 'ingresses' }],
    async mutate(attributes) {
      const { object } = attributes
      if (!isAbout(attributes, 'ingresses', platform.name(group)) || object === undefined) return
      const spec = specOf<{ ingressClassName?: string | null }>(object)
      if (typeof spec.ingressClassName === 'string' || Object.hasOwn(object.metadata.annotations ?? {}, older)) return
      const found = await defaultClassOf(context, group, 'ingressclasses', [mark], attributes)
      if (found?.metadata.name) spec.ingressClassName = found.metadata.name
    },
  }
}
