/** Plugins that mutate pods and nodes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin } from '../../../../core/admission/attributes.ts'
import type { PluginContext } from '../../../../core/admission/context.ts'
import { alwaysPullImages } from '../../../../core/admission/plugins/always-pull-images.ts'
import { defaultTolerationSeconds } from '../../../../core/admission/plugins/default-toleration-seconds.ts'
import { podTopologyLabels } from '../../../../core/admission/plugins/pod-topology-labels.ts'
import { priority } from '../../../../core/admission/plugins/priority.ts'
import { runtimeClass } from '../../../../core/admission/plugins/runtime-class.ts'
import { serviceAccount } from '../../../../core/admission/plugins/service-account.ts'
import { taintNodesByCondition } from '../../../../core/admission/plugins/taint-nodes-by-condition.ts'
import { mergeTolerations } from '../../../../core/admission/plugins/tolerations.ts'
import { ApiError } from '../../../../core/answers/status.ts'
import { attributesOf, once } from '../attributes.ts'
import { admit, contextWith } from '../context.ts'

const pod = (spec: object = {}, metadata: object = {}) => ({ metadata: { name: 'p', namespace: 'dev', ...metadata }, spec })
const create = (object: object, on = 'pods') => ({ on, operation: 'CREATE' as const, object, namespace: 'dev' })
const update = (object: object, old: object, on = 'pods') => ({ on, operation: 'UPDATE' as const, object, old, namespace: 'dev' })

test('Priority: pods get the value of their class', async () => {
  const low = { metadata: { name: 'low' }, value: 10, preemptionPolicy: 'Never' }
  const plain = { metadata: { name: 'plain' }, value: 5 }
  const plugin = priority(contextWith({ 'priorityclasses//low': low, 'priorityclasses//plain': plain }))
  const rows: readonly (readonly [given: object, expected: object | string])[] = [
    [{}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [{ priority: 0 }, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [{ priorityClassName: 'low' }, { priorityClassName: 'low', priority: 10, preemptionPolicy: 'Never' }],
    [{ priorityClassName: 'plain' }, { priorityClassName: 'plain', priority: 5 }],
    [{ priorityClassName: 'x' }, 'no PriorityClass with name x was found'],
    [
      { priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { priorityClassName: 'low', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ]
  for (const [given, expected] of rows) {
    const object = pod({ ...given })
    const refusal = await admit(plugin, create(object))
    assert.deepEqual(refusal ?? object.spec, expected, JSON.stringify(given))
  }
  const object = pod({})
  await admit(plugin, update(object, pod({ priority: 10, preemptionPolicy: 'Never' })))
  assert.deepEqual(object.spec, { priority: 10, preemptionPolicy: 'Never' }, 'an update without them keeps them')
  const ephemeral = pod({})
  await admit(plugin, update(ephemeral, pod({ priority: 1 }), 'pods/status'))
  assert.deepEqual(ephemeral.spec, {}, 'subresources are ignored')
})

test('an object without a name is named by its prefix in refusals, and without one as unknown', async () => {
  const rows: readonly (readonly [make: (context: PluginContext) => AdmissionPlugin, spec: object])[] = [
    [priority, { priorityClassName: 'x' }],
    [priority, { priority: 7 }],
    [serviceAccount, { serviceAccountName: 'nobody' }],
    [runtimeClass, { runtimeClassName: 'none' }],
  ]
  for (const [make, spec] of rows)
    for (const [metadata, name] of [
      [{ generateName: 'web-' }, 'web-'],
      [{}, 'Unknown'],
    ] as const) {
      const attributes = attributesOf(create({ metadata: { namespace: 'dev', ...metadata }, spec: { ...spec } }))
      await assert.rejects(
        async () => make(contextWith()).mutate?.(attributes, once),
        (error) =>
          error instanceof ApiError && error.message.startsWith(`pods "${name}" is forbidden: `) && error.status.details?.name === name,
      )
    }
})

test('Priority: the default class, which is unique', async () => {
  const classes = {
    'priorityclasses//a': { metadata: { name: 'a' }, value: 10, globalDefault: true },
    'priorityclasses//b': { metadata: { name: 'b' }, value: 5, globalDefault: true },
  }
  const plugin = priority(contextWith(classes))
  const object = pod({})
  assert.equal(await admit(plugin, create(object)), undefined)
  assert.deepEqual(object.spec, { priorityClassName: 'b', priority: 5 }, 'the lowest of several defaults')
  const marked = (name: string) => ({ metadata: { name }, value: 1, globalDefault: true })
  const on = 'priorityclasses.scheduling.k8s.io'
  const taken = 'PriorityClass b is already marked as default. Only one default can exist'
  assert.equal(await admit(plugin, create(marked('c'), on)), taken)
  assert.equal(await admit(plugin, update(marked('c'), marked('c'), on)), taken)
  assert.equal(await admit(plugin, update(marked('b'), marked('b'), on)), undefined)
  assert.equal(await admit(plugin, create({ metadata: { name: 'c' }, value: 1 }, on)), undefined)
  assert.equal(await admit(priority(contextWith()), create(marked('c'), on)), undefined)
})

const notReady = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
const unreachable = { ...notReady, key: 'node.kubernetes.io/unreachable' }

test('DefaultTolerationSeconds', async () => {
  const rows: readonly (readonly [given: object[] | undefined, added: object[]])[] = [
    [undefined, [notReady, unreachable]],
    [[{ key: 'x', operator: 'Exists' }], [notReady, unreachable]],
    [[{ ...notReady, tolerationSeconds: 7 }], [unreachable]],
    [[{ key: unreachable.key }], [notReady]],
    [[{ key: notReady.key, effect: 'NoSchedule' }], [notReady, unreachable]],
    [[{ operator: 'Exists' }], []],
    [[{ operator: 'Exists', effect: 'NoExecute' }], []],
  ]
  const plugin = defaultTolerationSeconds(contextWith())
  for (const [given, added] of rows) {
    const object = pod(given ? { tolerations: given } : {})
    await admit(plugin, create(object))
    assert.deepEqual((object.spec as { tolerations?: object[] }).tolerations, [...(given ?? []), ...added], JSON.stringify(given))
  }
  const object = pod({})
  await admit(defaultTolerationSeconds(contextWith({}, { tolerationSeconds: { notReady: 5, unreachable: 6 } })), create(object))
  const seconds = (object.spec as { tolerations: { tolerationSeconds: number }[] }).tolerations.map((each) => each.tolerationSeconds)
  assert.deepEqual(seconds, [5, 6])
})

test('TaintNodesByCondition', async () => {
  const plugin = taintNodesByCondition(contextWith())
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const other = { key: 'x', effect: 'NoExecute' }
  for (const [given, expected] of [
    [undefined, [taint]],
    [[other], [other, taint]],
    [[taint], [taint]],
    [[{ ...taint, effect: 'NoExecute' }], [{ ...taint, effect: 'NoExecute' }, taint]],
  ] as const) {
    const object = pod(given ? { taints: [...given] } : {})
    await admit(plugin, create(object, 'nodes'))
    assert.deepEqual((object.spec as { taints?: object[] }).taints, expected)
  }
  const updated = pod({})
  await admit(plugin, update(updated, pod({}), 'nodes'))
  assert.deepEqual(updated.spec, {}, 'only new nodes')
})

test('RuntimeClass: overhead and scheduling', async () => {
  const plugin = runtimeClass(
    contextWith({
      'runtimeclasses//vm': {
        metadata: { name: 'vm' },
        overhead: { podFixed: { cpu: '500m', memory: '1Gi' } },
        scheduling: { nodeSelector: { vm: 'yes' }, tolerations: [{ key: 'vm', operator: 'Exists' }] },
      },
      'runtimeclasses//plain': { metadata: { name: 'plain' } },
    }),
  )
  const rows: readonly (readonly [given: object, expected: object | string])[] = [
    [{}, {}],
    [{ runtimeClassName: 'plain' }, { runtimeClassName: 'plain' }],
    [
      { runtimeClassName: 'vm', nodeSelector: { a: 'b' }, tolerations: [{ key: 'vm', operator: 'Equal', value: 'x' }] },
      {
        runtimeClassName: 'vm',
        overhead: { cpu: '500m', memory: '1Gi' },
        nodeSelector: { a: 'b', vm: 'yes' },
        tolerations: [{ key: 'vm', operator: 'Exists' }],
      },
    ],
    [{ runtimeClassName: 'nothing' }, 'pod rejected: RuntimeClass "nothing" not found'],
    [{ runtimeClassName: 'vm', overhead: { cpu: '0.5' } }, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"],
    [{ overhead: { cpu: '1' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'],
    [
      { runtimeClassName: 'vm', nodeSelector: { vm: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    ],
  ]
  for (const [given, expected] of rows) {
    const object = pod(structuredClone(given))
    assert.deepEqual((await admit(plugin, create(object))) ?? object.spec, expected, JSON.stringify(given))
  }
  const same = pod({ runtimeClassName: 'vm', overhead: { cpu: '0.5', memory: '1024Mi' } })
  assert.equal(await admit(plugin, create(same)), undefined, 'equal quantities in another notation')
})

test('tolerations are merged', () => {
  const exists = { key: 'a', operator: 'Exists' }
  const equal = { key: 'a', operator: 'Equal', value: 'x' }
  const brief = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }
  const long = { ...brief, tolerationSeconds: 50 }
  assert.deepEqual(mergeTolerations([equal], [exists]), [exists])
  assert.deepEqual(mergeTolerations([exists], [equal, exists]), [exists])
  assert.deepEqual(mergeTolerations([brief], [long]), [long])
  assert.deepEqual(mergeTolerations([equal], [{ ...equal, value: 'y' }]), [equal, { ...equal, value: 'y' }])
  assert.deepEqual(mergeTolerations([equal, brief], [{ operator: 'Exists' }]), [{ operator: 'Exists' }])
})

test('PodTopologyLabels: copied from the node unless the pod has them', async () => {
  const zone = 'topology.kubernetes.io/zone'
  const region = 'topology.kubernetes.io/region'
  const labels = { [zone]: 'z1', [region]: 'r1', other: 'x' }
  const stored = { 'nodes//n1': { metadata: { name: 'n1', labels } }, 'nodes//bare': { metadata: { name: 'bare' } } }
  const plugin = podTopologyLabels(contextWith(stored))
  const labelsOf = async (object: { metadata: object }, on = 'pods', by = plugin) => {
    await admit(by, create(object, on))
    return (object.metadata as { labels?: object }).labels
  }
  assert.deepEqual(await labelsOf(pod({ nodeName: 'n1' }, { labels: { [zone]: 'mine' } })), { [zone]: 'mine', [region]: 'r1' })
  assert.equal(await labelsOf(pod({ nodeName: 'bare' })), undefined)
  assert.equal(await labelsOf(pod({ nodeName: 'nowhere' })), undefined)
  assert.equal(await labelsOf(pod({})), undefined)
  const binding = (kind: string) => ({ metadata: { name: 'p' }, target: { kind, name: 'n1' } })
  assert.deepEqual(await labelsOf(binding('Node'), 'pods/binding'), { [zone]: 'z1', [region]: 'r1' })
  assert.equal(await labelsOf(binding('Machine'), 'pods/binding'), undefined)
  const off = podTopologyLabels(contextWith(stored, { enabled: () => false }))
  assert.equal(await labelsOf(pod({ nodeName: 'n1' }), 'pods', off), undefined, 'the gate is disabled')
})

test('AlwaysPullImages', async () => {
  const plugin = alwaysPullImages(contextWith())
  const container = { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }
  const object = pod({
    containers: [{ ...container }],
    initContainers: [{ ...container }],
    volumes: [{ name: 'v', image: { reference: 'r' } }],
  })
  assert.equal(await admit(plugin, create(object)), undefined)
  const always = { ...container, imagePullPolicy: 'Always' }
  const expected = {
    containers: [always],
    initContainers: [always],
    volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'Always' } }],
  }
  assert.deepEqual(object.spec, expected)
  const old = pod({ containers: [{ ...container }] })
  assert.equal(await admit(plugin, update(structuredClone(old), old)), undefined, 'an update without new images')
  const later = { name: 'AlwaysPullImages', operations: plugin.operations, ...(plugin.validate && { validate: plugin.validate }) }
  assert.equal(
    await admit(later, create(pod({ containers: [{ ...container }] }))),
    'spec.containers[0].imagePullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"',
    'a change by another plugin is refused',
  )
})
