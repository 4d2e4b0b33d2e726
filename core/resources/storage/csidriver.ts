import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import { given } from '../../schema/json/given-empty.ts'
import { atomicList, bool, field, int64, list, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { asJson, validateUnchanged } from '../validation.ts'
import { csiDriverColumns } from './columns.ts'
import { defaultDriver, validateDriver } from './csi-validation.ts'

export const TokenRequest = message('TokenRequest', 'A service account token that a driver requests.', () => ({
  audience: required(1, string, 'Audience of the token; this server when empty.'),
  expirationSeconds: pointer(2, int64, 'Seconds of validity.'),
}))

export const CSIDriverSpec = message('CSIDriverSpec', 'How volumes of a driver are handled.', () => ({
  attachRequired: pointer(1, bool, 'Volumes must be attached before they are mounted; cannot be changed.'),
  podInfoOnMount: pointer(2, bool, 'Passes name, namespace and other information about the pod when mounting.'),
  volumeLifecycleModes: field(
    3,
    list(withFacets(string, { openEnum: ['Persistent', 'Ephemeral'] }), { listType: 'set' }),
    'Modes that it supports: Persistent, Ephemeral; cannot be changed.',
    { goType: 'v1.VolumeLifecycleMode' },
  ),
  storageCapacity: pointer(4, bool, 'The scheduler considers the capacity that the driver publishes.'),
  fsGroupPolicy: pointer(5, string, 'Whether fsGroup applies: ReadWriteOnceWithFSType, File or None.', {
    goType: 'v1.FSGroupPolicy',
    openEnum: ['ReadWriteOnceWithFSType', 'File', 'None'],
  }),
  tokenRequests: field(6, atomicList(TokenRequest), "Tokens of the pod's service account that are passed when mounting."),
  requiresRepublish: pointer(7, bool, 'Mounts are refreshed from time to time.'),
  seLinuxMount: pointer(8, bool, 'Volumes can be mounted with an SELinux context.', { gate: 'SELinuxMountReadWriteOncePod' }),
  nodeAllocatableUpdatePeriodSeconds: pointer(9, int64, 'Seconds between updates of the count in CSINode; at least 10.', {
    gate: 'MutableCSINodeAllocatableCount',
  }),
  serviceAccountTokenInSecrets: pointer(10, bool, 'Tokens are passed among the secrets, not in the volume context.', {
    gate: 'CSIServiceAccountTokenSecrets',
  }),
  preventPodSchedulingIfMissing: pointer(11, bool, 'Keeps pods off nodes where the driver is not installed.', {
    gate: 'VolumeLimitScaling',
  }),
})).with({
  defaults: (spec, context) => defaultDriver(spec, context),
  validate: (spec, path, errors) => validateDriver(spec, path, errors),
})

export const CSIDriver = object('CSIDriver', "A storage driver of the cluster; its name is the driver's.", () => ({
  spec: required(2, CSIDriverSpec, 'Desired state.'),
}))

const same = (a: unknown, b: unknown) => equal(asJson(a), asJson(b))
const exposed =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

/** The generation is only set by the first change of the spec. */
export const csiDrivers = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['csidrivers', 'csidriver'],
  namespaced: false,
  schema: CSIDriver,
  columns: csiDriverColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.18' },
  updateNeedsVersion: true,
  strategy: {
    prepareUpdate(driver, old) {
      if (same(driver.spec, old.spec)) return
      driver.metadata = { ...driver.metadata, generation: (old.metadata?.generation ?? 0) + 1 }
    },
    warnings({ spec }, old) {
      const { tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec
      const isNew = old === undefined || !same(tokenRequests, old.spec.tokenRequests ?? [])
      return isNew && tokenRequests.length > 0 && inSecrets === undefined ? [exposed] : []
    },
    validateUpdate({ spec }, old, errors) {
      validateUnchanged(spec.attachRequired, old.spec.attachRequired, FieldPath.of('spec', 'attachedRequired'), errors)
      validateUnchanged(
        spec.volumeLifecycleModes,
        old.spec.volumeLifecycleModes,
        FieldPath.of('spec', 'volumeLifecycleModes'),
        errors,
        given(spec, 'volumeLifecycleModes'),
      )
    },
  },
})
