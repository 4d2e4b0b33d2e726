/** LimitRanger: pods and limits with the verdicts of kube-apiserver 1.36's own tests (plugin/pkg/admission/limitranger). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitRanger } from '../../../../core/admission/plugins/limit-ranger.ts'
import { admit, contextWith } from '../context.ts'

/** `request/limit` of one resource; an empty side is not specified. */
type Amounts = `${string}/${string}`

interface Row {
  readonly type: 'Container' | 'Pod' | 'PersistentVolumeClaim'
  readonly min?: string
  readonly max?: string
  readonly ratio?: string
  /** Number of equal containers, and what each has. */
  readonly containers?: readonly [count: number, each: Amounts]
  readonly init?: readonly Amounts[]
  readonly sidecar?: Amounts
  /** Resources of the pod itself. */
  readonly whole?: Amounts
  readonly storage?: string
}

const container = (
  type: 'Container' | 'Pod',
  limits: Pick<Row, 'min' | 'max' | 'ratio'>,
  count: number,
  each: Amounts,
  more: object = {},
) => ({
  ...{ type, ...limits, ...more },
  containers: [count, each] as const,
})

/** Rows of memory, cpu and ephemeral storage have the same verdicts: each is tried with all three, with amounts in this unit. */
const pods: readonly (readonly [row: Row, isAllowed: boolean])[] = [
  [container('Container', { min: '50' }, 1, '60/'), true],
  [container('Container', { min: '50' }, 1, '60/100'), true],
  [container('Container', { min: '50' }, 2, '60/100'), true],
  [container('Container', { min: '50' }, 1, '40/'), false],
  [container('Container', { min: '50' }, 1, '40/200'), false],
  [container('Container', { min: '50' }, 2, '40/100'), false],
  [container('Container', { min: '50' }, 1, '/'), false],
  [container('Container', { max: '2000' }, 1, '500/1000'), true],
  [container('Container', { max: '2000' }, 1, '/1000'), true],
  [container('Container', { max: '600' }, 2, '250/500'), true],
  [container('Container', { max: '2000' }, 1, '500/2500'), false],
  [container('Container', { max: '2000' }, 1, '/2500'), false],
  [container('Container', { max: '2000' }, 2, '/2500'), false],
  [container('Container', { max: '2000' }, 1, '/'), false],
  [container('Container', { ratio: '1.5' }, 1, '500/750'), true],
  [container('Container', { ratio: '1' }, 1, '1250/2500'), false],
  [container('Pod', { min: '100' }, 2, '75/'), true],
  [container('Pod', { min: '100' }, 2, '75/200'), true],
  [container('Pod', { min: '100' }, 2, '60/', { init: ['100/'] }), true],
  [container('Pod', { min: '100' }, 2, '60/100', { init: ['80/100'] }), true],
  [container('Pod', { min: '100' }, 1, '75/'), false],
  [container('Pod', { min: '100' }, 1, '75/200'), false],
  [container('Pod', { max: '2000' }, 2, '500/1000'), true],
  [container('Pod', { max: '2000' }, 2, '/1000'), true],
  [container('Pod', { max: '2000' }, 2, '500/1000', { init: ['1000/2000', '1000/1000'] }), true],
  [container('Pod', { max: '2000' }, 2, '/1000', { init: ['/2000', '/2000'] }), true],
  [container('Pod', { max: '2000' }, 3, '500/1000'), false],
  [container('Pod', { max: '2000' }, 3, '/1000'), false],
  [container('Pod', { max: '1000' }, 1, '/500', { init: ['/1500'] }), false],
  [container('Pod', { max: '2000' }, 1, '1000/1500', { sidecar: '500/500' }), true],
  [container('Pod', { max: '2000' }, 1, '1000/1500', { sidecar: '1500/' }), false],
  [container('Pod', { max: '2000' }, 1, '1000/1500', { sidecar: '/1000' }), false],
  [container('Pod', { max: '2000', ratio: '1.5' }, 3, '300/450'), true],
  [container('Pod', { max: '2000', ratio: '1.5' }, 3, '250/500'), false],
]
/** The pod's own resources, which ephemeral storage does not have. */
const wholePods: typeof pods = [
  [container('Pod', { max: '400' }, 3, '100/200', { whole: '200/400' }), true],
  [container('Pod', { min: '160' }, 3, '50/', { whole: '160/' }), true],
  [container('Pod', { max: '160' }, 3, '/50', { whole: '/160' }), true],
  [container('Pod', { max: '400' }, 3, '100/200', { whole: '200/500' }), false],
  [container('Pod', { min: '160' }, 3, '50/', { whole: '100/' }), false],
  [container('Pod', { max: '160' }, 3, '/50', { whole: '/300' }), false],
]
const claims: readonly (readonly [limits: Pick<Row, 'min' | 'max'>, storage: string, isAllowed: boolean])[] = [
  [{ min: '1Gi' }, '1Gi', true],
  [{ max: '1Gi' }, '1Gi', true],
  [{}, '100Gi', true],
  [{ min: '1Gi', max: '10Gi' }, '5Gi', true],
  [{ min: '1Gi' }, '500Mi', false],
  [{ min: '1Gi', max: '1Gi' }, '100Gi', false],
]

const none = {}
const sized = (resource: string, unit: string, amount: string | undefined) => (amount ? { [resource]: `${amount}${unit}` } : none)

function verdict(row: Row, resource: string, unit: string): Promise<string | undefined> {
  const resourcesOf = (amounts: Amounts) => {
    const [requests, limits] = amounts.split('/')
    return { resources: { requests: sized(resource, unit, requests), limits: sized(resource, unit, limits) } }
  }
  const [count, each] = row.containers ?? [0, '/']
  const [min, max] = [sized(resource, unit, row.min), sized(resource, unit, row.max)]
  const limits = [{ type: row.type, min, max, maxLimitRequestRatio: sized(resource, '', row.ratio) }]
  const plugin = limitRanger(contextWith({ 'limitranges/dev/l': { metadata: { name: 'l' }, spec: { limits } } }))
  const isClaim = row.storage !== undefined
  const spec = isClaim
    ? { resources: { requests: { storage: row.storage } } }
    : {
        containers: Array.from({ length: count }, (_, at) => ({ name: `c${at}`, ...resourcesOf(each) })),
        initContainers: [
          ...(row.init ?? []).map((amounts, at) => ({ name: `i${at}`, ...resourcesOf(amounts) })),
          ...(row.sidecar ? [{ name: 's', restartPolicy: 'Always', ...resourcesOf(row.sidecar) }] : []),
        ],
        ...(row.whole && resourcesOf(row.whole)),
      }
  const object = { metadata: { name: 'o', namespace: 'dev' }, spec }
  return admit(plugin, { on: isClaim ? 'persistentvolumeclaims' : 'pods', operation: 'CREATE', object, namespace: 'dev' })
}

for (const [resource, unit, rows] of [
  ['cpu', 'm', [...pods, ...wholePods]],
  ['memory', 'Mi', [...pods, ...wholePods]],
  ['ephemeral-storage', 'Mi', pods],
] as const)
  test(`${rows.length} pods, limited in ${resource}`, async () => {
    for (const [row, isAllowed] of rows) assert.equal((await verdict(row, resource, unit)) === undefined, isAllowed, JSON.stringify(row))
  })

test(`${claims.length} claims`, async () => {
  for (const [limits, storage, isAllowed] of claims)
    assert.equal((await verdict({ type: 'PersistentVolumeClaim', ...limits, storage }, 'storage', '')) === undefined, isAllowed, storage)
})
