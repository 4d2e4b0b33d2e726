import { field, int32, message, microTime, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { leaseColumns } from './columns.ts'
import { CoordinatedLeaseStrategy } from './enums.ts'
import { validateStrategy } from './strategy-validation.ts'

export const LeaseSpec = message('LeaseSpec', 'Who holds a lease, and until when.', () => ({
  holderIdentity: pointer(1, string, 'Present holder.'),
  leaseDurationSeconds: pointer(2, int32, 'Seconds after renewTime when others may take the lease.', { min: 0, exclusiveMin: true }),
  acquireTime: pointer(3, microTime, 'When the present holder took it.'),
  renewTime: pointer(4, microTime, 'When the holder last renewed it.'),
  leaseTransitions: pointer(5, int32, 'How often it changed hands.', { min: 0 }),
  strategy: pointer(6, string, 'How its holder is chosen by coordinated election.', {
    goType: 'v1.CoordinatedLeaseStrategy',
    openEnum: CoordinatedLeaseStrategy,
    gate: 'CoordinatedLeaderElection',
  }),
  preferredHolder: pointer(7, string, 'Candidate to which the holder should yield.', { gate: 'CoordinatedLeaderElection' }),
})).with({
  validate({ strategy, preferredHolder }, path, errors) {
    if (strategy !== undefined) validateStrategy(strategy, path.child('strategy'), errors)
    if (preferredHolder && !strategy) errors.forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined')
  },
})

export const Lease = object('Lease', 'A lock with a time limit; used for leader election and heartbeats.', () => ({
  spec: field(2, LeaseSpec, 'Desired state.'),
}))

export const leases = resource({
  group: 'coordination.<domain>',
  version: 'v1',
  names: ['leases', 'lease'],
  anyFinalizers: true,
  schema: Lease,
  columns: leaseColumns,
  lifecycle: { introduced: '1.14' },
  createOnUpdate: true,
  updateNeedsVersion: true,
})
