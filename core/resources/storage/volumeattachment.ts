import { bool, field, int32, map, message, pointer, required, string, time } from '../../schema/model.ts'
import { objectValidation } from '../core/object-validation.ts'
import { PersistentVolumeSpec } from '../core/persistentvolume.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { volumeAttachmentColumns } from './columns.ts'
import { validateAttachment, validateStatus } from './volumeattachment-validation.ts'

export const VolumeAttachmentSource = message('VolumeAttachmentSource', 'The volume to attach; one of the two is set.', () => ({
  persistentVolumeName: pointer(1, string, 'Name of a persistent volume.'),
  inlineVolumeSpec: pointer(2, PersistentVolumeSpec, 'Volume of a pod, written as a persistent volume.'),
}))

export const VolumeAttachmentSpec = message('VolumeAttachmentSpec', 'A volume and a node.', () => ({
  attacher: required(1, string, 'Driver that attaches it.'),
  source: required(2, VolumeAttachmentSource, 'The volume.'),
  nodeName: required(3, string, 'The node.'),
}))

export const VolumeError = message('VolumeError', 'An error of an operation on a volume.', () => ({
  time: field(1, time, 'When it happened.'),
  message: field(2, string, 'What happened.'),
  errorCode: pointer(3, int32, 'gRPC code of the driver.', { gate: 'MutableCSINodeAllocatableCount' }),
}))

export const VolumeAttachmentStatus = message('VolumeAttachmentStatus', 'State of an attachment.', () => ({
  attached: required(1, bool, 'The volume is attached.'),
  attachmentMetadata: field(2, map(string), 'Facts that mounting needs, from the driver.'),
  attachError: pointer(3, VolumeError, 'Last error of attaching.'),
  detachError: pointer(4, VolumeError, 'Last error of detaching.'),
}))

export const VolumeAttachment = object('VolumeAttachment', 'The wish to have a volume attached to a node.', () => ({
  spec: required(2, VolumeAttachmentSpec, 'Desired state.', { immutable: true }),
  status: field(3, VolumeAttachmentStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const volumeAttachments = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['volumeattachments', 'volumeattachment'],
  metadataOnUpdate: ['object'],
  namespaced: false,
  schema: VolumeAttachment,
  columns: volumeAttachmentColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.13' },
  status: true,
  statusKeeps: 'metadata',
  updateNeedsVersion: true,
  strategy: {
    validate: objectValidation(validateAttachment),
    validateStatus: (object, _, errors) => validateStatus(object, errors),
  },
})
