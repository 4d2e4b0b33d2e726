import { resource } from '../../definition.ts'
import { leaseCandidateColumns } from '../columns.ts'
import { LeaseCandidate } from '../v1beta1/leasecandidate.ts'

export const leaseCandidates = resource({
  group: 'coordination.<domain>',
  version: 'v1alpha2',
  kind: 'LeaseCandidate',
  names: ['leasecandidates', 'leasecandidate'],
  anyFinalizers: true,
  nameFormat: 'configMapKey',
  schema: LeaseCandidate,
  columns: leaseCandidateColumns,
  storageVersion: 'coordination.<domain>/v1beta1',
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  selectable: { 'spec.leaseName': '.spec.leaseName' },
  createOnUpdate: true,
  updateNeedsVersion: true,
})
