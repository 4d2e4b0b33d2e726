import type { Infer } from '../../schema/model.ts'
import { ageColumn, defaultMarkColumn, flagColumn, joined, nameColumn, sizeColumn, textColumn, unset } from '../cells.ts'
import type { CSIDriver } from './csidriver.ts'

export const storageClassColumns = [
  defaultMarkColumn('storageclass.<labels>/is-default-class', 'storageclass.beta.<labels>/is-default-class'),
  textColumn('Provisioner', 'Driver that provisions the volumes.', '.provisioner'),
  textColumn('ReclaimPolicy', 'What happens to volumes when their claim is deleted.', '.reclaimPolicy', 'Delete'),
  textColumn('VolumeBindingMode', 'When volumes are provisioned and bound.', '.volumeBindingMode', 'Immediate'),
  flagColumn('AllowVolumeExpansion', 'Whether volumes can grow.', '.allowVolumeExpansion', false, 'string'),
  ageColumn,
]

export const volumeAttributesClassColumns = [nameColumn, textColumn('DriverName', 'Driver of the volumes.', '.driverName'), ageColumn]

export const volumeAttachmentColumns = [
  nameColumn,
  { ...textColumn('Attacher', 'Driver that attaches the volume.', '.spec.attacher'), format: 'name' },
  textColumn('PV', 'The volume.', '.spec.source.persistentVolumeName'),
  textColumn('Node', 'Node that it is attached to.', '.spec.nodeName'),
  flagColumn('Attached', 'Whether it is attached.', '.status.attached'),
  ageColumn,
]

export const csiNodeColumns = [nameColumn, sizeColumn('Drivers', 'Number of drivers on the node.', 'integer', '.spec.drivers'), ageColumn]

type DriverRow = Infer<typeof CSIDriver>

function audiences({ spec }: DriverRow): string {
  const requests = spec?.tokenRequests ?? []
  return requests.length === 0 ? unset : requests.map(({ audience = '' }) => audience).join(',')
}

export const csiDriverColumns = [
  nameColumn,
  flagColumn('AttachRequired', 'Whether volumes must be attached.', '.spec.attachRequired', true),
  flagColumn('PodInfoOnMount', 'Whether the driver gets information about the pod.', '.spec.podInfoOnMount'),
  flagColumn('StorageCapacity', 'Whether the scheduler heeds capacity.', '.spec.storageCapacity'),
  textColumn('TokenRequests', 'Audiences of the tokens that the driver gets.', audiences),
  flagColumn('RequiresRepublish', 'Whether the driver is called again and again.', '.spec.requiresRepublish'),
  textColumn<DriverRow>('Modes', 'Kinds of volumes.', ({ spec }) => joined(spec?.volumeLifecycleModes)),
  ageColumn,
]
