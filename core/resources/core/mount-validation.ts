/** Validation of volume mounts and devices. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import type { Container } from './container.ts'
import { validateDescendingPath } from './path-validation.ts'
import type { Volume as VolumeSchema } from './volume.ts'
import type { VolumeMount as VolumeMountSchema } from './volume-mount.ts'

type VolumeMount = Infer<typeof VolumeMountSchema>
export type Volumes = ReadonlyMap<string, Infer<typeof VolumeSchema>>

type Mounting = Pick<Infer<typeof Container>, 'volumeMounts' | 'volumeDevices' | 'securityContext'>

function validateRecursiveReadOnly(
  { recursiveReadOnly: mode, readOnly, mountPropagation }: VolumeMount,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (mode === undefined || mode === 'Disabled') return
  if (mode !== 'Enabled' && mode !== 'IfPossible') return errors.notSupported(path, mode, ['Disabled', 'Enabled', 'IfPossible'])
  if (!readOnly) errors.forbidden(path, 'may only be specified when readOnly is true')
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.forbidden(path, 'may only be specified when mountPropagation is None or not specified')
  }
}

function validatePropagation(mode: string, privileged: boolean, path: FieldPath, errors: FieldErrors): void {
  validateSupported(mode, ['Bidirectional', 'HostToContainer', 'None'], path, errors)
  if (mode === 'Bidirectional' && !privileged) {
    errors.forbidden(path, 'Bidirectional mount propagation is available only to privileged containers')
  }
}

export function validateMounts(
  { volumeMounts = [], volumeDevices = [], securityContext }: Mounting,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  const devices = {
    names: new Set(volumeDevices.map(({ name }) => name)),
    paths: new Set(volumeDevices.map(({ devicePath }) => devicePath)),
  }
  volumeMounts.forEach((mount, index) => {
    const { name, mountPath, subPath, subPathExpr, mountPropagation } = mount
    const at = path.index(index)
    if (!name) errors.required(at.child('name'))
    if (!volumes.has(name)) errors.notFound(at.child('name'), name)
    if (!mountPath) errors.required(at.child('mountPath'))
    if (seen.has(mountPath)) errors.invalid(at.child('mountPath'), mountPath, 'must be unique')
    seen.add(mountPath)
    if (devices.names.has(name)) errors.invalid(at.child('name'), name, 'must not already exist in volumeDevices')
    if (devices.paths.has(mountPath)) {
      errors.invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices')
    }
    // From here on the reference names the list, not its item.
    if (subPath) validateDescendingPath(subPath, path.child('subPath'), errors)
    if (subPathExpr) {
      if (subPath) errors.invalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive')
      validateDescendingPath(subPathExpr, path.child('subPathExpr'), errors)
    }
    if (mountPropagation !== undefined) {
      validatePropagation(mountPropagation, securityContext?.privileged === true, path.child('mountPropagation'), errors)
    }
    validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors)
  })
}

export function validateDevices(
  { volumeMounts = [], volumeDevices = [] }: Mounting,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldErrors,
) {
  const names = new Set<string>()
  const paths = new Set<string>()
  const mounts = { names: new Set(volumeMounts.map(({ name }) => name)), paths: new Set(volumeMounts.map(({ mountPath }) => mountPath)) }
  volumeDevices.forEach(({ name, devicePath }, index) => {
    const at = { name: path.index(index).child('name'), path: path.index(index).child('devicePath') }
    const volume = volumes.get(name)
    if (!name) errors.required(at.name)
    if (names.has(name)) errors.invalid(at.name, name, 'must be unique')
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.invalid(at.name, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')
    }
    if (!volume) errors.notFound(at.name, name)
    if (!devicePath) errors.required(at.path)
    if (paths.has(devicePath)) errors.invalid(at.path, devicePath, 'must be unique')
    if (formats.noParentReference(devicePath).length > 0) errors.invalid(at.path, devicePath, "can not contain backsteps ('..')")
    else paths.add(devicePath)
    if (mounts.names.has(name)) errors.invalid(at.name, name, 'must not already exist in volumeMounts')
    if (mounts.paths.has(devicePath)) errors.invalid(at.path, devicePath, 'must not already exist as a path in volumeMounts')
    if (name) names.add(name)
  })
}
