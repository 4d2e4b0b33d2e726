/** Deployments, stateful sets, daemon sets and jobs. */
import type { TestObject } from '../../support/api.ts'
import { conditionsOf, isReady, isTrue, numbersOf, patch, type Scenario, selecting, template } from '../scenario.ts'

const imageOf = ({ spec }: TestObject) => ((spec?.['containers'] ?? []) as readonly { image: string }[])[0]?.image
const status = (object: TestObject, field: string) => object.status?.[field]
const observed = ({ metadata, status: { observedGeneration } = {} }: TestObject) => observedGeneration === metadata.generation

const deployment: Scenario = {
  name: 'a deployment is rolled out, updated, scaled and rolled back',
  async run({ api, path, until, pods }) {
    const web = path('apps/v1', 'deployments', 'web')
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'web' },
      spec: { replicas: 5, selector: selecting('web'), template: template('web') },
    })
    const first = await until(web, 'five pods are ready', (each) => status(each, 'readyReplicas') === 5 && observed(each))
    await patch(api, web, { spec: { template: { spec: { containers: [{ name: 'main', image: 'example/main:2' }] } } } })
    const all = 'all pods are updated'
    const isUpdated = (count: number) => (each: TestObject) =>
      observed(each) &&
      status(each, 'updatedReplicas') === count &&
      status(each, 'availableReplicas') === count &&
      status(each, 'replicas') === count
    await until(web, all, isUpdated(5))
    const images = (await pods('app=web', 'old pods are gone', (found) => found.length === 5)).map(imageOf)
    const scale = await api.patch(`${web}/scale`, { spec: { replicas: 2 } })
    await until(web, 'two pods remain', isUpdated(2))
    await patch(api, web, { spec: { template: { spec: { containers: [{ name: 'main', image: 'example/main:1' }] } } } })
    const last = await until(web, all, isUpdated(2))
    const sets = (await api.list(path('apps/v1', 'replicasets'))).items
    return {
      first: conditionsOf(first),
      images: [...new Set(images)],
      scale: scale.body.spec,
      last: [conditionsOf(last), last.metadata.annotations],
      counts: numbersOf(last, 'replicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas', 'unavailableReplicas'),
      sets: sets.map(({ spec, metadata }) => [spec?.['replicas'], metadata.annotations]).toSorted(),
    }
  },
}

const statefulSet: Scenario = {
  name: 'a stateful set starts its pods in order, with claims of their own, and removes the last first',
  async run({ api, path, until, pods }) {
    const db = path('apps/v1', 'statefulsets', 'db')
    for (const index of [0, 1]) {
      await api.create('/api/v1/persistentvolumes', {
        metadata: { name: `db-volume-${index}` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'manual',
          hostPath: { path: `/tmp/db-${index}` },
        },
      })
    }
    await api.create(path('apps/v1', 'statefulsets'), {
      metadata: { name: 'db' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: selecting('db'),
        template: template('db'),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    })
    const done = await until(db, 'two pods are ready', (each) => status(each, 'readyReplicas') === 2 && observed(each))
    const [first, second] = (await pods('app=db', 'two pods', (found) => found.length === 2)).toSorted((a, b) =>
      a.metadata.name < b.metadata.name ? -1 : 1,
    )
    await patch(api, db, { spec: { replicas: 1 } })
    const rest = await pods('app=db', 'one pod remains', (found) => found.length === 1)
    const claims = (await api.list(path('v1', 'persistentvolumeclaims'))).items
    return {
      counts: numbersOf(done, 'replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'),
      names: [first?.metadata.name, second?.metadata.name],
      labels: Object.keys(first?.metadata.labels ?? {}).toSorted(),
      inOrder: String(first?.metadata.creationTimestamp) <= String(second?.metadata.creationTimestamp),
      rest: rest.map(({ metadata }) => metadata.name),
      claims: claims.map((claim) => [claim.metadata.name, claim.status?.['phase'], claim.status?.['capacity']]).toSorted(),
    }
  },
}

const daemonSet: Scenario = {
  name: 'a daemon set runs on every node that it selects',
  async run({ api, path, until, pods }) {
    const agent = path('apps/v1', 'daemonsets', 'agent')
    await api.create(path('apps/v1', 'daemonsets'), {
      metadata: { name: 'agent' },
      spec: { selector: selecting('agent'), template: template('agent') },
    })
    const everywhere = await until(agent, 'it is ready on all nodes', (each) => status(each, 'numberReady') === 3 && observed(each))
    const nodes = (await pods('app=agent', 'three pods', (found) => found.length === 3)).map(({ spec }) => spec?.['nodeName'])
    await patch(api, agent, { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } } } } })
    const once = await until(
      agent,
      'it is ready on one node',
      (each) =>
        status(each, 'desiredNumberScheduled') === 1 &&
        status(each, 'updatedNumberScheduled') === 1 &&
        status(each, 'numberReady') === 1 &&
        status(each, 'numberMisscheduled') === 0,
    )
    const fields = ['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'numberAvailable', 'updatedNumberScheduled']
    return { nodes: nodes.toSorted(), everywhere: numbersOf(everywhere, ...fields), once: numbersOf(once, ...fields) }
  },
}

