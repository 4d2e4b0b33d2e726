/** Copies zone and region labels of the node to pods that are bound (plugin/pkg/admission/podtopologylabels, KEP-4742). */

import type { Context } from '../../ports.ts'
import type { ObjectReference } from '../../resources/core/references.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout } from './about.ts'

const copied = ['topology.<labels>/zone', 'topology.<labels>/region']

type Target = Infer<typeof ObjectReference>

export function podTopologyLabels({ platform, find, enabled }: PluginContext): AdmissionPlugin {
  const keys = copied.map(platform.name)

  async function label({ metadata }: ApiObject, nodeName: string, context: Context): Promise<void> {
    const from = (await find('', 'nodes', '', nodeName, context))?.metadata.labels ?? {}
    const labels = Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])))
    if (Object.keys(labels).length > 0) metadata.labels = { ...labels, ...metadata.labels }
  }

  return {
    name: 'PodTopologyLabels',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'pods' }],
    async mutate(attributes) {
      const { object } = attributes
      if (!enabled('PodTopologyLabelsAdmission') || object === undefined) return
      if (isAbout(attributes, 'pods')) {
        const { nodeName = '' } = (object['spec'] ?? {}) as { nodeName?: string }
        if (nodeName !== '') await label(object, nodeName, attributes)
      } else if (isAbout(attributes, 'pods', '', 'binding')) {
        const { kind, name = '' } = (object['target'] ?? {}) as Target
        if (kind === 'Node') await label(object, name, attributes)
      }
    },
  }
}
