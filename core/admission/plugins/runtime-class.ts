/** Applies a pod's runtime class: overhead, node selector and tolerations (plugin/pkg/admission/runtimeclass, KEP-688). */

import { unreasoned } from '../../answers/status.ts'
import type { RuntimeClass as RuntimeClassMessage } from '../../resources/node/runtimeclass.ts'
import { compareQuantities, parseQuantity } from '../../schema/formats/quantity.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'
import { misnamed } from './misnamed.ts'
import { mergeTolerations, type Toleration } from './tolerations.ts'

type Amounts = { readonly [resource: string]: string }

type RuntimeClass = Pick<Infer<typeof RuntimeClassMessage>, 'overhead' | 'scheduling'>

interface RunningSpec {
  readonly runtimeClassName?: string | null
  overhead?: Amounts
  nodeSelector?: { [label: string]: string }
  tolerations?: Toleration[]
}

const sameAmounts = (a: Amounts = {}, b: Amounts = {}) =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([resource, amount]) => {
    const other = b[resource]
    return other !== undefined && compareQuantities(parseQuantity(amount), parseQuantity(other)) === 0
  })

export function runtimeClass({ find }: PluginContext): AdmissionPlugin {
  async function classOf(attributes: AdmissionAttributes, { runtimeClassName }: RunningSpec): Promise<RuntimeClass | undefined> {
    if (typeof runtimeClassName !== 'string') return undefined
    const found = await find('node.<domain>', 'runtimeclasses', '', runtimeClassName, attributes)
    const wrong = found === undefined ? misnamed(runtimeClassName) : undefined
    if (wrong !== undefined) throw unreasoned(wrong)
    if (found === undefined) throw refusal(attributes, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`)
    return found as RuntimeClass
  }

  function setOverhead(attributes: AdmissionAttributes, spec: RunningSpec, { overhead }: RuntimeClass): void {
    if (!overhead) return
    if (spec.overhead && !sameAmounts(overhead.podFixed, spec.overhead))
      throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    spec.overhead = { ...overhead.podFixed }
  }

  function setScheduling(attributes: AdmissionAttributes, spec: RunningSpec, { scheduling }: RuntimeClass): void {
    if (!scheduling) return
    const selector = { ...spec.nodeSelector }
    for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
      const own = selector[key]
      if (own !== undefined && own !== value)
        throw refusal(
          attributes,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
        )
      selector[key] = value
    }
    if (Object.keys(selector).length > 0) spec.nodeSelector = selector
    const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? [])
    if (tolerations.length > 0) spec.tolerations = tolerations
  }

  return {
    name: 'RuntimeClass',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'pods' }],
    async mutate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const spec = specOf<RunningSpec>(attributes.object)
      const found = await classOf(attributes, spec)
      if (found === undefined) return
      setOverhead(attributes, spec, found)
      setScheduling(attributes, spec, found)
    },
    async validate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const spec = specOf<RunningSpec>(attributes.object)
      const overhead = (await classOf(attributes, spec))?.overhead
      if (overhead ? !sameAmounts(overhead.podFixed, spec.overhead) : given(spec, 'overhead'))
        throw refusal(
          attributes,
          overhead
            ? "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
            : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        )
    },
  }
}
