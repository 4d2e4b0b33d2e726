import { startServer, tables } from '../support.ts'

const client = startServer()
const manifest = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b' },
  spec: { minAvailable: '50%', selector: {} },
}

tables(
  client,
  { path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets', manifest },
  {
    stored: [
      [
        'zero status',
        {},
        { metadata: { generation: 1 }, status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 } },
      ],
      [
        'neither minAvailable nor maxUnavailable',
        { 'spec.minAvailable': undefined },
        { spec: { minAvailable: undefined, maxUnavailable: undefined } },
      ],
    ],
    refused: [
      [
        'minAvailable and maxUnavailable',
        { 'spec.maxUnavailable': 1 },
        [
          'spec: Invalid value: {"MinAvailable":"50%","Selector":{},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
        ],
      ],
      [
        'both amounts, one negative, before an unknown policy',
        { 'spec.maxUnavailable': -1, 'spec.unhealthyPodEvictionPolicy': 'No' },
        [
          'spec: Invalid value: {"MinAvailable":"50%","Selector":{},"MaxUnavailable":-1,"UnhealthyPodEvictionPolicy":"No"}: minAvailable and maxUnavailable cannot be both set',
          'spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
          'spec.unhealthyPodEvictionPolicy: Unsupported value: "No": supported values: "AlwaysAllow", "IfHealthyBudget"',
        ],
      ],
      ['more than 100%', { 'spec.minAvailable': '150%' }, ['spec.minAvailable: Invalid value: "150%": must not be greater than 100%']],
      ['negative amount', { 'spec.minAvailable': -1 }, ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0']],
      [
        'unknown eviction policy',
        { 'spec.unhealthyPodEvictionPolicy': 'No' },
        ['spec.unhealthyPodEvictionPolicy: Unsupported value: "No": supported values: "AlwaysAllow", "IfHealthyBudget"'],
      ],
    ],
    updates: [['amount', { 'spec.minAvailable': 1 }, []]],
  },
)
