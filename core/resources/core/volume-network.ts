import { atomicList, bool, field, int32, type Message, map, message, pointer, required, string } from '../../schema/model.ts'
import { LocalObjectReference, SecretReference } from './references.ts'

export const CSIPersistentVolumeSource = message(
  'CSIPersistentVolumeSource',
  'Driver, handle and secrets of a volume of a CSI driver.',
  () => ({
    driver: required(1, string, 'Name of the driver.'),
    volumeHandle: required(2, string, "Driver's identifier of the volume."),
    readOnly: field(3, bool, 'Mounts the volume read-only.'),
    fsType: field(4, string, 'File system to mount, such as ext4 or xfs.'),
    volumeAttributes: field(5, map(string), 'Parameters that the driver understands.'),
    controllerPublishSecretRef: pointer(6, SecretReference, 'Secret for attaching and detaching.'),
    nodeStageSecretRef: pointer(7, SecretReference, 'Secret for staging on the node.'),
    nodePublishSecretRef: pointer(8, SecretReference, 'Secret for mounting into the pod.'),
    controllerExpandSecretRef: pointer(9, SecretReference, 'Secret for resizing by the controller.'),
    nodeExpandSecretRef: pointer(10, SecretReference, 'Secret for resizing on the node.'),
  }),
)

export const CSIVolumeSource = message('CSIVolumeSource', 'A CSI volume that belongs to its pod.', () => ({
  driver: required(1, string, 'Name of the driver.'),
  readOnly: pointer(2, bool, 'Mounts the volume read-only.'),
  fsType: pointer(3, string, 'File system to mount, such as ext4 or xfs.'),
  volumeAttributes: field(4, map(string), 'Parameters that the driver understands.'),
  nodePublishSecretRef: pointer(5, LocalObjectReference, 'Secret for mounting into the pod.'),
}))

const cephFS = <Secret extends Message>(secret: Secret) => ({
  monitors: required(1, atomicList(string), 'Addresses of Ceph monitors.'),
  path: field(2, string, 'Root to mount; / by default.'),
  user: field(3, string, 'User name; admin by default.'),
  secretFile: field(4, string, "File on the node with the user's key."),
  secretRef: pointer(5, secret, "Secret with the user's key; wins over secretFile."),
  readOnly: field(6, bool, 'Mounts the volume read-only.'),
})

export const CephFSPersistentVolumeSource = message(
  'CephFSPersistentVolumeSource',
  'Monitors, path and credentials of a Ceph file system.',
  cephFS(SecretReference),
)

export const CephFSVolumeSource = message(
  'CephFSVolumeSource',
  'Monitors, path and credentials of a Ceph file system.',
  cephFS(LocalObjectReference),
)

export const FCVolumeSource = message('FCVolumeSource', 'A Fibre Channel logical unit, by target or by wwid.', () => ({
  targetWWNs: field(1, atomicList(string), 'World wide names of the target.'),
  lun: pointer(2, int32, 'Logical unit number.'),
  fsType: field(3, string, 'File system to mount, such as ext4 or xfs.'),
  readOnly: field(4, bool, 'Mounts the volume read-only.'),
  wwids: field(5, atomicList(string), 'World wide identifiers of the unit.', { internalName: 'WWIDs' }),
}))

const flex = <Secret extends Message>(secret: Secret) => ({
  driver: required(1, string, 'Name of the plugin.'),
  fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
  secretRef: pointer(3, secret, 'Secret handed to the plugin.'),
  readOnly: field(4, bool, 'Mounts the volume read-only.'),
  options: field(5, map(string), 'Further options for the plugin.'),
})

export const FlexPersistentVolumeSource = message(
  'FlexPersistentVolumeSource',
  'Driver and options of a volume that an exec-based plugin mounts.',
  flex(SecretReference),
)

export const FlexVolumeSource = message('FlexVolumeSource', 'A volume of an exec-based plugin (deprecated).', flex(LocalObjectReference))

const glusterfs = {
  endpoints: required(1, string, "Endpoints object with the servers' addresses.", { internalName: 'EndpointsName' }),
  path: required(2, string, 'Name of the volume.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
}

export const GlusterfsPersistentVolumeSource = message(
  'GlusterfsPersistentVolumeSource',
  'Endpoints and path of a Gluster volume.',
  () => ({
    ...glusterfs,
    endpointsNamespace: pointer(4, string, 'Namespace of the endpoints; that of the claim by default.'),
  }),
)

export const GlusterfsVolumeSource = message('GlusterfsVolumeSource', 'Endpoints and path of a Gluster volume.', glusterfs)

const iscsi = <Secret extends Message>(secret: Secret) => ({
  targetPortal: required(1, string, 'Address of the portal; port 3260 by default.'),
  iqn: required(2, string, 'Qualified name of the target.'),
  lun: required(3, int32, 'Logical unit number.'),
  iscsiInterface: field(4, string, 'Interface that speaks iSCSI; tcp by default.', { default: 'default' }),
  fsType: field(5, string, 'File system to mount, such as ext4 or xfs.'),
  readOnly: field(6, bool, 'Mounts the volume read-only.'),
  portals: field(7, atomicList(string), 'Further portals of the target.'),
  chapAuthDiscovery: field(8, bool, 'Uses CHAP for discovery.', { internalName: 'DiscoveryCHAPAuth' }),
  chapAuthSession: field(11, bool, 'Uses CHAP for the session.', { internalName: 'SessionCHAPAuth' }),
  secretRef: pointer(10, secret, 'Secret with the CHAP credentials.'),
  initiatorName: pointer(12, string, 'Qualified name of the initiator.'),
})

export const ISCSIPersistentVolumeSource = message(
  'ISCSIPersistentVolumeSource',
  'Portal, name and credentials of an iSCSI logical unit.',
  iscsi(SecretReference),
)

export const ISCSIVolumeSource = message(
  'ISCSIVolumeSource',
  'Portal, name and credentials of an iSCSI logical unit.',
  iscsi(LocalObjectReference),
)

export const NFSVolumeSource = message('NFSVolumeSource', 'Server and path of an NFS export.', () => ({
  server: required(1, string, 'Host name or address of the server.'),
  path: required(2, string, 'Exported path.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
}))

const rbd = <Secret extends Message>(secret: Secret) => ({
  monitors: required(1, atomicList(string), 'Addresses of Ceph monitors.', { internalName: 'CephMonitors' }),
  image: required(2, string, 'Name of the image.', { internalName: 'RBDImage' }),
  fsType: field(3, string, 'File system to mount, such as ext4 or xfs.'),
  pool: field(4, string, 'Pool of the image.', { default: 'rbd', internalName: 'RBDPool' }),
  user: field(5, string, 'User name.', { default: 'admin', internalName: 'RadosUser' }),
  keyring: field(6, string, "File on the node with the user's key.", { default: '/etc/ceph/keyring' }),
  secretRef: pointer(7, secret, "Secret with the user's key; wins over keyring."),
  readOnly: field(8, bool, 'Mounts the volume read-only.'),
})

export const RBDPersistentVolumeSource = message(
  'RBDPersistentVolumeSource',
  'Monitors, image and credentials of a Ceph block device.',
  rbd(SecretReference),
)

export const RBDVolumeSource = message(
  'RBDVolumeSource',
  'Monitors, image and credentials of a Ceph block device.',
  rbd(LocalObjectReference),
)
