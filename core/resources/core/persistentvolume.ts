import { timestamp } from '../../schema/formats/time.ts'
import {
  atomicList,
  field,
  granular,
  type HookContext,
  type Infer,
  inline,
  message,
  pointer,
  string,
  time,
  withFacets,
} from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { NodeSelector } from './affinity.ts'
import { persistentVolumeWarnings } from './claim-warnings.ts'
import { PersistentVolumeAccessMode, PersistentVolumeMode, PersistentVolumeReclaimPolicy } from './enums.ts'
import { objectValidation } from './object-validation.ts'
import { persistentVolumeColumns } from './persistentvolume-columns.ts'
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './persistentvolume-validation.ts'
import { ObjectReference } from './references.ts'
import { resourceList } from './resource-list.ts'
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './volume-cloud.ts'
import { HostPathVolumeSource, LocalVolumeSource } from './volume-local.ts'
import {
  CephFSPersistentVolumeSource,
  CSIPersistentVolumeSource,
  FCVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  NFSVolumeSource,
  RBDPersistentVolumeSource,
} from './volume-network.ts'

export const PersistentVolumeSource = message('PersistentVolumeSource', 'Where a persistent volume is kept; one member is set.', () => ({
  gcePersistentDisk: pointer(1, GCEPersistentDiskVolumeSource, 'Disk of Google Compute Engine.'),
  awsElasticBlockStore: pointer(2, AWSElasticBlockStoreVolumeSource, 'Disk of Amazon Web Services.'),
  hostPath: pointer(3, HostPathVolumeSource, 'Directory of a node; for tests on a single node.'),
  glusterfs: pointer(4, GlusterfsPersistentVolumeSource, 'Gluster volume.'),
  nfs: pointer(5, NFSVolumeSource, 'NFS export.'),
  rbd: pointer(6, RBDPersistentVolumeSource, 'Ceph block device.'),
  iscsi: pointer(7, ISCSIPersistentVolumeSource, 'iSCSI logical unit.'),
  cinder: pointer(8, CinderPersistentVolumeSource, 'OpenStack Cinder volume.'),
  cephfs: pointer(9, CephFSPersistentVolumeSource, 'Ceph file system.', { internalName: 'CephFS' }),
  fc: pointer(10, FCVolumeSource, 'Fibre Channel logical unit.'),
  flocker: pointer(11, FlockerVolumeSource, 'Flocker dataset.'),
  flexVolume: pointer(12, FlexPersistentVolumeSource, 'Volume of an exec-based plugin.'),
  azureFile: pointer(13, AzureFilePersistentVolumeSource, 'Azure file share.'),
  vsphereVolume: pointer(14, VsphereVirtualDiskVolumeSource, 'vSphere disk.'),
  quobyte: pointer(15, QuobyteVolumeSource, 'Quobyte volume.'),
  azureDisk: pointer(16, AzureDiskVolumeSource, 'Azure data disk.'),
  photonPersistentDisk: pointer(17, PhotonPersistentDiskVolumeSource, 'Photon Controller disk.'),
  portworxVolume: pointer(18, PortworxVolumeSource, 'Portworx volume.'),
  scaleIO: pointer(19, ScaleIOPersistentVolumeSource, 'ScaleIO volume.'),
  local: pointer(20, LocalVolumeSource, 'Disk or directory of one node.'),
  storageos: pointer(21, StorageOSPersistentVolumeSource, 'StorageOS volume.', { internalName: 'StorageOS' }),
  csi: pointer(22, CSIPersistentVolumeSource, 'Volume of a CSI driver.'),
})).with({
  internalOrder: [
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'hostPath',
    'glusterfs',
    'nfs',
    'rbd',
    'quobyte',
    'iscsi',
    'flexVolume',
    'cinder',
    'cephfs',
    'fc',
    'flocker',
    'azureFile',
    'vsphereVolume',
    'azureDisk',
    'photonPersistentDisk',
    'portworxVolume',
    'scaleIO',
    'local',
    'storageos',
    'csi',
  ],
})

