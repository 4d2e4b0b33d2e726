/** Reads the links to nodes from stored objects. */
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { keyOf, type Link, type VertexKind } from './node-graph.ts'
import { claimNames, configMapNames, type Pod, resourceClaimNames, secretNames } from './node-pod.ts'

interface NodeNamed {
  readonly spec?: { readonly nodeName?: string | null }
}

interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

interface Source {
  readonly secretName?: string
  readonly secretNamespace?: string | null
  readonly [reference: string]: unknown
}

interface Volume {
  readonly spec?: { readonly claimRef?: { readonly namespace?: string; readonly name?: string } | null; readonly [source: string]: unknown }
}

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

function volumeSecrets(spec: NonNullable<Volume['spec']>, claimNamespace: string): string[] {
  const sourceOf = (name: string) => (spec[name] ?? {}) as Source
  const azure = sourceOf('azureFile')
  const found = azure.secretName ? [keyOf('secret', azure.secretNamespace || claimNamespace, azure.secretName)] : []
  for (const { source, fields, inherits } of secretFields) {
    for (const field of fields) {
      const { name, namespace = '' } = (sourceOf(source)[field] ?? {}) as SecretReference
      if (name) found.push(keyOf('secret', inherits ? namespace || claimNamespace : namespace, name))
    }
  }
  return found
}

function volumeLink(object: ApiObject): Link | undefined {
  const { spec } = object as ApiObject & Volume
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
    const node = (object as ApiObject & NodeNamed).spec?.nodeName
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
