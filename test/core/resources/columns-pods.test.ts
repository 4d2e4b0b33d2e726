import { type Row, testColumns } from './columns-table.ts'

const running = { running: { startedAt: '2026-01-01T00:50:01Z' } }
const terminated = (exitCode: number, reason?: string, more: object = {}) => ({
  terminated: { exitCode, ...(reason && { reason }), ...more },
})
const waiting = (reason?: string) => ({ waiting: reason ? { reason } : {} })
const crashed = (finishedAt: string) => ({ terminated: { exitCode: 1, finishedAt } })

const container = (name: string) => ({ name, image: name })
const sidecar = (name: string) => ({ ...container(name), restartPolicy: 'Always' })
const up = (name: string, more: object = {}) => ({ name, ready: true, restartCount: 0, state: running, ...more })
const down = (name: string, state: object, more: object = {}) => ({ name, ready: false, restartCount: 0, state, ...more })
const condition = (type: string, status: string, reason?: string) => ({ type, status, ...(reason && { reason }) })

function pod(status: object, spec: object = {}, metadata: object = {}) {
  return { metadata, spec: { containers: [container('a')], ...spec }, status: { phase: 'Running', ...status } }
}

const two = { containers: [container('a'), container('b')] }
const wide = ['<none>', '<none>', '<none>', '<none>'] as const
const row = (object: object, ready: string, status: string, restarts = '0'): Row => [object, ready, status, restarts, '10m', ...wide]
const deleted = { deletionTimestamp: '2026-01-01T00:59:00Z' }