const job: Scenario = {
  name: 'a job is suspended, resumed, ends at its deadline and is removed after its time to live',
  async run({ api, path, until, pods, gone }) {
    const once = path('batch/v1', 'jobs', 'once')
    await api.create(path('batch/v1', 'jobs'), {
      metadata: { name: 'once' },
      spec: {
        suspend: true,
        parallelism: 2,
        completions: 2,
        template: template('once', { restartPolicy: 'Never' }),
      },
    })
    const suspended = await until(once, 'it is suspended', (each) => isTrue(each, 'Suspended'))
    await patch(api, once, { spec: { suspend: false } })
    const active = await until(once, 'two pods are active and ready', (each) => status(each, 'active') === 2 && status(each, 'ready') === 2)
    await pods('job-name=once', 'pods have the labels of the job', (found) => found.length === 2)
    await patch(api, once, { spec: { activeDeadlineSeconds: 1 } })
    const failed = await until(once, 'it failed', (each) => isTrue(each, 'Failed'))
    await pods('job-name=once', 'pods are gone', (found) => found.length === 0)
    await patch(api, once, { spec: { ttlSecondsAfterFinished: 0 } })
    await gone(once)
    return {
      suspended: conditionsOf(suspended),
      active: [conditionsOf(active), numbersOf(active, 'active', 'ready', 'terminating')],
      failed: conditionsOf(failed),
    }
  },
}

const rescheduled: Scenario = {
  name: 'pods of a lost node are evicted and started on others; the node comes back',
  async run({ api, cluster, path, until, pods }) {
    const program = await cluster.startNode('lost')
    await until('/api/v1/nodes/lost', 'it is ready', (each) => isTrue(each, 'Ready'))
    const soon = (key: string) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 })
    const preference = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['lost'] }] }
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'moving' },
      spec: {
        replicas: 2,
        selector: selecting('moving'),
        template: template('moving', {
          tolerations: [soon('not-ready'), soon('unreachable')],
          affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] } },
        }),
      },
    })
    const nodeOf = ({ spec }: TestObject) => spec?.['nodeName']
    await pods(
      'app=moving',
      'they are ready on the node',
      (found) => found.length === 2 && found.every((each) => isReady(each) && nodeOf(each) === 'lost'),
    )
    await program.stop()
    const lost = await until('/api/v1/nodes/lost', 'it is unreachable', (each) =>
      ((each.spec?.['taints'] ?? []) as readonly { effect: string }[]).some(({ effect }) => effect === 'NoExecute'),
    )
    const moved = await pods(
      'app=moving',
      'they are ready elsewhere',
      (found) => found.filter((each) => isReady(each) && nodeOf(each) !== 'lost').length === 2,
    )
    const again = await cluster.startNode('lost')
    const back = await until(
      '/api/v1/nodes/lost',
      'it is ready again',
      (each) => isTrue(each, 'Ready') && each.spec?.['taints'] === undefined,
    )
    await pods('app=moving', 'the old pods are gone', (found) => found.length === 2 && found.every(isReady))
    await again.stop()
    await api.delete('/api/v1/nodes/lost')
    return {
      lost: [
        conditionsOf(lost),
        ((lost.spec?.['taints'] ?? []) as { key: string; effect: string }[]).map(({ key, effect }) => `${key}:${effect}`).toSorted(),
      ],
      moved: moved.length >= 2,
      back: conditionsOf(back),
    }
  },
}

export const workloads: readonly Scenario[] = [deployment, statefulSet, daemonSet, job, rescheduled]
