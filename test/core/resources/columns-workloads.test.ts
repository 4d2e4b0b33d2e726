import { testColumns } from './columns-table.ts'

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'a', image: 'img/a:1' },
      { name: 'b', image: 'img/b' },
    ],
    nodeSelector: { disk: 'ssd' },
  },
}
const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['y', 'x'] }] }
const selects = 'app=web,tier in (x,y)'
const containers = ['+Containers', '+Images'] as const
const names = ['a,b', 'img/a:1,img/b'] as const

testColumns(
  'apps/v1',
  'deployments',
  ['Name!', 'Ready', 'Up-to-date', 'Available', 'Age', ...containers, '+Selector'],
  [
    [
      { spec: { replicas: 3, selector, template }, status: { replicas: 4, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 } },
      '2/3',
      1,
      2,
      '10m',
      ...names,
      selects,
    ],
    [{ spec: { replicas: 0, selector: {}, template } }, '0/0', 0, 0, '10m', ...names, ''],
    [{ spec: { template: {} } }, '0/0', 0, 0, '10m', '', '', ''],
  ],
)

testColumns(
  'apps/v1',
  'replicasets',
  ['Name!', 'Desired:integer', 'Current:integer', 'Ready:integer', 'Age', ...containers, '+Selector'],
  [
    [{ spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } }, 3, 2, 1, '10m', ...names, selects],
    [{ spec: { replicas: 0, selector: {}, template } }, 0, 0, 0, '10m', ...names, '<none>'],
  ],
)

testColumns(
  'apps/v1',
  'statefulsets',
  ['Name!', 'Ready', 'Age', ...containers],
  [
    [{ spec: { replicas: 3, selector, template }, status: { replicas: 3, readyReplicas: 3 } }, '3/3', '10m', ...names],
    [{ spec: { replicas: 1, selector, template } }, '0/1', '10m', ...names],
  ],
)

testColumns(
  'apps/v1',
  'daemonsets',
  [
    'Name!',
    'Desired:integer',
    'Current:integer',
    'Ready:integer',
    'Up-to-date:integer',
    'Available:integer',
    'Node Selector',
    'Age',
    ...containers,
    '+Selector',
  ],
  [
    [
      {
        spec: { selector, template },
        status: { desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 2, numberAvailable: 1 },
      },
      5,
      4,
      3,
      2,
      1,
      'disk=ssd',
      '10m',
      ...names,
      selects,
    ],
    [{ spec: { selector, template: { spec: { containers: [{ name: 'a' }] } } } }, 0, 0, 0, 0, 0, '<none>', '10m', 'a', '', selects],
  ],
)

const owner = (apiVersion: string, kind: string, controller: boolean) => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name: 'web', uid: 'u', controller }] },
})

testColumns(
  'apps/v1',
  'controllerrevisions',
  ['Name!', 'Controller', 'Revision', 'Age'],
  [
    [{ ...owner('apps/v1', 'StatefulSet', true), revision: 4 }, 'statefulset.apps/web', 4, '10m'],
    [{ ...owner('v1', 'Node', true), revision: 1 }, 'node/web', 1, '10m'],
    [{ ...owner('apps/v1', 'StatefulSet', false), revision: 0 }, '<none>', 0, '10m'],
  ],
)

testColumns(
  'v1',
  'replicationcontrollers',
  ['Name!', 'Desired:integer', 'Current:integer', 'Ready:integer', 'Age', ...containers, '+Selector'],
  [
    [
      { spec: { replicas: 2, selector: { b: '2', a: '1' }, template }, status: { replicas: 2, readyReplicas: 1 } },
      2,
      2,
      1,
      '10m',
      ...names,
      'a=1,b=2',
    ],
    [{ spec: {} }, 0, 0, 0, '10m', '', '', '<none>'],
  ],
)

testColumns(
  'v1',
  'podtemplates',
  ['Name!', 'Containers', 'Images', 'Pod Labels'],
  [
    [{ template }, ...names, 'app=web'],
    [{ template: {} }, '', '', '<none>'],
  ],
)

const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) })
const job = (spec: object, status: object, metadata: object = {}) => ({ metadata, spec: { selector, template, ...spec }, status })
const deletionTimestamp = '2026-01-01T00:59:00Z'
const wide = [...names, selects] as const

testColumns(
  'batch/v1',
  'jobs',
  ['Name!', 'Status', 'Completions', 'Duration', 'Age', ...containers, '+Selector'],
  [
    [job({ completions: 3 }, { succeeded: 1, startTime: '2026-01-01T00:58:30Z' }), 'Running', '1/3', '90s', '10m', ...wide],
    [
      job(
        { completions: 1 },
        { ...is('Complete'), succeeded: 1, startTime: '2026-01-01T00:51:00Z', completionTime: '2026-01-01T00:51:08Z' },
      ),
      'Complete',
      '1/1',
      '8s',
      '10m',
      ...wide,
    ],
    [job({}, {}), 'Running', '0/1', '', '10m', ...wide],
    [job({ parallelism: 1 }, { succeeded: 1 }), 'Running', '1/1', '', '10m', ...wide],
    [job({ parallelism: 4 }, { succeeded: 2 }), 'Running', '2/1 of 4', '', '10m', ...wide],
    [job({ completions: 1 }, is('Failed')), 'Failed', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, is('Suspended')), 'Suspended', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, is('FailureTarget')), 'FailureTarget', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, is('SuccessCriteriaMet')), 'SuccessCriteriaMet', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, is('Suspended'), { deletionTimestamp }), 'Terminating', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, is('SuccessCriteriaMet', 'Complete'), { deletionTimestamp }), 'Complete', '0/1', '', '10m', ...wide],
    [job({ completions: 1 }, { conditions: [{ type: 'Failed', status: 'False' }] }), 'Running', '0/1', '', '10m', ...wide],
  ],
)