export const VolumeNodeAffinity = message('VolumeNodeAffinity', 'The nodes from which a volume can be reached.', () => ({
  required: pointer(1, NodeSelector, 'Nodes must match this.'),
}))

export const PersistentVolumeSpec = message('PersistentVolumeSpec', 'What a persistent volume is and how it may be used.', () => ({
  capacity: field(1, resourceList, 'Size and other resources.', { goType: 'v1.ResourceList' }),
  persistentVolumeSource: inline(2, PersistentVolumeSource),
  accessModes: field(3, atomicList(withFacets(string, { enum: PersistentVolumeAccessMode })), 'Ways in which it can be mounted.', {
    goType: 'v1.PersistentVolumeAccessMode',
  }),
  claimRef: pointer(4, granular(ObjectReference), 'Claim that it is, or shall be, bound to.', {
    extensions: { 'x-kubernetes-map-type': 'granular' },
  }),
  persistentVolumeReclaimPolicy: field(5, string, 'What happens when its claim is deleted: Retain, Delete or Recycle.', {
    goType: 'v1.PersistentVolumeReclaimPolicy',
    enum: PersistentVolumeReclaimPolicy,
  }),
  storageClassName: field(6, string, 'Class that it belongs to; empty for none.'),
  mountOptions: field(7, atomicList(string), 'Mount options, unchecked.'),
  volumeMode: pointer(8, string, 'Filesystem or Block.', { goType: 'v1.PersistentVolumeMode', enum: PersistentVolumeMode }),
  nodeAffinity: pointer(9, VolumeNodeAffinity, 'Nodes from which it can be reached.'),
  volumeAttributesClassName: pointer(10, string, 'Class of its changeable attributes.', { gate: 'VolumeAttributesClass' }),
}))

export const PersistentVolumeStatus = message('PersistentVolumeStatus', 'State of a persistent volume.', () => ({
  phase: field(1, string, 'Available, Bound, Released, Failed or Pending.', {
    goType: 'v1.PersistentVolumePhase',
    enum: ['Pending', 'Available', 'Bound', 'Released', 'Failed'],
  }),
  message: field(2, string, 'Why it is in this state.'),
  reason: field(3, string, 'One word for a failure.'),
  lastPhaseTransitionTime: pointer(4, time, 'When the phase last changed.'),
})).with({
  defaults(status) {
    status.phase ||= 'Pending'
  },
})

export const PersistentVolume = object(
  'PersistentVolume',
  'Storage that exists apart from the pods that use it.',
  specAndStatus(PersistentVolumeSpec, PersistentVolumeStatus),
)

type Volume = Infer<typeof PersistentVolume>

/** Sets the phase's transition time, unless the client does (KEP-3762). */
function timePhase({ status }: Volume, { status: old }: Volume, { now }: HookContext): void {
  if (status === undefined) return
  const before = old?.lastPhaseTransitionTime
  const isTold = status.lastPhaseTransitionTime !== undefined
  if (status.phase === old?.phase) {
    if (!isTold && before !== undefined) status.lastPhaseTransitionTime = before
  } else if (!isTold || status.lastPhaseTransitionTime === before) status.lastPhaseTransitionTime = timestamp(now)
}

export const persistentVolumes = resource({
  group: '',
  version: 'v1',
  names: ['persistentvolumes', 'persistentvolume', 'pv'],
  metadataOnUpdate: ['object', 'object'],
  namespaced: false,
  schema: PersistentVolume,
  columns: persistentVolumeColumns,
  returnsDeleted: true,
  strategy: {
    // Attachments contain specs without these defaults.
    defaults({ spec }) {
      if (spec === undefined) return
      spec.persistentVolumeReclaimPolicy ||= 'Retain'
      spec.volumeMode ??= 'Filesystem'
    },
    prepareCreate(volume, { now }) {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) }
    },
    prepareStatus: timePhase,
    validate: objectValidation(validatePersistentVolume),
    validateUpdate: (volume, old, errors, context) => validatePersistentVolumeUpdate(volume, old, errors, context, PersistentVolumeSource),
    warnings: persistentVolumeWarnings,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
})
