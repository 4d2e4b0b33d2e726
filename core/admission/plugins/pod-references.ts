import { configMapNames, type Pod, secretNames } from '../../access/authz/node-pod.ts'

/** Volume sources that refer to API objects, with the text for messages. */
const volumes: { readonly [source: string]: string } = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
}
const projections: { readonly [source: string]: string } = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
}

const used = (sources: object, by: { readonly [source: string]: string }) =>
  Object.entries(sources).flatMap(([source, value]) => (value && Object.hasOwn(by, source) ? (by[source] ?? []) : []))

/** The first kind of API object that a pod refers to, for messages; undefined when it refers to none. */
export function referenceOf(pod: Pod): string | undefined {
  const { spec } = pod
  if (spec === undefined) return undefined
  if (spec.serviceAccountName) return 'serviceaccounts'
  if (secretNames(pod).length > 0) return 'secrets'
  if (configMapNames(pod).length > 0) return 'configmaps'
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims'
  const [first] = (spec.volumes ?? []).flatMap((volume) => [
    ...used(volume, volumes),
    ...(volume.projected?.sources ?? []).flatMap((source) => used(source, projections)),
  ])
  return first
}
