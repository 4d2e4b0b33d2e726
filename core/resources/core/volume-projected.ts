import { atomicList, bool, field, inline, int32, int64, map, message, pointer, required, string } from '../../schema/model.ts'
import { LabelSelector } from '../meta/selector.ts'
import { ObjectFieldSelector, ResourceFieldSelector } from './field-selector.ts'
import { LocalObjectReference } from './references.ts'

export const ClusterTrustBundleProjection = message('ClusterTrustBundleProjection', 'Trust anchors written to a file.', () => ({
  name: pointer(1, string, 'Bundle to write; excludes the signer.'),
  signerName: pointer(2, string, 'Signer whose bundles are combined in one file; excludes name.'),
  labelSelector: pointer(3, LabelSelector, "Limits the signer's bundles by label; absent selects none."),
  optional: pointer(5, bool, 'Does not delay the pod when there is no bundle.'),
  path: required(4, string, 'File within the volume.'),
}))

export const KeyToPath = message('KeyToPath', 'Which key is written to which file.', () => ({
  key: required(1, string, 'Key to write.'),
  path: required(2, string, 'File within the volume; relative and without `..`.'),
  mode: pointer(3, int32, 'Permission bits; those of the volume by default.'),
}))

export const ConfigMapProjection = message('ConfigMapProjection', 'Keys of a config map as files.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  items: field(2, atomicList(KeyToPath), 'Keys to write; all of them by default.'),
  optional: pointer(4, bool, 'The config map, or a key, may be missing.'),
}))

export const ConfigMapVolumeSource = message('ConfigMapVolumeSource', 'Keys of a config map as files.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  items: field(2, atomicList(KeyToPath), 'Keys to write; all of them by default.'),
  defaultMode: pointer(3, int32, 'Permission bits of the files; 0644 by default.'),
  optional: pointer(4, bool, 'The config map, or a key, may be missing.'),
})).with({
  defaults(source) {
    source.defaultMode ??= 0o644
  },
})

export const DownwardAPIVolumeFile = message('DownwardAPIVolumeFile', 'A file with a value from the pod.', () => ({
  path: required(1, string, 'File within the volume; relative and without `..`.'),
  fieldRef: pointer(2, ObjectFieldSelector, 'Field of the pod.'),
  resourceFieldRef: pointer(3, ResourceFieldSelector, 'Resource of a container.'),
  mode: pointer(4, int32, 'Permission bits; those of the volume by default.'),
}))

export const DownwardAPIProjection = message('DownwardAPIProjection', 'Values from the pod as files.', () => ({
  items: field(1, atomicList(DownwardAPIVolumeFile), 'The files.'),
}))

export const DownwardAPIVolumeSource = message('DownwardAPIVolumeSource', 'Values from the pod as files.', () => ({
  items: field(1, atomicList(DownwardAPIVolumeFile), 'The files.'),
  defaultMode: pointer(2, int32, 'Permission bits of the files; 0644 by default.'),
})).with({
  defaults(source) {
    source.defaultMode ??= 0o644
  },
})

export const SecretVolumeSource = message('SecretVolumeSource', 'Keys of a secret as files.', () => ({
  secretName: field(1, string, "Secret in the pod's namespace."),
  items: field(2, atomicList(KeyToPath), 'Keys to write; all of them by default.'),
  defaultMode: pointer(3, int32, 'Permission bits of the files; 0644 by default.'),
  optional: pointer(4, bool, 'The secret, or a key, may be missing.'),
})).with({
  defaults(source) {
    source.defaultMode ??= 0o644
  },
})

export const SecretProjection = message('SecretProjection', 'Keys of a secret as files.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  items: field(2, atomicList(KeyToPath), 'Keys to write; all of them by default.'),
  optional: pointer(4, bool, 'The secret, or a key, may be missing.'),
}))

export const ServiceAccountTokenProjection = message(
  'ServiceAccountTokenProjection',
  "A token of the pod's service account in a file.",
  () => ({
    audience: field(1, string, 'Audience of the token; this server by default.'),
    expirationSeconds: pointer(2, int64, 'Seconds of validity, at least 600; 3600 by default.'),
    path: required(3, string, 'File within the volume.'),
  }),
).with({
  defaults(source) {
    source.expirationSeconds ??= 3600
  },
})

export const PodCertificateProjection = message('PodCertificateProjection', 'A private key and a certificate issued for the pod.', () => ({
  signerName: required(1, string, 'Signer that issues the certificate.', { omitEmpty: true }),
  keyType: required(2, string, 'Type of the key, such as ED25519 or ECDSAP256.', { omitEmpty: true }),
  maxExpirationSeconds: pointer(3, int32, 'Longest validity to accept; 86400 by default.'),
  credentialBundlePath: field(4, string, 'File for the key followed by the certificates.'),
  keyPath: field(5, string, 'File for the key alone.'),
  certificateChainPath: field(6, string, 'File for the certificates alone.'),
  userAnnotations: field(7, map(string), 'Annotations that are handed to the signer.'),
}))

export const VolumeProjection = message('VolumeProjection', 'One source of a projected volume; one member is set.', () => ({
  secret: pointer(1, SecretProjection, 'Keys of a secret.'),
  downwardAPI: pointer(2, DownwardAPIProjection, 'Values from the pod.'),
  configMap: pointer(3, ConfigMapProjection, 'Keys of a config map.'),
  serviceAccountToken: pointer(4, ServiceAccountTokenProjection, "Token of the pod's service account."),
  clusterTrustBundle: pointer(5, ClusterTrustBundleProjection, 'Trust anchors.', { gate: 'ClusterTrustBundleProjection' }),
  podCertificate: pointer(6, PodCertificateProjection, 'Key and certificate of the pod.', { gate: 'PodCertificateRequest' }),
}))

export const ProjectedVolumeSource = message(
  'ProjectedVolumeSource',
  'Sources that share one directory, and the mode of their files.',
  () => ({
    sources: field(1, atomicList(VolumeProjection), 'The sources.', { omitEmpty: false }),
    defaultMode: pointer(2, int32, 'Permission bits of the files; 0644 by default.'),
  }),
).with({
  defaults(source) {
    source.defaultMode ??= 0o644
  },
})
