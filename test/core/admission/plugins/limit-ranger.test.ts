/** LimitRanger: defaults for containers, and violations of limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitRanger } from '../../../../core/admission/plugins/limit-ranger.ts'
import { podAmounts } from '../../../../core/admission/plugins/pod-amounts.ts'
import { admit, contextWith } from '../context.ts'

const range = (...limits: object[]) => ({ 'limitranges/dev/l': { metadata: { name: 'l' }, spec: { limits } } })
const container = (requests?: object, limits?: object, more: object = {}) => ({
  name: 'c',
  ...more,
  ...((requests || limits) && { resources: { ...(requests && { requests }), ...(limits && { limits }) } }),
})
const pod = (containers: object[], initContainers?: object[]) => ({
  metadata: { name: 'p', namespace: 'dev' },
  spec: { containers, ...(initContainers && { initContainers }) },
})
const create = (object: object, limits: object[], on = 'pods') =>
  admit(limitRanger(contextWith(range(...limits))), { on, operation: 'CREATE', object, namespace: 'dev' })

test('sets defaults, and an annotation that lists them', async () => {
  const limits = [{ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } }]
  const object = pod([container(undefined, { cpu: '2' })], [{ ...container(), name: 'i' }])
  assert.equal(await create(object, limits), undefined)
  assert.deepEqual(object.spec.containers[0], container({ cpu: '500m' }, { cpu: '2', memory: '1Gi' }))
  assert.deepEqual(object.spec.initContainers?.[0], { ...container({ cpu: '500m' }, { cpu: '1', memory: '1Gi' }), name: 'i' })
  assert.deepEqual((object.metadata as { annotations?: object }).annotations, {
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu request for container c; memory limit for container c; cpu request for init container i; cpu, memory limit for init container i',
  })
  const full = pod([container({ cpu: '1' }, { cpu: '1', memory: '1' })])
  assert.equal(await create(full, limits), undefined)
  assert.equal(Object.hasOwn(full.metadata, 'annotations'), false, 'no default was set')
})

const rows: readonly (readonly [what: string, limit: object, containers: object[], refusal: string | undefined])[] = [
  ['within', { min: { cpu: '1' }, max: { cpu: '2' } }, [container({ cpu: '1' }, { cpu: '2' })], undefined],
  ['no request', { min: { cpu: '1' } }, [container()], 'minimum cpu usage per Container is 1.  No request is specified'],
  [
    'a request below the minimum',
    { min: { cpu: '1' } },
    [container({ cpu: '500m' })],
    'minimum cpu usage per Container is 1, but request is 500m',
  ],
  [
    'a limit below the minimum',
    { min: { memory: '1Gi' } },
    [container({ memory: '1Gi' }, { memory: '512Mi' })],
    'minimum memory usage per Container is 1Gi, but limit is 512Mi',
  ],
  ['no limit', { max: { cpu: '1' } }, [container({ cpu: '1' })], 'maximum cpu usage per Container is 1.  No limit is specified'],
  [
    'a limit above the maximum',
    { max: { cpu: '1' } },
    [container({}, { cpu: '2' })],
    'maximum cpu usage per Container is 1, but limit is 2',
  ],
  [
    'a request above the maximum',
    { max: { cpu: '1' } },
    [container({ cpu: '1500m' }, { cpu: '1' })],
    'maximum cpu usage per Container is 1, but request is 1500m',
  ],
  [
    'two violations',
    { max: { cpu: '1', memory: '1Gi' } },
    [container({}, { cpu: '2', memory: '2Gi' })],
    '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
  ],
  ['an allowed ratio', { maxLimitRequestRatio: { cpu: '2' } }, [container({ cpu: '500m' }, { cpu: '1' })], undefined],
  [
    'a ratio above the maximum',
    { maxLimitRequestRatio: { cpu: '2' } },
    [container({ cpu: '400m' }, { cpu: '1' })],
    'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
  ],
  [
    'a ratio without request',
    { maxLimitRequestRatio: { cpu: '2' } },
    [container({}, { cpu: '1' })],
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
]

test(`${rows.length} containers`, async () => {
  for (const [what, limit, containers, refusal] of rows)
    assert.equal(await create(pod(containers), [{ type: 'Container', ...limit }]), refusal, what)
})

test('limits of pods and claims', async () => {
  const two = [container({ cpu: '1' }, { cpu: '1' }), container({ cpu: '1' }, { cpu: '2' })]
  assert.equal(await create(pod(two), [{ type: 'Pod', max: { cpu: '3' } }]), undefined)
  assert.equal(await create(pod(two), [{ type: 'Pod', max: { cpu: '2' } }]), 'maximum cpu usage per Pod is 2, but limit is 3')
  const claim = (storage?: string) => ({
    metadata: { name: 'c', namespace: 'dev' },
    spec: { resources: { requests: storage ? { storage } : {} } },
  })
  const claims = [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }]
  const on = 'persistentvolumeclaims'
  assert.equal(await create(claim('1Gi'), claims, on), undefined)
  assert.equal(await create(claim('1'), claims, on), 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1')
  assert.equal(await create(claim('3Gi'), claims, on), 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi')
  assert.match((await create(claim(), claims, on)) ?? '', /^\[minimum .*No request is specified, maximum .*No request is specified\]$/)
  assert.equal(await create(claim('9Gi'), [{ type: 'Container', max: { storage: '1' } }], on), undefined, 'limits of another type')
})

test('ignores pod updates and terminating objects', async () => {
  const plugin = limitRanger(
    contextWith(range({ type: 'Container', min: { cpu: '1' } }, { type: 'PersistentVolumeClaim', min: { storage: '1' } })),
  )
  const object = pod([container()])
  assert.equal(await admit(plugin, { on: 'pods', operation: 'UPDATE', object, old: object, namespace: 'dev' }), undefined)
  const going = { metadata: { name: 'c', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} }
  const write = { on: 'persistentvolumeclaims', operation: 'UPDATE', object: going, namespace: 'dev' } as const
  assert.equal(await admit(plugin, { ...write, old: going }), undefined)
  assert.notEqual(await admit(plugin, { ...write, old: { metadata: { name: 'c' } } }), undefined)
})

test('pod-level resources', () => {
  const needs = (cpu: string, more: object = {}) => container({ cpu }, undefined, more)
  const total = (spec: object) => podAmounts(spec, 'requests')
  assert.deepEqual(total({ containers: [needs('1'), needs('500m')] }), { cpu: '1500m' })
  assert.deepEqual(total({ containers: [needs('1')], initContainers: [needs('3'), needs('2')] }), { cpu: '3' })
  const sidecar = needs('1', { restartPolicy: 'Always' })
  assert.deepEqual(total({ containers: [needs('1')], initContainers: [needs('3'), sidecar, needs('1')] }), { cpu: '3' })
  assert.deepEqual(total({ containers: [needs('1')], initContainers: [sidecar, needs('3')] }), { cpu: '4' })
  assert.deepEqual(total({ containers: [needs('1')], initContainers: [sidecar, sidecar] }), { cpu: '3' })
  assert.deepEqual(total({ containers: [needs('1')], resources: { requests: { cpu: '7' } } }), { cpu: '7' })
})