testColumns(
  'v1',
  'pods',
  ['Name!', 'Ready', 'Status', 'Restarts', 'Age', '+IP', '+Node', '+Nominated Node', '+Readiness Gates'],
  [
    // Main containers
    row(pod({ phase: 'Pending' }), '0/1', 'Pending'),
    row(pod({ phase: '' }), '0/1', ''),
    row(pod({ containerStatuses: [up('a')] }), '1/1', 'Running'),
    row(pod({ containerStatuses: [down('a', running)] }), '0/1', 'Running'),
    row(pod({ phase: 'Pending', containerStatuses: [down('a', waiting('ContainerCreating'))] }), '0/1', 'ContainerCreating'),
    row(pod({ phase: 'Pending', containerStatuses: [down('a', waiting())] }), '0/1', 'Pending'),
    row(pod({ containerStatuses: [up('a'), down('b', waiting('CrashLoopBackOff'))] }, two), '1/2', 'CrashLoopBackOff'),
    row(
      pod({ containerStatuses: [down('a', waiting('ErrImagePull')), down('b', waiting('CrashLoopBackOff'))] }, two),
      '0/2',
      'ErrImagePull',
    ),
    row(pod({ phase: 'Succeeded', containerStatuses: [down('a', terminated(0, 'Completed'))] }), '0/1', 'Completed'),
    row(pod({ phase: 'Failed', containerStatuses: [down('a', terminated(1, 'Error'))] }), '0/1', 'Error'),
    row(pod({ phase: 'Failed', containerStatuses: [down('a', terminated(137, 'OOMKilled'))] }), '0/1', 'OOMKilled'),
    row(pod({ phase: 'Failed', containerStatuses: [down('a', terminated(3))] }), '0/1', 'ExitCode:3'),
    row(pod({ phase: 'Failed', containerStatuses: [down('a', terminated(137, '', { signal: 9 }))] }), '0/1', 'Signal:9'),
    row(
      pod({ containerStatuses: [down('a', terminated(0, 'Completed')), up('b')], conditions: [condition('Ready', 'True')] }, two),
      '1/2',
      'Running',
    ),
    row(
      pod({ containerStatuses: [down('a', terminated(0, 'Completed')), up('b')], conditions: [condition('Ready', 'False')] }, two),
      '1/2',
      'NotReady',
    ),
    row(pod({ containerStatuses: [down('a', terminated(0, 'Completed')), down('b', terminated(1, 'Error'))] }, two), '0/2', 'Error'),
    row(pod({ phase: 'Failed', reason: 'Evicted' }), '0/1', 'Evicted'),
    row(pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] }), '0/1', 'SchedulingGated'),
    row(pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] }), '0/1', 'Pending'),
    row(pod({ phase: 'Unknown' }), '0/1', 'Unknown'),
    // Deletion
    row(pod({ containerStatuses: [up('a')] }, {}, deleted), '1/1', 'Terminating'),
    row(pod({ reason: 'NodeLost', containerStatuses: [up('a')] }, {}, deleted), '1/1', 'Unknown'),
    row(pod({ reason: 'NodeLost' }), '0/1', 'NodeLost'),
    row(pod({ phase: 'Succeeded', containerStatuses: [down('a', terminated(0, 'Completed'))] }, {}, deleted), '0/1', 'Completed'),
    row(pod({ phase: 'Failed', containerStatuses: [down('a', terminated(1, 'Error'))] }, {}, deleted), '0/1', 'Error'),
    // Restarts
    row(pod({ containerStatuses: [up('a', { restartCount: 3 })] }), '1/1', 'Running', '3'),
    row(
      pod({ containerStatuses: [up('a', { restartCount: 3, lastState: crashed('2026-01-01T00:55:00Z') })] }),
      '1/1',
      'Running',
      '3 (5m ago)',
    ),
    row(
      pod(
        {
          containerStatuses: [
            up('a', { restartCount: 3, lastState: crashed('2026-01-01T00:55:00Z') }),
            up('b', { restartCount: 2, lastState: crashed('2026-01-01T00:59:30Z') }),
          ],
        },
        two,
      ),
      '2/2',
      'Running',
      '5 (30s ago)',
    ),
    row(pod({ containerStatuses: [up('a', { lastState: crashed('2026-01-01T00:55:00Z') })] }), '1/1', 'Running', '0'),
    // Init containers
    ...[
      [[], 'Pending'],
      [[down('i', running)], 'Init:0/2'],
      [[down('i', waiting('PodInitializing'))], 'Init:0/2'],
      [[down('i', waiting('ErrImagePull'))], 'Init:ErrImagePull'],
      [[down('i', terminated(1, 'Error'))], 'Init:Error'],
      [[down('i', terminated(2))], 'Init:ExitCode:2'],
      [[down('i', terminated(137, '', { signal: 9 }))], 'Init:Signal:9'],
      [[down('i', waiting('CrashLoopBackOff'))], 'Init:CrashLoopBackOff'],
      [[down('i', terminated(0, 'Completed')), down('j', running)], 'Init:1/2'],
      [[down('i', terminated(0, 'Completed')), down('j', waiting('PodInitializing'))], 'Init:1/2'],
    ].map(([initContainerStatuses, status]) =>
      row(pod({ phase: 'Pending', initContainerStatuses }, { initContainers: [container('i'), container('j')] }), '0/1', status as string),
    ),
    row(
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [down('i', waiting('CrashLoopBackOff'), { restartCount: 4, lastState: crashed('2026-01-01T00:58:00Z') })],
        },
        { initContainers: [container('i')] },
      ),
      '0/1',
      'Init:CrashLoopBackOff',
      '4 (2m ago)',
    ),
    row(
      pod(
        { initContainerStatuses: [down('i', terminated(0, 'Completed'), { restartCount: 4 })], containerStatuses: [up('a')] },
        { initContainers: [container('i')] },
      ),
      '1/1',
      'Running',
    ),
    row(
      pod(
        {
          conditions: [condition('Initialized', 'True')],
          initContainerStatuses: [down('i', waiting('PodInitializing'))],
          containerStatuses: [up('a')],
        },
        { initContainers: [container('i')] },
      ),
      '1/1',
      'Init:0/1',
    ),
    // Sidecars: restartable init containers
    row(
      pod({ initContainerStatuses: [up('s', { started: true })], containerStatuses: [up('a')] }, { initContainers: [sidecar('s')] }),
      '2/2',
      'Running',
    ),
    row(
      pod(
        {
          initContainerStatuses: [down('s', running, { started: true, restartCount: 2 })],
          containerStatuses: [up('a', { restartCount: 1 })],
        },
        { initContainers: [sidecar('s')] },
      ),
      '1/2',
      'Running',
      '3',
    ),
    row(
      pod({ phase: 'Pending', initContainerStatuses: [down('s', running, { started: false })] }, { initContainers: [sidecar('s')] }),
      '0/2',
      'Init:0/1',
    ),
    row(
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [
            up('s', { started: true, restartCount: 1, lastState: crashed('2026-01-01T00:59:00Z') }),
            down('i', running),
          ],
        },
        { initContainers: [sidecar('s'), container('i')] },
      ),
      '1/2',
      'Init:1/2',
      '1 (60s ago)',
    ),
    // Wide columns
    [
      pod(
        {
          podIP: '10.1.2.3',
          podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::3' }],
          nominatedNodeName: 'n2',
          containerStatuses: [up('a')],
          conditions: [condition('x/one', 'True'), condition('x/two', 'False')],
        },
        { nodeName: 'n1', readinessGates: [{ conditionType: 'x/one' }, { conditionType: 'x/two' }, { conditionType: 'x/three' }] },
      ),
      '1/1',
      'Running',
      '0',
      '10m',
      '10.1.2.3',
      'n1',
      'n2',
      '1/3',
    ],
  ],
)
