import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'node.k8s.io/v1'

tables(
  client,
  { path: `/apis/${apiVersion}/runtimeclasses`, manifest: { apiVersion, kind: 'RuntimeClass', metadata: { name: 'vm' }, handler: 'vm' } },
  {
    refused: [
      ['dots in the handler', { handler: 'a.b' }, ['handler: Invalid value: "a.b": must not contain dots']],
      ['no handler', { handler: undefined }, ['handler: Required value']],
      [
        'overhead of no container resource',
        { overhead: { podFixed: { pods: '1' } } },
        ['overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers'],
      ],
      [
        'tolerations',
        { 'scheduling.tolerations': [{ operator: 'Exists', value: 'x' }, {}] },
        [
          'scheduling.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
          'scheduling.tolerations[1].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ],
      ],
    ],
    updates: [
      [
        'overhead',
        { overhead: { podFixed: { pods: '1' } } },
        ['overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers'],
      ],
      ['handler', { handler: 'other' }, ['handler: Invalid value: "other": field is immutable']],
    ],
  },
)
