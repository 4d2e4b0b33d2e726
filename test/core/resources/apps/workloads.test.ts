import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } }
const base = { apiVersion: 'apps/v1', metadata: { name: 'web' } }
const spec = { selector: { matchLabels: labels }, template }
const path = (plural: string) => `/apis/apps/v1/namespaces/default/${plural}`
const templateOf = (kind: string) =>
  `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind} is not Supported`
const mismatch = 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'
const negative = 'must be greater than or equal to 0'
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

tables(
  client,
  { path: path('deployments'), manifest: { ...base, kind: 'Deployment', spec } },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          metadata: { generation: 1 },
          spec: {
            replicas: 1,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
            revisionHistoryLimit: 10,
            progressDeadlineSeconds: 600,
          },
          status: {},
        },
      ],
      ['a zero is kept', { 'spec.replicas': 0, 'spec.revisionHistoryLimit': 0 }, { spec: { replicas: 0, revisionHistoryLimit: 0 } }],
      [
        'maxSurge only',
        { 'spec.strategy.rollingUpdate.maxSurge': 2 },
        { spec: { strategy: { rollingUpdate: { maxUnavailable: '25%', maxSurge: 2 } } } },
      ],
      [
        'Recreate without rollingUpdate',
        { 'spec.strategy.type': 'Recreate' },
        { spec: { strategy: { type: 'Recreate', rollingUpdate: undefined } } },
      ],
      ['the status of a client is dropped', { 'status.replicas': 4 }, { status: { replicas: undefined } }],
    ],
    refused: [
      ['negative replicas', { 'spec.replicas': -1 }, [`spec.replicas: Invalid value: -1: ${negative}`]],
      ['no selector', { 'spec.selector': undefined }, ['spec.selector: Required value', mismatch]],
      ['empty selector', { 'spec.selector': {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for deployment']],
      ['labels that the selector does not match', { 'spec.selector.matchLabels.app': 'api' }, [mismatch]],
      [
        'other restart policy',
        { 'spec.template.spec.restartPolicy': 'Never' },
        ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
      ],
      ['activeDeadlineSeconds in the template', { 'spec.template.spec.activeDeadlineSeconds': 5 }, [templateOf('ReplicaSet')]],
      [
        'unknown strategy',
        { 'spec.strategy.type': 'Slow' },
        ['spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"'],
      ],
      [
        'Recreate with rollingUpdate',
        { 'spec.strategy': { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
        ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
      ],
      [
        'maxUnavailable and maxSurge both 0',
        { 'spec.strategy.rollingUpdate': { maxSurge: 0, maxUnavailable: '0%' } },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
      ],
      [
        'more than 100%',
        { 'spec.strategy.rollingUpdate.maxUnavailable': '101%' },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
      ],
      [
        'invalid percentage',
        { 'spec.strategy.rollingUpdate.maxSurge': 'x' },
        [`spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${percent}`],
      ],
      [
        'progress deadline below minReadySeconds',
        { 'spec.minReadySeconds': 600 },
        ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
      ],
      [
        'unknown operator',
        { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'Is' }] },
        [
          'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
          `spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"Is"}]}: invalid label selector`,
        ],
      ],
      [
        'operator without values',
        { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'NotIn' }] },
        [
          "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
          `spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"NotIn"}]}: invalid label selector`,
        ],
      ],
      [
        'several errors',
        { 'spec.replicas': -1, 'spec.revisionHistoryLimit': -2, 'spec.selector.matchLabels.app': 'x' },
        [`spec.replicas: Invalid value: -1: ${negative}`, mismatch, `spec.revisionHistoryLimit: Invalid value: -2: ${negative}`],
      ],
    ],
    updates: [
      ['replicas', { 'spec.replicas': 3 }, []],
      [
        'selector',
        { 'spec.selector.matchLabels': { app: 'api' }, 'spec.template.metadata.labels': { app: 'api' } },
        ['spec.selector: Invalid value: {"matchLabels":{"app":"api"}}: field is immutable'],
      ],
    ],
  },
)

