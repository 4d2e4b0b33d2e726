/** Default classes, protection and expansion of claims. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultIngressClass } from '../../../../core/admission/plugins/default-ingress-class.ts'
import { defaultStorageClass } from '../../../../core/admission/plugins/default-storage-class.ts'
import { persistentVolumeClaimResize } from '../../../../core/admission/plugins/persistent-volume-claim-resize.ts'
import { storageObjectInUseProtection } from '../../../../core/admission/plugins/storage-object-in-use-protection.ts'
import { admit, contextWith } from '../context.ts'

const marked = (name: string, annotation: string, creationTimestamp: string, value = 'true') => ({
  metadata: { name, annotations: { [annotation]: value }, creationTimestamp },
})

test('DefaultStorageClass: the newest class marked as default', async () => {
  const current = 'storageclass.kubernetes.io/is-default-class'
  const classes = {
    'storageclasses//old': marked('old', current, '2026-01-01T00:00:00Z'),
    'storageclasses//new': marked('new', 'storageclass.beta.kubernetes.io/is-default-class', '2026-02-01T00:00:00Z'),
    'storageclasses//twin': marked('twin', current, '2026-02-01T00:00:00Z'),
    'storageclasses//newest': marked('newest', current, '2026-03-01T00:00:00Z', 'false'),
  }
  const classOf = async (spec: object, annotations = {}, stored: { readonly [key: string]: object } = classes) => {
    const object = { metadata: { name: 'c', annotations }, spec: { ...spec } }
    await admit(defaultStorageClass(contextWith(stored)), { on: 'persistentvolumeclaims', operation: 'CREATE', object, namespace: 'dev' })
    return (object.spec as { storageClassName?: string }).storageClassName
  }
  assert.equal(await classOf({}), 'new')
  assert.equal(await classOf({ storageClassName: 'mine' }), 'mine')
  assert.equal(await classOf({ storageClassName: '' }), '', 'explicitly no class')
  assert.equal(await classOf({}, { 'volume.beta.kubernetes.io/storage-class': 'x' }), undefined, 'class chosen by annotation')
  assert.equal(await classOf({}, {}, {}), undefined, 'no class is marked as default')
})

test('DefaultIngressClass', async () => {
  const mark = 'ingressclass.kubernetes.io/is-default-class'
  const classes = {
    'ingressclasses//b': marked('b', mark, '2026-01-01T00:00:00Z'),
    'ingressclasses//a': marked('a', mark, '2026-01-01T00:00:00Z'),
  }
  const classOf = async (spec: object, annotations = {}) => {
    const object = { metadata: { name: 'i', annotations }, spec: { ...spec } }
    const write = { on: 'ingresses.networking.k8s.io', operation: 'CREATE', object, namespace: 'dev' } as const
    await admit(defaultIngressClass(contextWith(classes)), write)
    return (object.spec as { ingressClassName?: string }).ingressClassName
  }
  assert.equal(await classOf({}), 'a')
  assert.equal(await classOf({ ingressClassName: 'x' }), 'x')
  assert.equal(await classOf({}, { 'kubernetes.io/ingress.class': 'nginx' }), undefined)
})

test('StorageObjectInUseProtection', async () => {
  const plugin = storageObjectInUseProtection(contextWith())
  const finalizersOf = async (on: string, finalizers?: string[]) => {
    const object = { metadata: { name: 'x', ...(finalizers && { finalizers }) } }
    await admit(plugin, { on, operation: 'CREATE', object })
    return (object.metadata as { finalizers?: string[] }).finalizers
  }
  assert.deepEqual(await finalizersOf('persistentvolumes'), ['kubernetes.io/pv-protection'])
  assert.deepEqual(await finalizersOf('persistentvolumeclaims', ['a/b']), ['a/b', 'kubernetes.io/pvc-protection'])
  assert.deepEqual(await finalizersOf('persistentvolumeclaims', ['kubernetes.io/pvc-protection']), ['kubernetes.io/pvc-protection'])
  assert.deepEqual(await finalizersOf('volumeattributesclasses.storage.k8s.io'), ['kubernetes.io/vac-protection'])
  assert.equal(await finalizersOf('configmaps'), undefined)
  assert.equal(await finalizersOf('persistentvolumeclaims/status'), undefined)
})

test('PersistentVolumeClaimResize', async () => {
  const plugin = persistentVolumeClaimResize(
    contextWith({
      'storageclasses//grows': { metadata: { name: 'grows' }, allowVolumeExpansion: true },
      'storageclasses//stays': { metadata: { name: 'stays' } },
    }),
  )
  const claim = (storage: string, storageClassName = 'grows', phase = 'Bound') => ({
    metadata: { name: 'c' },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  })
  const grow = (object: object, old: object) =>
    admit(plugin, { on: 'persistentvolumeclaims', operation: 'UPDATE', object, old, namespace: 'dev' })
  const never = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
  assert.equal(await grow(claim('2Gi'), claim('1Gi')), undefined)
  assert.equal(await grow(claim('1024Mi', 'stays'), claim('1Gi', 'stays')), undefined, 'the same size')
  assert.equal(await grow(claim('2Gi', 'stays'), claim('1Gi', 'stays')), never)
  assert.equal(await grow(claim('2Gi', 'nowhere'), claim('1Gi', 'nowhere')), never)
  assert.equal(await grow(claim('2Gi', ''), claim('1Gi', '')), never)
  assert.equal(await grow(claim('2Gi'), claim('1Gi', 'stays')), never)
  assert.equal(await grow(claim('2Gi'), claim('1Gi', 'grows', 'Pending')), 'Only bound persistent volume claims can be expanded')
})
