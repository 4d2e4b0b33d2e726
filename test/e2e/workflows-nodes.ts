import assert from 'node:assert/strict'
import type { TestList } from '../support/api.ts'
import { sleep } from '../support/wait.ts'
import type { Desk, Desks } from './kubectl-desk.ts'

const labels = { app: 'web' }

/** Creates a node for the test. */
async function newNode({ api, namespace }: Desk): Promise<string> {
  const name = `node-of-${namespace}`
  await api.create('/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name } })
  // New nodes have the taint not-ready, which a controller would remove.
  await api.patch(`/api/v1/nodes/${name}`, { spec: { taints: null } })
  return name
}

/** Creates a pod that is running and ready on the node. */
async function runPod({ api, namespace }: Desk, nodeName: string, name: string, metadata: object = {}): Promise<void> {
  const url = `/api/v1/namespaces/${namespace}/pods`
  await api.create(url, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, labels, ...metadata },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
  })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  assert.equal((await api.patch(`${url}/${name}/status`, { status })).status, 200)
}

/** Acts as a kubelet for terminating pods: deletes them. Returns a function that stops it. */
function endPods({ api, namespace }: Desk, node: string): () => Promise<void> {
  let running = true
  const loop = (async () => {
    while (running) {
      const { items }: TestList = await api.list(`/api/v1/namespaces/${namespace}/pods?fieldSelector=spec.nodeName=${node}`)
      for (const { metadata } of items)
        if (metadata.deletionTimestamp) await api.delete(`/api/v1/namespaces/${namespace}/pods/${metadata.name}`, { gracePeriodSeconds: 0 })
      await sleep(50)
    }
  })()
  return async () => {
    running = false
    await loop
  }
}

async function ownedBy({ api, namespace }: Desk, kind: 'ReplicaSet' | 'DaemonSet', plural: string): Promise<object> {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const { metadata } = await api.create(`/apis/apps/v1/namespaces/${namespace}/${plural}`, {
    kind,
    apiVersion: 'apps/v1',
    metadata: { name: plural },
    spec: { selector: { matchLabels: labels }, template },
  })
  return { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: plural, uid: metadata.uid, controller: true, blockOwnerDeletion: true }] }
}

