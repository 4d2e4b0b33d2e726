import { field, message, microTime, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { leaseCandidateColumns } from '../columns.ts'
import { CoordinatedLeaseStrategy } from '../enums.ts'
import { validateStrategy } from '../strategy-validation.ts'

/** Numeric parts of a semantic version. */
function versionOf(text: string): readonly number[] | undefined {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+][0-9A-Za-z.+-]*)?$/.exec(text)
  return match ? match.slice(1, 4).map(Number) : undefined
}

const zero = [0, 0, 0]

const isLess = (a: readonly number[], b: readonly number[]) => {
  const index = a.findIndex((number, at) => number !== b[at])
  return index >= 0 && (a[index] ?? 0) < (b[index] ?? 0)
}

export const LeaseCandidateSpec = message('LeaseCandidateSpec', "A candidate's claim to a lease.", () => ({
  leaseName: required(1, string, 'Lease that it competes for; cannot be changed.', { notEmpty: true, immutable: true }),
  pingTime: pointer(2, microTime, 'Time of the last ping of the candidate.'),
  renewTime: pointer(3, microTime, 'When the candidate last answered.'),
  binaryVersion: required(4, string, 'Version of its program.', { notEmpty: true }),
  emulationVersion: field(5, string, 'Version that it emulates.'),
  strategy: required(6, string, 'How the holder is chosen.', {
    goType: 'v1.CoordinatedLeaseStrategy',
    openEnum: CoordinatedLeaseStrategy,
    omitEmpty: true,
    notEmpty: true,
  }),
})).with({
  validate({ binaryVersion, emulationVersion = '', strategy }, path, errors) {
    const [binary, emulated] = [versionOf(binaryVersion), versionOf(emulationVersion)]
    const detail = 'must be a valid semantic version'
    if (emulationVersion !== '' && !emulated) errors.invalid(path.child('emulationVersion'), emulationVersion, detail)
    if (binaryVersion !== '' && !binary) errors.invalid(path.child('binaryVersion'), binaryVersion, detail)
    // As in the reference, one that is no version counts as 0.0.0.
    if (binaryVersion !== '' && emulated && isLess(binary ?? zero, emulated)) {
      errors.invalid(path.child('binaryVersion'), binaryVersion, 'must be greater than or equal to `emulationVersion`')
    }
    if (strategy === 'OldestEmulationVersion' && !emulated) {
      errors.required(path.child('emulationVersion'), "must be specified when `strategy` is 'OldestEmulationVersion'")
    }
    if (strategy) validateStrategy(strategy, path.child('strategy'), errors)
  },
})

export const LeaseCandidate = object('LeaseCandidate', 'A candidate in a coordinated leader election.', () => ({
  spec: required(2, LeaseCandidateSpec, 'Desired state.', { omitEmpty: true }),
}))

export const leaseCandidates = resource({
  group: 'coordination.<domain>',
  version: 'v1beta1',
  names: ['leasecandidates', 'leasecandidate'],
  anyFinalizers: true,
  nameFormat: 'configMapKey',
  schema: LeaseCandidate,
  columns: leaseCandidateColumns,
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  selectable: { 'spec.leaseName': '.spec.leaseName' },
  createOnUpdate: true,
  updateNeedsVersion: true,
})
