import { allGates, startServer, tables } from '../support.ts'

const client = startServer({ gates: allGates })
const manifest = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l' },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
}

tables(
  client,
  { path: '/apis/coordination.k8s.io/v1/namespaces/default/leases', manifest },
  {
    stored: [['without changes', {}, { spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } }]],
    refused: [
      ['no duration', { 'spec.leaseDurationSeconds': 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
      [
        'negative transitions',
        { 'spec.leaseTransitions': -1 },
        ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
      ],
      [
        'unknown strategy',
        { 'spec.strategy': 'x' },
        ['spec.strategy.strategy: Unsupported value: "x": supported values: "OldestEmulationVersion"'],
      ],
      [
        'preference without a strategy',
        { 'spec.preferredHolder': 'b' },
        ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
      ],
    ],
  },
)
