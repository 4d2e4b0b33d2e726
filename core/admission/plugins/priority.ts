/** Sets the priority of a pod, or of a pod group, from its priority class, and allows only one default class (plugin/pkg/admission/priority). */

import { forbidden } from '../../answers/status.ts'
import type { Context } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'

interface PriorityClass extends ApiObject {
  readonly value?: number
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: string
}

interface Prioritized {
  priorityClassName?: string
  priority?: number
  preemptionPolicy?: string
}

const group = 'scheduling.<domain>'
const defaultPreemption = 'PreemptLowerPriority'

export function priority({ platform, find, list, enabled }: PluginContext): AdmissionPlugin {
  /** The default class with the lowest value. */
  async function defaultClass(context: Context): Promise<PriorityClass | undefined> {
    const marked = ((await list(group, 'priorityclasses', '', context)) as PriorityClass[]).filter(({ globalDefault }) => globalDefault)
    return marked.reduce<PriorityClass | undefined>(
      (least, each) => ((least?.value ?? Infinity) <= (each.value ?? 0) ? least : each),
      undefined,
    )
  }

  async function classOf(attributes: AdmissionAttributes, spec: Prioritized): Promise<Partial<PriorityClass>> {
    const { priorityClassName: name } = spec
    if (!name) {
      const found = await defaultClass(attributes)
      if (found?.metadata.name) spec.priorityClassName = found.metadata.name
      return found ?? { value: 0, preemptionPolicy: defaultPreemption }
    }
    const found = await find(group, 'priorityclasses', '', name, attributes)
    if (found === undefined) throw refusal(attributes, `no PriorityClass with name ${name} was found`)
    return found
  }

  async function create(attributes: AdmissionAttributes, spec: Prioritized): Promise<void> {
    const { value = 0, preemptionPolicy } = await classOf(attributes, spec)
    const refuse = (what: string, given: string | number, computed: string | number) =>
      refusal(
        attributes,
        `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
      )
    if (spec.priority !== undefined && spec.priority !== value) throw refuse('integer value of priority', spec.priority, value)
    spec.priority = value
    if (preemptionPolicy === undefined) return
    const given = spec.preemptionPolicy
    if (given !== undefined && given !== preemptionPolicy) throw refuse('string value of PreemptionPolicy', given, preemptionPolicy)
    spec.preemptionPolicy = preemptionPolicy
  }

  async function createGroup(attributes: AdmissionAttributes, spec: Prioritized): Promise<void> {
    const { value = 0 } = await classOf(attributes, spec)
    if (spec.priority !== undefined && spec.priority !== value) {
      const reason = `priority set in the pod group (${spec.priority}) must match the priority computed (${value}) based on the priority class set in the spec`
      throw refusal(attributes, reason)
    }
    spec.priority = value
  }

  /** Restores fields that older clients omit on update. */
  function keep(spec: Prioritized, old: Prioritized): void {
    if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority
    if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) spec.preemptionPolicy = old.preemptionPolicy
  }

  return {
    name: 'Priority',
    operations: ['CREATE', 'UPDATE'],
    resources: [
      { group: '', resource: 'pods' },
      { group: platform.name(group), resource: 'podgroups' },
      { group: platform.name(group), resource: 'priorityclasses' },
    ],
    async mutate(attributes) {
      const { object, oldObject } = attributes
      if (object === undefined) return
      if (isAbout(attributes, 'podgroups', platform.name(group))) {
        if (oldObject === undefined && enabled('WorkloadAwarePreemption')) await createGroup(attributes, specOf(object))
        return
      }
      if (!isAbout(attributes, 'pods')) return
      if (oldObject === undefined) await create(attributes, specOf(object))
      else keep(specOf(object), specOf(oldObject))
    },
    async validate(attributes) {
      const { groupResource, name, operation, object } = attributes
      if (!isAbout(attributes, 'priorityclasses', platform.name(group)) || !(object as PriorityClass | undefined)?.globalDefault) return
      const marked = (await defaultClass(attributes))?.metadata.name
      if (marked !== undefined && (operation === 'CREATE' || marked !== name))
        throw forbidden(groupResource, name, `PriorityClass ${marked} is already marked as default. Only one default can exist`)
    },
  }
}
