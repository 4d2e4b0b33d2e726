import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { alwaysPullImages } from './always-pull-images.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificate-signers.ts'
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeRestriction } from './node-restriction.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { podTopologyLabels } from './pod-topology-labels.ts'
import { priority } from './priority.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

type Phases = 'mutate' | 'validate' | 'both'
type Make = (context: PluginContext) => AdmissionPlugin | Promise<AdmissionPlugin>

export interface PluginRow<Name extends string = string> {
  readonly name: Name
  /** Whether it runs unless it is disabled. */
  readonly byDefault: boolean
  readonly phases: Phases
  /** Absent: not built yet. */
  readonly make?: Make
}

const row =
  (byDefault: boolean) =>
  <const Name extends string>(name: Name, phases: Phases, make?: Make): PluginRow<Name> => ({
    name,
    byDefault,
    phases,
    ...(make && { make }),
  })
const on = row(true)
const off = row(false)

/** Every plugin by its registered name, in the order in which they run in each phase (the reference's AllOrderedPlugins). */
const table = [
  off('AlwaysAdmit', 'both'),
  off('NamespaceAutoProvision', 'mutate'),
  on('NamespaceLifecycle', 'mutate', namespaceLifecycle),
  off('NamespaceExists', 'validate'),
  off('LimitPodHardAntiAffinityTopology', 'validate'),
  on('LimitRanger', 'both', limitRanger),
  on('ServiceAccount', 'both', serviceAccount),
  off('NodeRestriction', 'mutate', nodeRestriction),
  on('TaintNodesByCondition', 'mutate', taintNodesByCondition),
  off('AlwaysPullImages', 'both', alwaysPullImages),
  off('ImagePolicyWebhook', 'validate'),
  on('PodSecurity', 'validate'),
  off('PodNodeSelector', 'both'),
  on('Priority', 'both', priority),
  on('DefaultTolerationSeconds', 'mutate', defaultTolerationSeconds),
  off('PodTolerationRestriction', 'both'),
  off('EventRateLimit', 'validate'),
  off('ExtendedResourceToleration', 'mutate'),
  on('DefaultStorageClass', 'mutate', defaultStorageClass),
  on('StorageObjectInUseProtection', 'mutate', storageObjectInUseProtection),
  off('OwnerReferencesPermissionEnforcement', 'validate', ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', 'validate', persistentVolumeClaimResize),
  on('RuntimeClass', 'both', runtimeClass),
  on('CertificateApproval', 'validate', certificateApproval),
  on('CertificateSigning', 'validate', certificateSigning),
  on('ClusterTrustBundleAttest', 'validate'),
  on('CertificateSubjectRestriction', 'validate', certificateSubjectRestriction),
  on('DefaultIngressClass', 'mutate', defaultIngressClass),
  off('DenyServiceExternalIPs', 'validate'),
  on('PodTopologyLabels', 'mutate', podTopologyLabels),
  on('NodeDeclaredFeatureValidator', 'validate'),
  // Webhooks and policies see what the plugins before them made of the object; quota counts what all have left.
  on('MutatingAdmissionPolicy', 'mutate'),
  on('MutatingAdmissionWebhook', 'mutate'),
  on('ValidatingAdmissionPolicy', 'validate'),
  on('ValidatingAdmissionWebhook', 'validate'),
  on('ResourceQuota', 'validate'),
  off('AlwaysDeny', 'both'),
]

export type AdmissionPluginName = (typeof table)[number]['name']
export const admissionPlugins: readonly PluginRow<AdmissionPluginName>[] = table

/** Those that run unless they are disabled, in order. */
export const defaultAdmissionPlugins: readonly AdmissionPluginName[] = table.filter(({ byDefault }) => byDefault).map(({ name }) => name)

/** The plugins that run, in order. */
export function choosePlugins(enabled: readonly string[], disabled: readonly string[]): PluginRow[] {
  return table.filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)))
}

/** Makes plugins, but for those that are not built yet. */
export async function makePlugins(rows: readonly PluginRow[], context: PluginContext): Promise<AdmissionPlugin[]> {
  const made = await Promise.all(rows.map(({ make }) => make?.(context)))
  return made.filter((plugin) => plugin !== undefined)
}
