import { int, string, strings } from '../flag-types.ts'

/** Every admission plugin of this API, by its registered name. */
export const admissionPlugins = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'ClusterTrustBundleAttest',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NamespaceLifecycle',
  'NodeDeclaredFeatureValidator',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'PodNodeSelector',
  'PodSecurity',
  'PodTolerationRestriction',
  'PodTopologyLabels',
  'Priority',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
] as const

export type AdmissionPluginName = (typeof admissionPlugins)[number]

/** Those that run unless they are disabled. */
export const defaultAdmissionPlugins: readonly AdmissionPluginName[] = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'TaintNodesByCondition',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
]

const names: readonly string[] = admissionPlugins
const pluginProblem = (name: string) => (names.includes(name) ? undefined : 'is not an admission plugin')

export const admissionFlags = {
  'admission-control-config-file': string({ help: 'File of kind AdmissionConfiguration.' }),
  'enable-admission-plugins': strings({
    built: true,
    checkItem: pluginProblem,
    help: `Plugins to run in addition to the default ones, in any order. Default plugins: ${defaultAdmissionPlugins.join(', ')}. All plugins: ${admissionPlugins.join(', ')}.`,
  }),
  'disable-admission-plugins': strings({ built: true, checkItem: pluginProblem, help: 'Default plugins not to run, in any order.' }),
  'admission-control': strings({
    built: true,
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
    checkItem: pluginProblem,
    help: 'All plugins to run, in any order.',
  }),
  'default-not-ready-toleration-seconds': int({
    built: true,
    default: 300,
    help: 'Seconds of the notReady:NoExecute toleration that pods get when they have none.',
  }),
  'default-unreachable-toleration-seconds': int({
    built: true,
    default: 300,
    help: 'Seconds of the unreachable:NoExecute toleration that pods get when they have none.',
  }),
}
