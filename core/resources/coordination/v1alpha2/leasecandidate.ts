import { otherVersion } from '../../definition.ts'
import { leaseCandidates as newer } from '../v1beta1/leasecandidate.ts'

export const leaseCandidates = otherVersion(newer, {
  version: 'v1alpha2',
  storageVersion: 'coordination.<domain>/v1beta1',
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
})
