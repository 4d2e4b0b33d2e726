/** Validation of volume sources shared by pods and persistent volumes. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats, inRange } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FlockerVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from './volume-cloud.ts'
import type { HostPathVolumeSource } from './volume-local.ts'
import type { FCVolumeSource, FlexVolumeSource, ISCSIVolumeSource, NFSVolumeSource } from './volume-network.ts'

type Rule<T> = (source: T, path: FieldPath, errors: FieldErrors) => void
type Named = { name?: string | undefined; namespace?: string | undefined }

/** Requires the named members to be non-empty. */
export const needs =
  <T extends object>(...names: readonly (keyof T & string)[]): Rule<T> =>
  (source, path, errors) => {
    for (const name of names) {
      const value: unknown = source[name]
      if (!value || (Array.isArray(value) && value.length === 0)) errors.required(path.child(name))
    }
  }

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']

export const hostPath: Rule<Infer<typeof HostPathVolumeSource>> = ({ path: file, type }, path, errors) => {
  if (!file) return errors.required(path.child('path'))
  validateFormat(file, 'noParentReference', path.child('path'), errors)
  if (type !== undefined) validateSupported(type, hostPathTypes, path.child('type'), errors)
}

export const local: Rule<{ path: string }> = ({ path: file }, path, errors) => {
  validateRequiredFormat(file, 'noParentReference', path.child('path'), errors)
}

const highestPartition = 255

type Partitioned = Pick<Infer<typeof AWSElasticBlockStoreVolumeSource>, 'partition'>

/** A disk identifier, with an optional partition. */
export const partitioned =
  <T extends Partitioned>(id: keyof T & string): Rule<T> =>
  (source, path, errors) => {
    const { partition = 0 } = source
    if (!source[id]) errors.required(path.child(id))
    if (partition < 0 || partition > highestPartition) {
      errors.invalid(path.child('partition'), partition, `must be between 1 and ${highestPartition}, inclusive`)
    }
  }

export const nfs: Rule<Infer<typeof NFSVolumeSource>> = (source, path, errors) => {
  needs<typeof source>('server', 'path')(source, path, errors)
  validateFormat(source.path, 'absolutePath', path.child('path'), errors)
}

const iqnHead = /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9-.]+$/
const iqnTail = /^[^,;*&$|\s]+$/
const eui = /^eui.[A-Za-z0-9]{16}$/
const naa = /^naa.[A-Za-z0-9]{32}$/

/** iSCSI qualified name (RFC 3721 1.1): date and naming authority, then a unique name. */
function isQualified(name: string): boolean {
  const colon = name.indexOf(':')
  return colon > 0 && iqnHead.test(name.slice(0, colon)) && iqnTail.test(name.slice(colon + 1))
}

const initiatorForms: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: isQualified,
  eui: (name) => eui.test(name),
  naa: (name) => naa.test(name),
}

function validateInitiator(name: string, unknown: string, path: FieldPath, errors: FieldErrors): void {
  const form = initiatorForms[name.slice(0, 3)]
  if (form === undefined) errors.invalid(path, name, unknown)
  else if (!form(name)) errors.invalid(path, name, 'must be valid format')
}

type Iscsi = Omit<Infer<typeof ISCSIVolumeSource>, 'secretRef'> & { secretRef?: Named | undefined }

export const targetLength = 64
export const tooLongTarget =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

/** `unknown`: error text for names of unknown form. */
export function iscsi(source: Iscsi, unknown: string, path: FieldPath, errors: FieldErrors): void {
  if (!source.iqn) errors.required(path.child('iqn'))
  else validateInitiator(source.iqn, unknown, path.child('iqn'), errors)
  for (const problem of inRange(source.lun, 0, 255)) errors.invalid(path.child('lun'), source.lun, problem)
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) errors.required(path.child('secretRef'))
}

