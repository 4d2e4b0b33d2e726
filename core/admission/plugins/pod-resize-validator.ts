/** A bound pod can only be resized on a Linux node, to what the node can allocate (plugin/pkg/admission/podresize). */

import type { ApiError } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { compareQuantities, parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'
import { type Amounts, type PodSpec, podAmounts } from './pod-amounts.ts'

/** Resources that are compared, with the power of ten in which refusals show them. */
const compared: readonly (readonly [resource: string, scale: number])[] = [
  ['cpu', -3],
  ['memory', 0],
]

function tooLarge(spec: PodSpec, allocatable: Amounts): string {
  const requests = podAmounts(spec, 'requests')
  return compared
    .map(([resource, scale]) => ({
      resource,
      scale,
      asked: parseQuantity(requests[resource] ?? '0'),
      there: parseQuantity(allocatable[resource] ?? '0'),
    }))
    .filter(({ asked, there }) => compareQuantities(asked, there) > 0)
    .map(
      ({ resource, scale, asked, there }) =>
        `${resource}, requested: ${scaledQuantity(asked, scale)}, allocatable: ${scaledQuantity(there, scale)}`,
    )
    .join('; ')
}

/** A refusal with a cause that has nothing but a type. */
function refusalFor(attributes: AdmissionAttributes, reason: string, why: string): ApiError {
  const error = refusal(attributes, why)
  error.status.details = { ...error.status.details, causes: [...(error.status.details?.causes ?? []), { reason }] }
  return error
}

export function podResizeValidator({ platform, find }: PluginContext): AdmissionPlugin {
  const system = platform.name('<labels>/os')
  return {
    name: 'PodResizeValidator',
    operations: ['UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    async validate(attributes) {
      const { object, oldObject } = attributes
      if (!isAbout(attributes, 'pods', '', 'resize') || object === undefined || oldObject === undefined) return
      const { nodeName, ...spec } = specOf<PodSpec & { readonly nodeName?: string }>(object)
      if (!nodeName || object.metadata.generation === oldObject.metadata.generation) return
      const node = await find('', 'nodes', '', nodeName, attributes)
      if (node === undefined) throw refusal(attributes, `node ${JSON.stringify(nodeName)} not found`)
      const os = node.metadata.labels?.[system] ?? 'linux'
      if (os !== 'linux') {
        const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${JSON.stringify(os)}`
        throw refusalFor(attributes, 'UnsupportedPlatform', why)
      }
      const problems = tooLarge(spec, allocatableOf(node))
      if (problems !== '') throw refusalFor(attributes, 'NodeCapacity', `node didn't have enough allocatable resources: ${problems}`)
    },
  }
}

const allocatableOf = (node: ApiObject) => ((node['status'] ?? {}) as { readonly allocatable?: Amounts }).allocatable ?? {}
