/** Rules that compare items with each other, on bodies of the largest size: each of these took minutes, or would have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers } from '../../core/access/authz/rbac-covers.ts'
import { aggregate } from '../../core/resources/core/pod-requests.ts'
import { processorTime } from '../support/cost.ts'
import { serverForTests } from '../support/in-process.ts'

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const pods = '/api/v1/namespaces/default/pods'
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
/** Milliseconds of processor time; the machine may be busy, and quadratic work takes ten times as long and more. */
const most = 6_000

async function cheap<T>(work: () => T | Promise<T>): Promise<T> {
  const { result, milliseconds } = await processorTime(work)
  assert.ok(milliseconds < most, `${milliseconds} ms`)
  return result
}

test('updates of pods with many tolerations', async () => {
  const tolerations = times(25_000, (index) => ({ key: `k${index}`, operator: 'Exists' }))
  const pod = await api.create(pods, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'a', image: 'a' }], tolerations },
  })
  const all = pod.spec?.['tolerations'] as object[]
  const more = { ...pod, spec: { ...pod.spec, tolerations: [...all.toReversed(), { key: 'new', operator: 'Exists' }] } }
  assert.equal((await cheap(() => api.send('PUT', `${pods}/a`, more))).status, 200)
  const fewer = { ...pod, metadata: { ...pod.metadata, resourceVersion: '' }, spec: { ...pod.spec, tolerations: all.slice(1) } }
  assert.equal((await cheap(() => api.send('PUT', `${pods}/a`, fewer))).status, 422)
})

test('pods with a resource of its own in each of many containers', async () => {
  const container = (index: number) => ({
    name: `c${index}`,
    image: 'a',
    resources: { limits: { [`hugepages-${index + 1}Mi`]: `${index + 1}Mi`, cpu: '1' } },
  })
  const spec = { containers: times(8_000, container), resources: { requests: { cpu: '8000' } } }
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'b' }, spec }
  assert.ok((await cheap(() => api.send('POST', `${pods}?dryRun=All`, pod))).status < 500)
})

test('sums of what containers need', async () => {
  const sidecar = (index: number) => ({
    name: `s${index}`,
    restartPolicy: 'Always',
    resources: { limits: { [`e.com/s${index}`]: '1', cpu: '1' } },
  })
  const starter = (index: number) => ({ name: `i${index}`, resources: { limits: { [`e.com/i${index}`]: '1', cpu: '2' } } })
  const mixed = times(20_000, (index) => (index % 2 === 0 ? sidecar(index) : starter(index)))
  const sum = await cheap(() => aggregate([{ name: 'a', resources: { limits: { cpu: '3' } } }] as never, mixed as never, 'limits'))
  assert.equal(Object.keys(sum).length, 20_001)
  // The last starter runs beside all sidecars; after it, these run beside the container.
  assert.equal(sum['cpu'], String(10_000 + 3))
  assert.equal(aggregate([], mixed.slice(0, 2) as never, 'limits')['cpu'], '3')
})

test('jobs with many ranges of indexes', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs'
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } }
  const spec = {
    completionMode: 'Indexed',
    completions: 100_000,
    parallelism: 10,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 5_000,
    template,
  }
  const job = await api.create(jobs, { kind: 'Job', apiVersion: 'batch/v1', metadata: { name: 'a' }, spec })
  const even = times(50_000, (index) => 2 * index).join(',')
  const odd = times(50_000, (index) => 2 * index + 1)
  const status = (failedIndexes: string, on: object = job) => ({
    ...on,
    status: { startTime: '2026-01-01T00:00:00Z', completedIndexes: even, failedIndexes },
  })
  const disjoint = await cheap(() => api.send('PUT', `${jobs}/a/status`, status(odd.join(','))))
  assert.equal(disjoint.status, 200)
  const both = await cheap(() => api.send('PUT', `${jobs}/a/status`, status([...odd.slice(0, -2), 99_998].join(','), disjoint.body)))
  assert.match(JSON.stringify(both.body), /overlap at index: 99998/)
})

test('rules of roles with many names', async () => {
  const names = times(60_000, (index) => `n${index}`)
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: names }
  const missing = await cheap(() => covers([rule], [{ ...rule, resourceNames: names.toReversed() }]))
  assert.deepEqual(missing, [])
})
