/** Groups of pods (feature gate GenericWorkload): their finalizer, their workload, and jobs that belong to one. */
import type { JobSpec as JobSpecSchema } from '../../resources/batch/job.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { PodGroupSpec } from '../../resources/scheduling/v1alpha2/podgroup.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'

const gate = 'GenericWorkload'
const group = 'scheduling.<domain>'
const quote = (text: string | undefined) => JSON.stringify(text ?? '')

/** Adds the finalizer that keeps a group while it has pods (plugin/pkg/admission/scheduling/podgroupprotection). */
export function podGroupProtection({ platform, enabled }: PluginContext): AdmissionPlugin {
  const finalizer = platform.name('scheduling.<domain>/podgroup-protection')
  return {
    name: 'PodGroupProtection',
    operations: ['CREATE'],
    resources: [{ group: platform.name(group), resource: 'podgroups' }],
    mutate(attributes) {
      const metadata = attributes.object?.metadata
      if (!enabled(gate) || !isAbout(attributes, 'podgroups', platform.name(group)) || metadata === undefined) return
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
    },
  }
}

type GroupSpec = Infer<typeof PodGroupSpec>

/** The workload that a group names must have the template that it names (plugin/pkg/admission/podgroup). */
export function podGroupWorkloadExists({ platform, enabled, find }: PluginContext): AdmissionPlugin {
  return {
    name: 'PodGroupWorkloadExists',
    operations: ['CREATE'],
    resources: [{ group: platform.name(group), resource: 'podgroups' }],
    async validate(attributes) {
      const { object, namespace } = attributes
      if (!enabled(gate) || !isAbout(attributes, 'podgroups', platform.name(group)) || object === undefined) return
      const named = specOf<GroupSpec>(object).podGroupTemplateRef?.workload
      if (named === undefined) return
      const { workloadName, podGroupTemplateName } = named
      const refuse = (why: string) => refusal(attributes, `PodGroup rejected: ${why}`)
      const workload = await find(group, 'workloads', namespace, workloadName ?? '', attributes)
      if (workload === undefined) throw refuse(`Workload ${quote(workloadName)} not found`)
      if (workload.metadata.deletionTimestamp !== undefined) throw refuse(`Workload ${quote(workloadName)} is being deleted`)
      const { podGroupTemplates = [] } = specOf<{ readonly podGroupTemplates?: readonly { readonly name?: string }[] }>(workload)
      if (!podGroupTemplates.some(({ name }) => name === podGroupTemplateName))
        throw refuse(`PodGroupTemplate ${quote(podGroupTemplateName)} not found in Workload ${quote(workloadName)}`)
    },
  }
}

type JobSpec = Infer<typeof JobSpecSchema>

const isGang = (found: ApiObject) => specOf<GroupSpec>(found).schedulingPolicy?.gang !== undefined

/** A job keeps its parallelism while its pods are scheduled all at once (plugin/pkg/admission/job). */
export function jobValidation({ enabled, find, list }: PluginContext): AdmissionPlugin {
  return {
    name: 'JobValidation',
    operations: ['UPDATE'],
    resources: [{ group: 'batch', resource: 'jobs' }],
    async validate(attributes) {
      const { object, oldObject, namespace } = attributes
      if (!enabled(gate) || !isAbout(attributes, 'jobs', 'batch') || object === undefined || oldObject === undefined) return
      const [spec, old] = [specOf<JobSpec>(object), specOf<JobSpec>(oldObject)]
      if (equal((spec.parallelism ?? null) as Json, (old.parallelism ?? null) as Json)) return
      const named = old.template?.spec?.schedulingGroup?.podGroupName
      const { uid } = oldObject.metadata
      const isOwned = ({ metadata }: ApiObject) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid) ?? false
      const groups =
        named === undefined
          ? (await list(group, 'podgroups', namespace, attributes)).filter(isOwned)
          : [await find(group, 'podgroups', namespace, named, attributes)]
      const gang = groups.find((found) => found !== undefined && isGang(found))
      if (gang)
        throw refusal(attributes, `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${quote(gang.metadata.name)}`)
    },
  }
}
