import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateInlineVolume } from '../core/persistentvolume-validation.ts'
import { validateFormat } from '../validation.ts'
import { textSize, validateCSIDriverName } from './storage-validation.ts'
import type { VolumeAttachment } from './volumeattachment.ts'

const max = { metadata: 256 * 1024, message: 1024 }

export function validateAttachment({ spec }: Infer<typeof VolumeAttachment>, errors: FieldErrors, context: HookContext): void {
  const { attacher, source, nodeName } = spec
  const path = FieldPath.of('spec')
  validateCSIDriverName(attacher, path.child('attacher'), errors)
  const at = path.child('source')
  const { persistentVolumeName, inlineVolumeSpec } = source
  const words = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (persistentVolumeName === undefined && inlineVolumeSpec === undefined) errors.required(at, words)
  else if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined) errors.forbidden(at, words)
  else if (inlineVolumeSpec !== undefined) validateInlineVolume(inlineVolumeSpec, at.child('inlineVolumeSpec'), errors, context)
  else if (persistentVolumeName === '') errors.required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')
  validateFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  validateFormat(persistentVolumeName, 'dns1123Subdomain', at.child('persistentVolumeName'), errors)
}

export function validateStatus({ status }: Infer<typeof VolumeAttachment>, errors: FieldErrors): void {
  const path = FieldPath.of('status')
  if (textSize(status?.attachmentMetadata) > max.metadata) errors.tooLong(path.child('attachmentMetadata'), max.metadata)
  for (const name of ['attachError', 'detachError'] as const) {
    if ((status?.[name]?.message ?? '').length > max.message) errors.tooLong(path.child(name).child('message'), max.message)
  }
}
