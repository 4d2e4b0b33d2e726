import { field, message, microTime, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { ObjectMeta } from '../../meta/objectmeta.ts'
import { leaseCandidateColumns } from '../columns.ts'
import { CoordinatedLeaseStrategy } from '../enums.ts'

export const LeaseCandidateSpec = message('LeaseCandidateSpec', "A candidate's claim to a lease.", {
  leaseName: required(1, string, 'Lease that it competes for; cannot be changed.', { notEmpty: true, immutable: true }),
  pingTime: pointer(2, microTime, 'When the candidate was last asked whether it is alive.'),
  renewTime: pointer(3, microTime, 'When the candidate last answered.'),
  binaryVersion: required(4, string, 'Version of its program.', { notEmpty: true }),
  emulationVersion: field(5, string, 'Version that it emulates.'),
  strategy: required(6, string, 'How the holder is chosen.', { openEnum: CoordinatedLeaseStrategy, omitEmpty: true, notEmpty: true }),
})

export const LeaseCandidate = message(
  'LeaseCandidate',
  'A candidate in a coordinated leader election.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    spec: required(2, LeaseCandidateSpec, 'What is wanted.', { omitEmpty: true }),
  },
  { typeMeta: true },
)

export const leaseCandidates = resource({
  group: 'coordination.<domain>',
  version: 'v1beta1',
  kind: 'LeaseCandidate',
  names: ['leasecandidates', 'leasecandidate'],
  schema: LeaseCandidate,
  columns: leaseCandidateColumns,
  stability: 'beta',
  servedByDefault: false,
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  selectable: { 'spec.leaseName': '.spec.leaseName' },
  createOnUpdate: true,
  updateNeedsVersion: true,
})