tables(
  client,
  { path: path('replicasets'), manifest: { ...base, kind: 'ReplicaSet', spec } },
  {
    stored: [['all defaults', {}, { metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 0 } }]],
    refused: [
      [
        'negative numbers',
        { 'spec.replicas': -1, 'spec.minReadySeconds': -1 },
        [`spec.replicas: Invalid value: -1: ${negative}`, `spec.minReadySeconds: Invalid value: -1: ${negative}`],
      ],
      ['empty selector', { 'spec.selector': {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for deployment']],
      ['labels that the selector does not match', { 'spec.selector.matchLabels.app': 'api' }, [mismatch]],
    ],
  },
)

tables(
  client,
  { path: path('daemonsets'), manifest: { ...base, kind: 'DaemonSet', spec } },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          spec: { revisionHistoryLimit: 10, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } },
        },
      ],
      [
        'OnDelete',
        { 'spec.updateStrategy.type': 'OnDelete' },
        { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: undefined } } },
      ],
      ['the first template generation', {}, { metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } } }],
      [
        'a template that is changed back',
        { 'metadata.annotations': { 'deprecated.daemonset.template.generation': '5' } },
        { metadata: { annotations: { 'deprecated.daemonset.template.generation': '5' } } },
      ],
    ],
    refused: [
      ['empty selector', { 'spec.selector': {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset']],
      [
        'maxUnavailable and maxSurge',
        { 'spec.updateStrategy.rollingUpdate.maxSurge': 1 },
        ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
      ],
      [
        'maxUnavailable and maxSurge both 0',
        { 'spec.updateStrategy.rollingUpdate.maxUnavailable': 0 },
        ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
      ],
      ['activeDeadlineSeconds in the template', { 'spec.template.spec.activeDeadlineSeconds': 5 }, [templateOf('DaemonSet')]],
    ],
    updates: [
      [
        'selector',
        { 'spec.selector.matchLabels.x': 'y', 'spec.template.metadata.labels.x': 'y' },
        ['spec.selector: Invalid value: {"matchLabels":{"app":"web","x":"y"}}: field is immutable'],
      ],
    ],
  },
)

const fixed =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }
tables(
  client,
  {
    path: path('statefulsets'),
    manifest: { ...base, kind: 'StatefulSet', spec: { ...spec, serviceName: 'web', volumeClaimTemplates: [claim] } },
  },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          spec: {
            replicas: 1,
            podManagementPolicy: 'OrderedReady',
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
            revisionHistoryLimit: 10,
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1' }],
          },
          status: { replicas: 0, availableReplicas: 0 },
        },
      ],
      [
        'volume mounts of claim templates',
        { 'spec.template.spec.containers': [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
        { spec: { replicas: 1 } },
      ],
      [
        'RollingUpdate without parameters',
        { 'spec.updateStrategy.type': 'RollingUpdate' },
        { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: undefined } } },
      ],
    ],
    refused: [
      ['name with dots', { 'metadata.name': 'a.b' }, ['metadata.name: Invalid value: "a.b": must not contain dots']],
      ['empty selector', { 'spec.selector': {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset']],
      [
        'negative partition',
        { 'spec.updateStrategy.rollingUpdate.partition': -1 },
        [`spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: ${negative}`],
      ],
      [
        'OnDelete with rollingUpdate',
        { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
        [
          'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
        ],
      ],
      [
        'unknown retention',
        { 'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Keep' },
        ['spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"'],
      ],
      ['negative ordinal', { 'spec.ordinals.start': -1 }, [`spec.ordinals.start: Invalid value: -1: ${negative}`]],
    ],
    updates: [
      [
        'mutable fields',
        { 'spec.replicas': 3, 'spec.minReadySeconds': 1, 'spec.revisionHistoryLimit': 2, 'spec.template.metadata.labels.a': 'b' },
        [],
      ],
      ['service name', { 'spec.serviceName': 'other' }, [fixed]],
      ['claims', { 'spec.volumeClaimTemplates': [] }, [fixed]],
    ],
  },
)

tables(
  client,
  { path: path('controllerrevisions'), manifest: { ...base, kind: 'ControllerRevision', revision: 1, data: { a: 1 } } },
  {
    refused: [
      ['no data', { data: undefined }, ['data: Required value: data is mandatory']],
      ['negative revision', { revision: -1 }, [`revision: Invalid value: -1: ${negative}`]],
    ],
    updates: [
      ['revision', { revision: 2 }, []],
      ['data', { data: { a: 2 } }, ['data: Invalid value: {"a":2}: field is immutable']],
    ],
  },
)

test('a name that is no DNS label gives a warning', async () => {
  const answer = await (await client).send('POST', `${path('deployments')}?dryRun=All`, {
    ...base,
    kind: 'Deployment',
    metadata: { name: 'a.b' },
    spec,
  })
  assert.equal(answer.code, 201)
  assert.match(answer.warnings[0] ?? '', /^metadata\.name: this is used in Pod names and hostnames/)
})

test('/status changes only the status, and validates its numbers', async () => {
  const { send } = await client
  const made = await send('POST', path('deployments'), { ...base, kind: 'Deployment', metadata: { name: 'counts' }, spec })
  const status = `${path('deployments')}/counts/status`
  const good = await send('PUT', status, withChanges(made.body, { 'spec.replicas': 7, 'status.replicas': 2, 'status.collisionCount': 1 }))
  assert.equal(good.code, 200)
  assert.equal((good.body['spec'] as { replicas: number }).replicas, 1)
  const bad = await send(
    'PUT',
    status,
    withChanges(good.body, { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3, unavailableReplicas: -1 } }),
  )
  assert.deepEqual(causesOf(bad), [
    `status.unavailableReplicas: Invalid value: -1: ${negative}`,
    'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
    'status.collisionCount: Invalid value: 0: cannot be decremented',
  ])
})

test('a deployment is not rolled back to a negative revision', async () => {
  const annotations = { 'deprecated.deployment.rollback.to': '-3' }
  const manifest = { ...base, kind: 'Deployment', metadata: { name: 'back', annotations }, spec }
  const { body } = await (await client).send('POST', `${path('deployments')}?dryRun=All`, manifest)
  assert.match(JSON.stringify(body), /spec\.rollback\.version: Invalid value: -3: must be greater than or equal to 0/)
})

test('annotations increment the generation of deployments only', async () => {
  const { send } = await client
  for (const [plural, kind, generation] of [
    ['deployments', 'Deployment', 2],
    ['replicasets', 'ReplicaSet', 1],
  ] as const) {
    const made = await send('POST', path(plural), { ...base, kind, metadata: { name: 'noted' }, spec })
    const answer = await send('PUT', `${path(plural)}/noted`, withChanges(made.body, { 'metadata.annotations': { a: 'b' } }))
    assert.equal(answer.body.metadata['generation'], generation, kind)
  }
})

test('the template generation of a daemon set counts template changes, whatever the client sends', async () => {
  const { send } = await client
  const annotation = 'deprecated.daemonset.template.generation'
  const at = `${path('daemonsets')}/counted`
  const made = await send('POST', path('daemonsets'), { ...base, kind: 'DaemonSet', metadata: { name: 'counted' }, spec })
  const generations = async (changes: { readonly [path: string]: unknown }) => {
    const { body } = await send('PUT', at, withChanges(made.body, { 'metadata.resourceVersion': undefined, ...changes }))
    const { annotations, generation } = body.metadata as { annotations: { [key: string]: string }; generation: number }
    return [annotations[annotation], generation]
  }
  const image = 'spec.template.spec.containers.0.image'
  assert.deepEqual(await generations({ 'metadata.annotations': { [annotation]: '7' } }), ['1', 1])
  assert.deepEqual(await generations({ 'metadata.annotations': undefined, 'spec.minReadySeconds': 3 }), ['1', 2])
  assert.deepEqual(await generations({ 'metadata.annotations': undefined, [image]: 'httpd' }), ['2', 3])
})

test('claim templates of a stateful set have the phase Pending', async () => {
  const { send } = await client
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }
  const made = await send('POST', path('statefulsets'), {
    ...base,
    kind: 'StatefulSet',
    metadata: { name: 'claiming' },
    spec: { ...spec, serviceName: 'web', volumeClaimTemplates: [claim] },
  })
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const { volumeClaimTemplates } = made.body['spec'] as { volumeClaimTemplates: { status: object }[] }
  assert.deepEqual(
    volumeClaimTemplates.map(({ status }) => status),
    [{ phase: 'Pending' }],
  )
})