const jobTemplate = { spec: { template } }

testColumns(
  'batch/v1',
  'cronjobs',
  ['Name!', 'Schedule', 'Timezone', 'Suspend:boolean', 'Active:integer', 'Last Schedule', 'Age', ...containers, '+Selector'],
  [
    [{ spec: { schedule: '@hourly', jobTemplate } }, '@hourly', '<none>', '<unset>', 0, '<none>', '10m', ...names, '<none>'],
    [
      {
        spec: { schedule: '*/5 * * * *', timeZone: 'Europe/Berlin', suspend: false, jobTemplate: { spec: { template, selector } } },
        status: { active: [{ name: 'x' }, { name: 'y' }], lastScheduleTime: '2026-01-01T00:57:00Z' },
      },
      '*/5 * * * *',
      'Europe/Berlin',
      'False',
      2,
      '3m',
      '10m',
      ...wide,
    ],
    [{ spec: { schedule: '@daily', suspend: true, jobTemplate } }, '@daily', '<none>', 'True', 0, '<none>', '10m', ...names, '<none>'],
  ],
)

testColumns(
  'policy/v1',
  'poddisruptionbudgets',
  ['Name!', 'Min Available', 'Max Unavailable', 'Allowed Disruptions:integer', 'Age'],
  [
    [{ spec: { minAvailable: 2 }, status: { disruptionsAllowed: 1 } }, '2', 'N/A', 1, '10m'],
    [{ spec: { maxUnavailable: '25%' } }, 'N/A', '25%', 0, '10m'],
    [{ spec: { minAvailable: 0 } }, '0', 'N/A', 0, '10m'],
  ],
)

const autoscaler = (metrics: object[], currentMetrics: object[] = [], spec: object = {}, status: object = {}) => ({
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }, maxReplicas: 9, metrics, ...spec },
  status: { currentMetrics, ...status },
})
const resource = (name: string, target: object) => ({ type: 'Resource', resource: { name, target: { type: 'x', ...target } } })
const used = (name: string, current: object) => ({ type: 'Resource', resource: { name, current } })
const metric = { name: 'qps' }
const outside = (type: string, target: object) => ({ type, [type.toLowerCase()]: { metric, target } })
const seen = (type: string, current: object) => ({ type, [type.toLowerCase()]: { metric, current } })
const targets = (text: string, min = '<unset>', replicas = 0) => ['Deployment/web', text, min, 9, replicas, '10m'] as const
const columns = ['Name!', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age']
const half = { averageUtilization: 50 }

testColumns('autoscaling/v2', 'horizontalpodautoscalers', columns, [
  [autoscaler([], [], { minReplicas: 2 }, { currentReplicas: 3 }), ...targets('<none>', '2', 3)],
  [autoscaler([resource('cpu', half)]), ...targets('cpu: <unknown>/50%')],
  [autoscaler([resource('cpu', half)], [used('cpu', { averageUtilization: 0 })]), ...targets('cpu: 0%/50%')],
  [autoscaler([resource('cpu', {})], [used('cpu', half)]), ...targets('cpu: 50%/<auto>')],
  [autoscaler([resource('memory', { averageValue: '1Gi' })], [used('memory', { averageValue: '500Mi' })]), ...targets('memory: 500Mi/1Gi')],
  [
    autoscaler([{ type: 'ContainerResource', containerResource: { name: 'cpu', container: 'a', target: half } }]),
    ...targets('cpu: <unknown>/50%'),
  ],
  [autoscaler([outside('Pods', { averageValue: '10' })], [seen('Pods', { averageValue: '12' })]), ...targets('12/10')],
  [autoscaler([outside('Pods', { averageValue: '10' })]), ...targets('<unknown>/10')],
  [autoscaler([outside('External', { value: '100' })], [seen('External', { value: '50' })]), ...targets('50/100')],
  [autoscaler([outside('External', { averageValue: '100' })], [seen('External', { averageValue: '7' })]), ...targets('7/100 (avg)')],
  [autoscaler([outside('Object', { value: '100' })]), ...targets('<unknown>/100')],
  [autoscaler([outside('Object', { averageValue: '5' })], [seen('Object', { value: '1' })]), ...targets('<unknown>/5 (avg)')],
  [autoscaler([resource('cpu', half), resource('memory', half)]), ...targets('cpu: <unknown>/50%, memory: <unknown>/50%')],
  [
    autoscaler([resource('cpu', half), outside('Pods', { averageValue: '1' }), outside('External', { value: '2' })]),
    ...targets('cpu: <unknown>/50%, <unknown>/1 + 1 more...'),
  ],
])

testColumns('autoscaling/v1', 'horizontalpodautoscalers', columns, [[autoscaler([]), ...targets('<none>')]])
