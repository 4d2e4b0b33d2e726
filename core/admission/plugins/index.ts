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

interface PluginRow {
  readonly name: string
  readonly byDefault: boolean
  make(context: PluginContext): AdmissionPlugin
}

const byDefault = (name: string, make: PluginRow['make']): PluginRow => ({ name, byDefault: true, make })
const onDemand = (name: string, make: PluginRow['make']): PluginRow => ({ name, byDefault: false, make })

/** Plugins by registered name, in the order in which they run in each phase (the reference's AllOrderedPlugins). */
const plugins: readonly PluginRow[] = [
  byDefault('NamespaceLifecycle', namespaceLifecycle),
  byDefault('LimitRanger', limitRanger),
  byDefault('ServiceAccount', serviceAccount),
  onDemand('NodeRestriction', nodeRestriction),
  byDefault('TaintNodesByCondition', taintNodesByCondition),
  onDemand('AlwaysPullImages', alwaysPullImages),
  byDefault('Priority', priority),
  byDefault('DefaultTolerationSeconds', defaultTolerationSeconds),
  byDefault('DefaultStorageClass', defaultStorageClass),
  byDefault('StorageObjectInUseProtection', storageObjectInUseProtection),
  onDemand('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement),
  byDefault('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  byDefault('RuntimeClass', runtimeClass),
  byDefault('CertificateApproval', certificateApproval),
  byDefault('CertificateSigning', certificateSigning),
  byDefault('CertificateSubjectRestriction', certificateSubjectRestriction),
  byDefault('DefaultIngressClass', defaultIngressClass),
  byDefault('PodTopologyLabels', podTopologyLabels),
]

/** Names that `--enable-admission-plugins` and `--disable-admission-plugins` have an effect for. */
export const builtPlugins: readonly string[] = plugins.map(({ name }) => name)

/** The plugins that run. */
export function choosePlugins(context: PluginContext, enabled: readonly string[], disabled: readonly string[]): AdmissionPlugin[] {
  return plugins
    .filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)))
    .map(({ make }) => make(context))
}