export function iscsiInitiator({ initiatorName }: Iscsi, unknown: string, path: FieldPath, errors: FieldErrors): void {
  if (initiatorName !== undefined) validateInitiator(initiatorName, unknown, path.child('initiatorname'), errors)
}

export const flocker: Rule<Infer<typeof FlockerVolumeSource>> = ({ datasetName = '', datasetUUID = '' }, path, errors) => {
  if (datasetName === '' && datasetUUID === '') errors.required(path, 'one of datasetName and datasetUUID is required')
  if (datasetName !== '' && datasetUUID !== '') {
    errors.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')
  }
  if (datasetName.includes('/')) errors.invalid(path.child('datasetName'), datasetName, "must not contain '/'")
}

/** A reference to a Secret; in persistent volumes it includes the namespace. */
export function validateSecretRef(secret: Named | undefined, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  if (secret === undefined) return
  if (!secret.name) errors.required(path.child('name'))
  if (namespaced && !secret.namespace) errors.required(path.child('namespace'))
}

const tenantLimit = 65
const pairs = 'must be a host:port pair or multiple pairs separated by commas'
const isPair = (text: string) => /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text)

export const quobyte: Rule<Infer<typeof QuobyteVolumeSource>> = ({ registry, tenant = '', volume }, path, errors) => {
  if (!registry) errors.required(path.child('registry'), pairs)
  else if (tenant.length >= tenantLimit) {
    errors.required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')
  } else for (const pair of registry.split(',')) if (!isPair(pair)) errors.invalid(path.child('registry'), registry, pairs)
  if (!volume) errors.required(path.child('volume'))
}

export const fc: Rule<Infer<typeof FCVolumeSource>> = ({ targetWWNs = [], wwids = [], lun }, path, errors) => {
  const at = path.child('targetWWNs')
  if (targetWWNs.length === 0 && wwids.length === 0) errors.required(at, 'must specify either targetWWNs or wwids, but not both')
  if (targetWWNs.length === 0) return
  if (wwids.length > 0) errors.invalid(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')
  if (lun === undefined) errors.required(path.child('lun'), 'lun is required if targetWWNs is specified')
  else for (const problem of inRange(lun, 0, 255)) errors.invalid(path.child('lun'), lun, problem)
}

type Flex = Pick<Infer<typeof FlexVolumeSource>, 'driver' | 'options'>

export function flexVolume({ driver, options = {} }: Flex, path: FieldPath, errors: FieldErrors, { platform }: HookContext): void {
  if (!driver) errors.required(path.child('driver'))
  const reserved = [platform.labelDomain, platform.domain]
  for (const key of Object.keys(options)) {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`
    if (reserved.some((name) => domain.endsWith(`.${name}`))) {
      errors.invalid(path.child('options').key(key), key, `${reserved.join(' and ')} namespaces are reserved`)
    }
  }
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

export const azureDisk: Rule<Infer<typeof AzureDiskVolumeSource>> = (source, path, errors) => {
  const { kind, cachingMode, diskURI } = source
  needs<typeof source>('diskName', 'diskURI')(source, path, errors)
  if (cachingMode !== undefined) validateSupported(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode'), errors)
  if (kind === undefined) return
  validateSupported(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind'), errors)
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk]
  if (!diskURI.startsWith(start)) errors.notSupported(path.child('diskURI'), diskURI, [form])
}

type StorageOS = Omit<Infer<typeof StorageOSVolumeSource>, 'secretRef'> & { secretRef?: Named | undefined }

export function storageos(source: StorageOS, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  validateRequiredFormat(source.volumeName, 'dns1123Label', path.child('volumeName'), errors)
  if (source.volumeNamespace) validateFormat(source.volumeNamespace, 'dns1123Label', path.child('volumeNamespace'), errors)
  validateSecretRef(source.secretRef, namespaced, path.child('secretRef'), errors)
}

const driverLimit = 63

export function validateDriver(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(path)
    return
  }
  if (name.length > driverLimit) errors.tooLong(path, driverLimit)
  for (const problem of formats.dns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, problem)
}