/** Cordon, taint and drain. */
export function nodeWork(on: Desks): void {
  on('cordon and uncordon', async (desk) => {
    const { kubectl } = desk
    const node = await newNode(desk)
    assert.equal(await kubectl.run('cordon', node), `node/${node} cordoned\n`)
    assert.equal(await kubectl.run('cordon', node), `node/${node} already cordoned\n`)
    assert.match(await kubectl.run('get', 'node', node), /SchedulingDisabled/)
    assert.equal(await kubectl.run('get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'), 'true')
    assert.equal(await kubectl.run('uncordon', node), `node/${node} uncordoned\n`)
    assert.equal(await kubectl.run('uncordon', node), `node/${node} already uncordoned\n`)
    assert.doesNotMatch(await kubectl.run('get', 'node', node), /SchedulingDisabled/)
    assert.match(await kubectl.run('describe', 'node', node), /^Unschedulable: +false$/m)
  })

  on('taint: add, change, remove', async (desk) => {
    const { kubectl } = desk
    const node = await newNode(desk)
    const taints = async () => JSON.parse((await kubectl.run('get', 'node', node, '-o', 'jsonpath={.spec.taints}')) || '[]')
    assert.equal(await kubectl.run('taint', 'node', node, 'a=1:NoSchedule', 'b=:NoExecute'), `node/${node} tainted\n`)
    const first: { key: string; value?: string; effect: string }[] = await taints()
    assert.deepEqual(first.map(({ key, value = '', effect }) => `${key}=${value}:${effect}`).toSorted(), ['a=1:NoSchedule', 'b=:NoExecute'])
    const again = await kubectl.try(['taint', 'node', node, 'a=2:NoSchedule'])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /already has a taint|already has \[?a/)
    assert.equal(await kubectl.run('taint', 'node', node, 'a=2:NoSchedule', '--overwrite'), `node/${node} modified\n`)
    assert.equal(await kubectl.run('taint', 'node', node, 'b-', 'a:NoSchedule-'), `node/${node} untainted\n`)
    assert.deepEqual(await taints(), [])
    const wrong = await desk.api.patch(`/api/v1/nodes/${node}`, { spec: { taints: [{ key: 'a', effect: 'Sometimes' }] } })
    assert.equal(wrong.status, 422)
  })

  on('drain evicts pods of controllers, ignores daemon sets, and requires --force for others', async (desk) => {
    const { kubectl, k, minor } = desk
    const node = await newNode(desk)
    await runPod(desk, node, 'managed', await ownedBy(desk, 'ReplicaSet', 'replicasets'))
    await runPod(desk, node, 'daemon', await ownedBy(desk, 'DaemonSet', 'daemonsets'))
    await runPod(desk, node, 'bare')
    const daemon = await kubectl.try(['drain', node, '--force'])
    assert.equal(daemon.code, 1)
    assert.match(daemon.stderr, /cannot delete DaemonSet-managed Pods \(use --ignore-daemonsets to ignore\)/)
    const bare = await kubectl.try(['drain', node, '--ignore-daemonsets'])
    assert.equal(bare.code, 1)
    assert.match(bare.stderr, /\(use --force to override\)/)
    assert.equal(await k('get pods -o name'), 'pod/bare\npod/daemon\npod/managed\n')
    // Older versions first request a version of CustomResourceDefinition that was removed.
    if (minor >= 22) {
      const dry = await kubectl.try(['drain', node, '--ignore-daemonsets', '--force', '--dry-run=server'])
      assert.equal(dry.code, 0, dry.stderr)
      assert.equal(await k('get pods -o name'), 'pod/bare\npod/daemon\npod/managed\n')
    }
    const stop = endPods(desk, node)
    const drained = await kubectl.try(['drain', node, '--ignore-daemonsets', '--force'])
    await stop()
    assert.equal(drained.code, 0, drained.stderr)
    assert.match(drained.stdout, new RegExp(`^node/${node} (drained|evicted)$`, 'm'))
    for (const name of ['managed', 'bare']) assert.match(drained.stdout, new RegExp(`^pod/${name} evicted$`, 'm'))
    assert.equal(await k('get pods -o name'), 'pod/daemon\n')
    assert.equal(await kubectl.run('get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'), 'true')
  })

  on('drain waits for a disruption budget, and continues when the budget is deleted', async (desk) => {
    const { kubectl, k, api, namespace } = desk
    const node = await newNode(desk)
    const owner = await ownedBy(desk, 'ReplicaSet', 'replicasets')
    await runPod(desk, node, 'one', owner)
    await runPod(desk, node, 'two', owner)
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`
    const budget = {
      kind: 'PodDisruptionBudget',
      apiVersion: 'policy/v1',
      metadata: { name: 'budget' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    }
    await api.create(budgets, budget)
    const evict = (name: string, apiVersion = 'policy/v1') =>
      api.send<{ message: string; reason: string; details: { causes: { reason: string; message: string }[] } }>(
        'POST',
        `/api/v1/namespaces/${namespace}/pods/${name}/eviction`,
        { kind: 'Eviction', apiVersion, metadata: { name } },
      )
    const early = await evict('one')
    assert.deepEqual([early.status, early.body.reason], [429, 'TooManyRequests'])
    assert.equal(early.body.details.causes[0]?.message, 'The disruption budget budget is still being processed by the server.')

    const status = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 }
    assert.equal((await api.patch(`${budgets}/budget/status`, { status })).status, 200)
    const stop = endPods(desk, node)
    const draining = kubectl.start('drain', node, '--timeout=300s')
    try {
      await draining.sees(/^pod\/(one|two) evicted$/m)
      const { body } = await api.get(`${budgets}/budget`)
      assert.equal(body.status?.['disruptionsAllowed'], 0)
      assert.equal(Object.keys((body.status?.['disruptedPods'] ?? {}) as object).length, 1)
      assert.equal((await k('get pods -o name')).trim().split('\n').length, 1)
      const [left = ''] = (await k('get pods -o jsonpath={.items[*].metadata.name}')).split(' ')
      // The form used by clients before 1.22.
      const refused = await evict(left, 'policy/v1beta1')
      assert.deepEqual([refused.status, refused.body.reason], [429, 'TooManyRequests'])
      assert.equal(refused.body.message, "Cannot evict pod as it would violate the pod's disruption budget.")
      assert.equal(refused.body.details.causes[0]?.reason, 'DisruptionBudget')
      await k('delete pdb budget')
      const drained = await draining.ended
      assert.equal(drained.code, 0, drained.stderr)
      assert.match(drained.stderr, /\(will retry after 5s\): Cannot evict pod as it would violate the pod's disruption budget\./)
      assert.equal(await k('get pods -o name'), '')
    } finally {
      draining.kill()
      await stop()
    }
  })

  on('drain --disable-eviction deletes pods, whatever the budget', async (desk) => {
    const { kubectl, k, api, namespace } = desk
    const node = await newNode(desk)
    await runPod(desk, node, 'one', await ownedBy(desk, 'ReplicaSet', 'replicasets'))
    const spec = { maxUnavailable: 0, selector: { matchLabels: labels } }
    await api.create(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
      kind: 'PodDisruptionBudget',
      apiVersion: 'policy/v1',
      metadata: { name: 'budget' },
      spec,
    })
    const stop = endPods(desk, node)
    const { code, stdout, stderr } = await kubectl.try(['drain', node, '--disable-eviction'])
    await stop()
    assert.equal(code, 0, stderr)
    assert.match(stdout, /pod\/one (deleted|evicted)/)
    assert.equal(await k('get pods -o name'), '')
  })
}
