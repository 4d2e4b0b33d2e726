/** Reads the links to nodes from stored objects. */
import type { Platform } from '../../platform.ts'
import type { PersistentVolumeSpec } from '../../resources/core/persistentvolume.ts'
import type { SecretReference } from '../../resources/core/references.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import { keyOf, type Link, type VertexKind } from './node-graph.ts'
import { claimNames, configMapNames, type Pod, resourceClaimNames, secretNames } from './node-pod.ts'

const parts = (object: ApiObject) => ({ name: object.metadata.name ?? '', namespace: object.metadata.namespace ?? '' })

function podLink(object: ApiObject, platform: Platform): Link | undefined {
  const { name, namespace } = parts(object)
  const pod = object as ApiObject & Pod
  const node = pod.spec?.nodeName
  if (!node) return undefined
  const of = (kind: VertexKind, names: Iterable<string>) => [...new Set(names)].map((each) => keyOf(kind, namespace, each))
  const own = keyOf('pod', namespace, name)
  // A node creates mirror pods itself: their references must not widen its access.
  if (Object.hasOwn(object.metadata.annotations ?? {}, platform.name('<labels>/config.mirror'))) return { to: { node }, from: [own] }
  const account = pod.spec?.serviceAccountName
  const from = [
    own,
    ...of('serviceaccount', account ? [account] : []),
    ...of('secret', secretNames(pod)),
    ...of('configmap', configMapNames(pod)),
    ...of('persistentvolumeclaim', claimNames(pod, name)),
    ...of('resourceclaim', resourceClaimNames(pod)),
  ]
  return { to: { node }, from }
}

/** Secret references in volume sources; `inherits`: the namespace defaults to that of the claim. */
const secretFields: readonly { readonly source: string; readonly fields: readonly string[]; readonly inherits: boolean }[] = [
  ...['cephfs', 'flexVolume', 'iscsi', 'rbd', 'scaleIO'].map((source) => ({ source, fields: ['secretRef'], inherits: true })),
  ...['cinder', 'storageos'].map((source) => ({ source, fields: ['secretRef'], inherits: false })),
  { source: 'csi', fields: ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'], inherits: false },
]

type VolumeSpec = Infer<typeof PersistentVolumeSpec>
type Source = { readonly [reference: string]: Infer<typeof SecretReference> | undefined }

function volumeSecrets(spec: VolumeSpec, claimNamespace: string): string[] {
  const { azureFile: azure } = spec
  const found = azure?.secretName ? [keyOf('secret', azure.secretNamespace || claimNamespace, azure.secretName)] : []
  for (const { source, fields, inherits } of secretFields) {
    for (const field of fields) {
      const { name, namespace = '' } = (spec as { readonly [source: string]: Source | undefined })[source]?.[field] ?? {}
      if (name) found.push(keyOf('secret', inherits ? namespace || claimNamespace : namespace, name))
    }
  }
  return found
}

function volumeLink(object: ApiObject): Link | undefined {
  const { spec } = object as ApiObject & { readonly spec?: VolumeSpec }
  if (!spec?.claimRef) return undefined
  const { namespace = '', name = '' } = spec.claimRef
  const own = keyOf('persistentvolume', '', object.metadata.name ?? '')
  return { to: { claim: keyOf('persistentvolumeclaim', namespace, name) }, from: [own, ...new Set(volumeSecrets(spec, namespace))] }
}

/** Objects that name their own node. */
const ownNode =
  (kind: VertexKind) =>
  (object: ApiObject): Link | undefined => {
    const { name, namespace } = parts(object)
    const node = (object as ApiObject & { readonly spec?: { readonly nodeName?: string } }).spec?.nodeName
    return node ? { to: { node }, from: [keyOf(kind, namespace, name)] } : undefined
  }

export interface LinkRow {
  readonly group: string
  readonly plural: string
  /** Name in metrics. */
  readonly counted: string
  link(object: ApiObject, platform: Platform): Link | undefined
}

/** Resources that the graph is built from. */
export const linkRows: readonly LinkRow[] = [
  { group: '', plural: 'pods', counted: 'Pod', link: podLink },
  { group: '', plural: 'persistentvolumes', counted: 'PV', link: volumeLink },
  { group: 'storage.<domain>', plural: 'volumeattachments', counted: 'VolumeAttachment', link: ownNode('volumeattachment') },
  { group: 'resource.<domain>', plural: 'resourceslices', counted: 'ResourceSlice', link: ownNode('resourceslice') },
  {
    group: 'certificates.<domain>',
    plural: 'podcertificaterequests',
    counted: 'PodCertificateRequest',
    link: ownNode('podcertificaterequest'),
  },
]
