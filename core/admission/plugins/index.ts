import { all, type MaybePromise, then } from '../../common/maybe-promise.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { mutatingWebhooks } from '../webhooks/mutating.ts'
import { validatingWebhooks } from '../webhooks/validating.ts'
import { alwaysAdmit, alwaysDeny } from './always.ts'
import { alwaysPullImages } from './always-pull-images.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest } from './certificate-signers.ts'
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { denyServiceExternalIps } from './deny-service-external-ips.ts'
import { eventRateLimit } from './event-rate-limit.ts'
import { extendedResourceToleration } from './extended-resource-toleration.ts'
import { imagePolicyWebhook } from './image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts'
import { limitRanger } from './limit-ranger.ts'
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts'
import { namespaceAutoProvision } from './namespace-auto-provision.ts'
import { namespaceExists } from './namespace-exists.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator.ts'
import { nodeRestriction } from './node-restriction.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod-groups.ts'
import { podNodeSelector } from './pod-node-selector.ts'
import { podResizeValidator } from './pod-resize-validator.ts'
import { podSecurity } from './pod-security.ts'
import { podTolerationRestriction } from './pod-toleration-restriction.ts'
import { podTopologyLabels } from './pod-topology-labels.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './resource-quota.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'
import { validatingAdmissionPolicy } from './validating-admission-policy.ts'

type Phases = 'mutate' | 'validate' | 'both'
type Make = (context: PluginContext) => AdmissionPlugin

export interface PluginRow<Name extends string = string> {
  readonly name: Name
  /** Whether the plugin is enabled by default. */
  readonly byDefault: boolean
  readonly phases: Phases
  readonly make: Make
}

const row =
  (byDefault: boolean) =>
  <const Name extends string>(name: Name, phases: Phases, make: Make): PluginRow<Name> => ({ name, byDefault, phases, make })
const on = row(true)
const off = row(false)

/** Every plugin by its registered name, in the order of execution in each phase (the reference's AllOrderedPlugins). */
const table = [
  off('AlwaysAdmit', 'both', alwaysAdmit),
  off('NamespaceAutoProvision', 'mutate', namespaceAutoProvision),
  on('NamespaceLifecycle', 'mutate', namespaceLifecycle),
  off('NamespaceExists', 'validate', namespaceExists),
  off('LimitPodHardAntiAffinityTopology', 'validate', limitPodHardAntiAffinityTopology),
  on('LimitRanger', 'both', limitRanger),
  on('ServiceAccount', 'both', serviceAccount),
  off('NodeRestriction', 'mutate', nodeRestriction),
  on('TaintNodesByCondition', 'mutate', taintNodesByCondition),
  off('AlwaysPullImages', 'both', alwaysPullImages),
  off('ImagePolicyWebhook', 'validate', imagePolicyWebhook),
  on('PodSecurity', 'validate', podSecurity),
  off('PodNodeSelector', 'both', podNodeSelector),
  on('Priority', 'both', priority),
  on('DefaultTolerationSeconds', 'mutate', defaultTolerationSeconds),
  off('PodTolerationRestriction', 'both', podTolerationRestriction),
  off('EventRateLimit', 'validate', eventRateLimit),
  off('ExtendedResourceToleration', 'mutate', extendedResourceToleration),
  on('DefaultStorageClass', 'mutate', defaultStorageClass),
  on('StorageObjectInUseProtection', 'mutate', storageObjectInUseProtection),
  on('PodGroupProtection', 'mutate', podGroupProtection),
  off('OwnerReferencesPermissionEnforcement', 'validate', ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', 'validate', persistentVolumeClaimResize),
  on('RuntimeClass', 'both', runtimeClass),
  on('CertificateApproval', 'validate', certificateApproval),
  on('CertificateSigning', 'validate', certificateSigning),
  on('ClusterTrustBundleAttest', 'validate', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', 'validate', certificateSubjectRestriction),
  on('DefaultIngressClass', 'mutate', defaultIngressClass),
  off('DenyServiceExternalIPs', 'validate', denyServiceExternalIps),
  on('PodTopologyLabels', 'mutate', podTopologyLabels),
  on('PodGroupWorkloadExists', 'validate', podGroupWorkloadExists),
  on('NodeDeclaredFeatureValidator', 'validate', nodeDeclaredFeatureValidator),
  on('JobValidation', 'validate', jobValidation),
  on('PodResizeValidator', 'validate', podResizeValidator),
  // Webhooks and policies run after the built-in mutations; quota counts the final object.
  on('MutatingAdmissionPolicy', 'mutate', mutatingAdmissionPolicy),
  on('MutatingAdmissionWebhook', 'mutate', mutatingWebhooks),
  on('ValidatingAdmissionPolicy', 'validate', validatingAdmissionPolicy),
  on('ValidatingAdmissionWebhook', 'validate', validatingWebhooks),
  on('ResourceQuota', 'validate', resourceQuota),
  off('AlwaysDeny', 'both', alwaysDeny),
]

export type AdmissionPluginName = (typeof table)[number]['name']
export const admissionPlugins: readonly PluginRow<AdmissionPluginName>[] = table

/** Plugins enabled by default, in order. */
export const defaultAdmissionPlugins: readonly AdmissionPluginName[] = table.filter(({ byDefault }) => byDefault).map(({ name }) => name)

/** The enabled plugins, in order. */
export function choosePlugins(enabled: readonly string[], disabled: readonly string[]): PluginRow[] {
  return table.filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)))
}

/** Plugins that are ready. */
export function makePlugins(rows: readonly PluginRow[], context: PluginContext): MaybePromise<readonly AdmissionPlugin[]> {
  const plugins = rows.map(({ make }) => make(context))
  return then(all(plugins.map(({ ready }) => ready)), () => plugins)
}
