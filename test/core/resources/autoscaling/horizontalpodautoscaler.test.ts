import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHas, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }
const base = { kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } }
const v2 = { ...base, apiVersion: 'autoscaling/v2', spec: { scaleTargetRef, maxReplicas: 5 } }
const v1 = { ...base, apiVersion: 'autoscaling/v1', spec: { scaleTargetRef, maxReplicas: 5 } }
const versionAt = 'spec.scaleTargetRef.apiVersion'
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const doubled = { type: 'Percent', value: 100, periodSeconds: 15 }

tables(
  client,
  { path: path('v2'), manifest: v2 },
  {
    stored: [
      [
        'all defaults',
        {},
        { spec: { minReplicas: 1, metrics: [cpu(80)], behavior: undefined }, status: { desiredReplicas: 0, currentMetrics: null } },
      ],
      [
        'behavior',
        { 'spec.behavior.scaleDown.stabilizationWindowSeconds': 60 },
        {
          spec: {
            behavior: {
              scaleUp: {
                stabilizationWindowSeconds: 0,
                selectPolicy: 'Max',
                policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, doubled],
              },
              scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: 'Max', policies: [doubled] },
            },
          },
        },
      ],
    ],
    refused: [
      [
        'target without group',
        { 'spec.scaleTargetRef.apiVersion': 'v1' },
        ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
      ],
      [
        'no maximum',
        { 'spec.maxReplicas': undefined },
        [
          'spec.maxReplicas: Required value: must be set and greater than 0',
          'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
        ],
      ],
      [
        'malformed version of the target',
        { 'spec.scaleTargetRef.apiVersion': 'a/b/c' },
        [`${versionAt}: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`],
      ],
      [
        'errors in order: bounds, target, metrics, behavior',
        {
          'spec.maxReplicas': -1,
          'spec.minReplicas': undefined,
          'spec.scaleTargetRef.kind': '',
          'spec.metrics': [
            {
              type: 'ContainerResource',
              containerResource: { name: 'pods', container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
            },
          ],
          'spec.behavior.scaleUp.stabilizationWindowSeconds': -1,
        },
        [
          'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
          'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
          'spec.scaleTargetRef.kind: Required value',
          'spec.metrics[0].containerResource.name: Invalid value: "pods": must be a standard resource for containers',
          'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
        ],
      ],
      [
        'minimum of zero',
        { 'spec.minReplicas': 0 },
        [
          'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
          'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
        ],
      ],
      ['nameless target', { 'spec.scaleTargetRef.name': undefined }, ['spec.scaleTargetRef.name: Required value']],
      [
        'unknown metric',
        { 'spec.metrics': [{ type: 'Mood' }] },
        [
          'spec.metrics[0].type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
          'spec.metrics[0].type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        ],
      ],
      [
        'metric without its source',
        { 'spec.metrics': [{ type: 'Pods' }] },
        ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
      ],
      [
        'resource without a target',
        { 'spec.metrics': [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
        ['spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization'],
      ],
      [
        'two sources',
        { 'spec.metrics': [{ ...cpu(50), pods: { metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '1' } } }] },
        ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
      ],
      [
        'stabilization window out of range',
        { 'spec.behavior.scaleUp.stabilizationWindowSeconds': 3601 },
        ['spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600'],
      ],
      [
        'policy value of 0',
        { 'spec.behavior.scaleUp.policies': [{ type: 'Pods', value: 0, periodSeconds: 1801 }] },
        [
          'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
          'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
        ],
      ],
    ],
  },
)

tables(
  client,
  { path: path('v1'), manifest: v1 },
  {
    stored: [
      [
        'the default metric',
        {},
        {
          apiVersion: 'autoscaling/v1',
          spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 },
          status: { currentReplicas: 0, desiredReplicas: 0 },
        },
      ],
      ['a percentage', { 'spec.targetCPUUtilizationPercentage': 30 }, { spec: { targetCPUUtilizationPercentage: 30 } }],
    ],
    refused: [
      [
        'target of 0 percent',
        { 'spec.targetCPUUtilizationPercentage': 0 },
        ['spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0'],
      ],
    ],
  },
)

