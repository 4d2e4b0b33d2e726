/** Kinds that a check treats in their own way, as rows. */
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { JsonObject } from '../../../core/schema/model.ts'

interface CheckedKind {
  /** Objects with a smaller number come first. */
  readonly order: number
  /** The object is judged and not stored, because later requests would leave the check for what it names. */
  readonly isDry?: true
  /** What is stored in place of an object that was judged valid, for the same reason. */
  stored?(object: JsonObject): JsonObject
  /** What is stored as the copy of an object of a cluster, whose own fields nobody may give when creating one. */
  copied?(object: JsonObject): JsonObject
  /** Whether the controllers have done what later objects depend on. */
  ready?(object: JsonObject): boolean
}

const usual = 4
const field = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const hasCondition = (object: JsonObject, type: string): boolean => {
  const conditions = field(object, 'status', 'conditions')
  return Array.isArray(conditions) && conditions.some((each) => field(each, 'type') === type && field(each, 'status') === 'True')
}

/** Without a cluster there is nobody who converts. */
function withoutConversion(object: JsonObject): JsonObject {
  const spec = object['spec']
  return isObject(spec) && field(spec, 'conversion', 'strategy') === 'Webhook'
    ? { ...object, spec: { ...spec, conversion: { strategy: 'None' } } }
    : object
}

/** The selector of a job is the server's, unless the job says that it is its own. */
const withOwnSelector = (job: JsonObject): JsonObject =>
  isObject(job['spec']) ? { ...job, spec: { ...job['spec'], manualSelector: true } } : job

const kinds: { readonly [group: string]: { readonly [kind: string]: CheckedKind } } = {
  '': {
    Namespace: { order: 0 },
    ServiceAccount: { order: 2 },
    LimitRange: { order: 3 },
    ResourceQuota: { order: 3, ready: (object) => field(object, 'status', 'hard') !== undefined },
  },
  'apiextensions.k8s.io': {
    CustomResourceDefinition: { order: 1, stored: withoutConversion, ready: (object) => hasCondition(object, 'Established') },
  },
  batch: { Job: { order: usual, copied: withOwnSelector } },
  'scheduling.k8s.io': { PriorityClass: { order: 2 } },
  'node.k8s.io': { RuntimeClass: { order: 2 } },
  'storage.k8s.io': { StorageClass: { order: 2 } },
  'networking.k8s.io': { IngressClass: { order: 2 } },
  'admissionregistration.k8s.io': {
    ValidatingAdmissionPolicy: { order: 3 },
    ValidatingAdmissionPolicyBinding: { order: 3 },
    MutatingAdmissionPolicy: { order: 3 },
    MutatingAdmissionPolicyBinding: { order: 3 },
    ValidatingWebhookConfiguration: { order: usual, isDry: true },
    MutatingWebhookConfiguration: { order: usual, isDry: true },
  },
  'apiregistration.k8s.io': { APIService: { order: usual, isDry: true } },
}

export const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? (apiVersion.split('/')[0] as string) : '')

/** How objects of a kind are checked. */
export function checkedKind(apiVersion: string, kind: string): CheckedKind {
  const group = groupOf(apiVersion)
  const rows = Object.hasOwn(kinds, group) ? kinds[group] : undefined
  return rows && Object.hasOwn(rows, kind) ? (rows[kind] as CheckedKind) : { order: usual }
}

/** Whether it is a CustomResourceDefinition. */
export const isDefinition = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean =>
  groupOf(apiVersion) === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition'
