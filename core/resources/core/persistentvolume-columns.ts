import type { HookContext, Infer } from '../../schema/model.ts'
import { ageColumn, nameColumn, textColumn, unset, wide } from '../cells.ts'
import type { PersistentVolume } from './persistentvolume.ts'
import type { PersistentVolumeClaim } from './persistentvolumeclaim.ts'

type VolumeRow = Infer<typeof PersistentVolume>

type ClaimRow = Infer<typeof PersistentVolumeClaim>

const shortModes = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' }

function modesText(modes: readonly string[] | undefined): string {
  return Object.entries(shortModes)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

/** The storage class, which an old annotation can override. */
function classText({ metadata, spec }: VolumeRow | ClaimRow, { platform }: HookContext): string {
  return metadata?.annotations?.[platform.name('volume.beta.<labels>/storage-class')] ?? spec?.storageClassName ?? ''
}

const phase = ({ metadata, status }: VolumeRow | ClaimRow) => (metadata?.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''))

function claimText({ spec }: VolumeRow): string {
  return spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : ''
}

const attributesClass = textColumn('VolumeAttributesClass', 'Class of its attributes.', '.spec.volumeAttributesClassName', unset)
const volumeMode = wide(textColumn('VolumeMode', 'File system or block device.', '.spec.volumeMode', unset))

export const persistentVolumeColumns = [
  nameColumn,
  textColumn<VolumeRow>('Capacity', 'Size of the volume.', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
  textColumn<VolumeRow>('Access Modes', 'Ways in which it can be mounted.', ({ spec }) => modesText(spec?.accessModes)),
  textColumn('Reclaim Policy', 'What happens to it when its claim is deleted.', '.spec.persistentVolumeReclaimPolicy'),
  textColumn<VolumeRow>('Status', 'Phase of the volume.', phase),
  textColumn('Claim', 'Claim that it is bound to.', claimText),
  textColumn<VolumeRow>('StorageClass', 'Class of the volume.', classText),
  attributesClass,
  textColumn('Reason', 'Why it is in its phase.', '.status.reason'),
  ageColumn,
  volumeMode,
]

export const persistentVolumeClaimColumns = [
  nameColumn,
  textColumn<ClaimRow>('Status', 'Phase of the claim.', phase),
  textColumn('Volume', 'Volume that it is bound to.', '.spec.volumeName'),
  textColumn<ClaimRow>('Capacity', 'Size of that volume.', ({ spec, status }) =>
    spec?.volumeName ? (status?.capacity?.['storage'] ?? '0') : '',
  ),
  textColumn<ClaimRow>('Access Modes', 'Ways in which that volume can be mounted.', ({ spec, status }) =>
    spec?.volumeName ? modesText(status?.accessModes) : '',
  ),
  textColumn<ClaimRow>('StorageClass', 'Class of the claim.', classText),
  attributesClass,
  ageColumn,
  volumeMode,
]