test('fields unknown to v1 are kept in annotations', async () => {
  const { send } = await client
  const metrics = [
    {
      type: 'Pods',
      pods: { metric: { name: 'hits', selector: { matchLabels: { a: 'b' } } }, target: { type: 'AverageValue', averageValue: '1k' } },
    },
    {
      type: 'Object',
      object: {
        describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
        target: { type: 'Value', value: '10' },
        metric: { name: 'm' },
      },
    },
    { type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 60 }, container: 'main' },
    },
    cpu(42),
  ]
  const made = await send(
    'POST',
    path('v2'),
    withChanges(v2, { 'metadata.name': 'trip', 'spec.metrics': metrics, 'spec.behavior.scaleDown': { selectPolicy: 'Min' } }),
  )
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const old = await send('GET', `${path('v1')}/trip`)
  const annotations = old.body.metadata['annotations'] as { [key: string]: string }
  assertHas(old.body, { spec: { targetCPUUtilizationPercentage: 42, metrics: undefined, behavior: undefined } })
  assert.deepEqual(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/metrics'] ?? '')[0], {
    type: 'Pods',
    pods: { metricName: 'hits', targetAverageValue: '1k', selector: { matchLabels: { a: 'b' } } },
  })
  assert.deepEqual(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/behavior'] ?? '').ScaleDown, {
    StabilizationWindowSeconds: null,
    SelectPolicy: 'Min',
    Policies: [{ Type: 'Percent', Value: 100, PeriodSeconds: 15 }],
    Tolerance: null,
  })
  const updated = await send('PUT', `${path('v1')}/trip`, withChanges(old.body, { 'spec.maxReplicas': 9 }))
  assert.equal(updated.code, 200, JSON.stringify(updated.body))
  const now = await send('GET', `${path('v2')}/trip`)
  const spec = made.body['spec'] as object
  assert.deepEqual(now.body['spec'], { ...spec, maxReplicas: 9 })
  assert.equal(now.body.metadata['annotations'], undefined)
})

test('in version 1 the default target is a field of the client: it has its manager', async () => {
  const fieldsOf = async (spec: object) => {
    const { body } = await (await client).send('POST', `${path('v1')}?dryRun=All`, { ...v1, spec: { ...v1.spec, ...spec } })
    const [entry] = (body.metadata as unknown as { managedFields: { fieldsV1: { 'f:spec': object } }[] }).managedFields
    return [
      Object.keys(entry?.fieldsV1['f:spec'] ?? {}),
      (body.spec as { targetCPUUtilizationPercentage?: number }).targetCPUUtilizationPercentage,
    ]
  }
  const fields = ['f:maxReplicas', 'f:minReplicas', 'f:scaleTargetRef', 'f:targetCPUUtilizationPercentage']
  assert.deepEqual(await fieldsOf({}), [fields, 80])
  assert.deepEqual(await fieldsOf({ targetCPUUtilizationPercentage: 50 }), [fields, 50])
})

test('in version 1 the processor use in the status is a metric of the stored version', async () => {
  const { send } = await client
  const made = await send('POST', path('v1'), withChanges(v1, { 'metadata.name': 'used' }))
  const status = { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 7 }
  const written = await send('PUT', `${path('v1')}/used/status`, { ...made.body, status })
  assertHas(written.body, { status })
  const { body } = await send('GET', `${path('v2')}/used`)
  assertHas(body, { status: { currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } }] } })
})

test('an average of an object metric passes through version 1, which can not omit the value', async () => {
  const { send } = await client
  const object = {
    describedObject: { kind: 'Service', name: 's' },
    metric: { name: 'm' },
    target: { type: 'AverageValue', averageValue: '5' },
  }
  const metrics = [{ type: 'Object', object }]
  await send('POST', path('v2'), withChanges(v2, { 'metadata.name': 'average', 'spec.metrics': metrics }))
  const old = await send('GET', `${path('v1')}/average`)
  const put = await send('PUT', `${path('v1')}/average`, withChanges(old.body, { 'metadata.labels': { a: 'b' } }))
  assert.equal(put.code, 200, JSON.stringify(put.body))
  assertHas((await send('GET', `${path('v2')}/average`)).body, { spec: { metrics } })
})

test('a Table of version 1 has all metrics, as one of the stored version', async () => {
  const object = {
    type: 'Object',
    object: { metric: { name: 'hits' }, describedObject: scaleTargetRef, target: { type: 'AverageValue', averageValue: '1' } },
  }
  const server = await client
  const made = await server.send('POST', path('v2'), withChanges(v2, { 'metadata.name': 'tabled', 'spec.metrics': [object] }))
  assert.equal(made.code, 201)
  for (const version of ['v1', 'v2']) {
    const { body } = await server.send(
      'GET',
      `${path(version)}/tabled`,
      undefined,
      undefined,
      'application/json;as=Table;v=v1;g=meta.k8s.io',
    )
    const [row] = body['rows'] as { cells: unknown[] }[]
    assert.equal(row?.cells[2], '<unknown>/1 (avg)', version)
  }
})
