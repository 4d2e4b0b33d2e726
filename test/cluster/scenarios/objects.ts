/** Volumes, services, quotas, budgets, autoscaling, certificates, garbage and namespaces. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { assertFailure } from '../../support/api.ts'
import { conditionsOf, isReady, isTrue, numbersOf, patch, type Scenario, selecting, template } from '../scenario.ts'
import { certificateRequest } from './certificate-request.ts'

const volumes: Scenario = {
  name: 'a claim binds a volume, stays while a pod uses it, and releases the volume',
  async run({ api, path, until, gone }) {
    await api.create('/api/v1/persistentvolumes', {
      metadata: { name: 'kept' },
      spec: {
        capacity: { storage: '2Gi' },
        accessModes: ['ReadWriteMany'],
        storageClassName: 'kept',
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/tmp/kept' },
      },
    })
    await api.create(path('v1', 'persistentvolumeclaims'), {
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteMany'], storageClassName: 'kept', resources: { requests: { storage: '1Gi' } } },
    })
    const claim = path('v1', 'persistentvolumeclaims', 'claim')
    const bound = await until(claim, 'it is bound', ({ status }) => status?.['phase'] === 'Bound')
    await api.create(path('v1', 'pods'), {
      metadata: { name: 'user' },
      spec: { ...template('user').spec, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] },
    })
    await until(path('v1', 'pods', 'user'), 'it is ready', isReady)
    await api.delete(claim)
    const waiting = await until(claim, 'it waits for the pod', ({ metadata }) => metadata.deletionTimestamp !== undefined)
    await api.delete(path('v1', 'pods', 'user'))
    await gone(claim)
    const released = await until('/api/v1/persistentvolumes/kept', 'it is released', ({ status }) => status?.['phase'] === 'Released')
    await api.delete('/api/v1/persistentvolumes/kept')
    await gone('/api/v1/persistentvolumes/kept')
    return {
      bound: [bound.status, bound.spec?.['volumeName'], Object.keys(bound.metadata.annotations ?? {}).toSorted()],
      waiting: waiting.metadata.finalizers,
      released: released.status?.['phase'],
    }
  },
}

const services: Scenario = {
  name: 'a service has the ready pods as endpoints',
  async run({ api, path, until, pods }) {
    await api.create(path('v1', 'services'), {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    })
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: selecting('web'), template: template('web') },
    })
    await pods('app=web', 'they are ready', (found) => found.length === 2 && found.every(isReady))
    const slices = path('discovery.k8s.io/v1', 'endpointslices')
    const endpoints = await until(path('v1', 'endpoints', 'web'), 'two addresses', (each) => {
      const { subsets } = each as unknown as { subsets?: readonly { addresses?: readonly object[] }[] }
      return subsets?.[0]?.addresses?.length === 2
    })
    const { items } = await api.list(`${slices}?labelSelector=kubernetes.io%2Fservice-name%3Dweb`)
    const [slice] = items as unknown as readonly {
      ports: object
      endpoints: readonly { conditions: object }[]
      metadata: { labels: object }
    }[]
    await api.patch(path('apps/v1', 'deployments', 'web'), { spec: { replicas: 0 } })
    const empty = await until(path('v1', 'endpoints', 'web'), 'no addresses', (each) => !('subsets' in each))
    return {
      slice: [slice?.ports, slice?.endpoints.map(({ conditions }) => conditions), slice?.metadata.labels],
      labels: endpoints.metadata.labels,
      empty: empty.kind,
    }
  },
}

const autoscaling: Scenario = {
  name: 'an autoscaler without metrics keeps to its bounds and says what is missing',
  async run({ api, path, until }) {
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'elastic' },
      spec: { replicas: 1, selector: selecting('elastic'), template: template('elastic') },
    })
    await api.create(path('autoscaling/v2', 'horizontalpodautoscalers'), {
      metadata: { name: 'elastic' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'elastic' },
        minReplicas: 3,
        maxReplicas: 4,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      },
    })
    const scaled = await until(
      path('apps/v1', 'deployments', 'elastic'),
      'it has the minimum',
      ({ status }) => status?.['readyReplicas'] === 3,
    )
    const autoscaler = await until(path('autoscaling/v2', 'horizontalpodautoscalers', 'elastic'), 'it has conditions', (each) =>
      conditionsOf(each).some((text) => text.includes('FailedGetResourceMetric')),
    )
    return {
      replicas: scaled.spec?.['replicas'],
      autoscaler: [conditionsOf(autoscaler), numbersOf(autoscaler, 'currentReplicas', 'desiredReplicas')],
    }
  },
}

const quotas: Scenario = {
  name: 'a quota counts what is there, and refuses more',
  async run({ api, path, until }) {
    await api.create(path('v1', 'resourcequotas'), { metadata: { name: 'few' }, spec: { hard: { pods: '2', 'count/secrets': '5' } } })
    await until(path('v1', 'resourcequotas', 'few'), 'it is counted', ({ status }) => status?.['used'] !== undefined)
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'many' },
      spec: { replicas: 4, selector: selecting('many'), template: template('many') },
    })
    const deployment = await until(
      path('apps/v1', 'deployments', 'many'),
      'two pods, and a failure',
      (each) => isTrue(each, 'ReplicaFailure') && each.status?.['readyReplicas'] === 2,
    )
    const quota = await until(
      path('v1', 'resourcequotas', 'few'),
      'two pods',
      ({ status }) => (status?.['used'] as { pods?: string })?.pods === '2',
    )
    return { deployment: conditionsOf(deployment), quota: quota.status }
  },
}

const budgets: Scenario = {
  name: 'a disruption budget refuses the second eviction',
  async run({ api, path, until, pods }) {
    await api.create(path('policy/v1', 'poddisruptionbudgets'), {
      metadata: { name: 'one' },
      spec: { minAvailable: 2, selector: selecting('guarded') },
    })
    await api.create(path('apps/v1', 'deployments'), {
      metadata: { name: 'guarded' },
      spec: { replicas: 2, selector: selecting('guarded'), template: template('guarded') },
    })
    const [first] = await pods('app=guarded', 'they are ready', (found) => found.length === 2 && found.every(isReady))
    const at = path('policy/v1', 'poddisruptionbudgets', 'one')
    const budget = await until(at, 'it is counted', ({ status }) => status?.['currentHealthy'] === 2)
    const evict = () =>
      api.send('POST', path('v1', 'pods', String(first?.metadata.name), 'eviction'), { metadata: { name: first?.metadata.name } })
    const refused = assertFailure(await evict(), 429, 'TooManyRequests')
    await patch(api, at, { spec: { minAvailable: 1 } })
    await until(at, 'one disruption is allowed', ({ status }) => status?.['disruptionsAllowed'] === 1)
    const evicted = await evict()
    return {
      budget: [conditionsOf(budget), numbersOf(budget, 'currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods')],
      refused: [refused.message, refused.details?.causes],
      evicted: evicted.status,
    }
  },
}

const certificates: Scenario = {
  name: 'a certificate is requested, approved, signed and used',
  async run({ api, cluster, until, namespace }) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const name = `csr-${namespace}`
    const at = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`
    await api.create('/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      metadata: { name },
      spec: {
        request: Buffer.from(certificateRequest('jane', ['dev'], publicKey, privateKey)).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    })
    const condition = { type: 'Approved', status: 'True', reason: 'Tested', message: 'by a test' }
    const { body } = await api.get(at)
    assert.equal((await api.send('PUT', `${at}/approval`, { ...body, status: { conditions: [condition] } })).status, 200)
    const signed = await until(at, 'it has a certificate', ({ status }) => typeof status?.['certificate'] === 'string')
    const certificate = Buffer.from(String(signed.status?.['certificate']), 'base64').toString()
    const jane = cluster.as(certificate, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    const who = await jane.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    await api.delete(at)
    const { username, groups } = (who.body.status?.['userInfo'] ?? {}) as { username?: string; groups?: readonly string[] }
    return { conditions: conditionsOf(signed), username, groups }
  },
}

const accounts: Scenario = {
  name: 'a new namespace gets a service account and the root certificate, and a pod gets a token',
  async run({ api, path, until }) {
    const account = await until(path('v1', 'serviceaccounts', 'default'), 'it exists', () => true)
    const root = await until(path('v1', 'configmaps', 'kube-root-ca.crt'), 'it exists', () => true)
    await api.create(path('v1', 'pods'), { metadata: { name: 'plain' }, spec: template('plain').spec })
    const pod = await until(path('v1', 'pods', 'plain'), 'it is ready', isReady)
    const [mount] = (pod.spec?.['volumes'] ?? []) as readonly { projected?: { sources: readonly object[] } }[]
    return {
      account: account.kind,
      root: Object.keys(root.data ?? {}),
      // A distribution of the reference may add sources.
      sources: mount?.projected?.sources.slice(0, 3),
      pod: [conditionsOf(pod), pod.status?.['phase'], pod.status?.['qosClass']],
    }
  },
}

const garbage: Scenario = {
  name: 'dependents are deleted in the foreground, in the background, or stay as orphans',
  async run({ api, path, gone, pods, until }) {
    const create = async (name: string) => {
      await api.create(path('apps/v1', 'replicasets'), {
        metadata: { name },
        spec: { replicas: 1, selector: selecting(name), template: template(name) },
      })
      await until(path('apps/v1', 'replicasets', name), 'its pod is ready', ({ status }) => status?.['readyReplicas'] === 1)
    }
    const rest: { [policy: string]: unknown } = {}
    for (const policy of ['Foreground', 'Background', 'Orphan']) {
      const name = policy.toLowerCase()
      await create(name)
      await api.delete(path('apps/v1', 'replicasets', name), { propagationPolicy: policy })
      await gone(path('apps/v1', 'replicasets', name))
      const left = await pods(`app=${name}`, 'as the policy says', (found) => found.length === (policy === 'Orphan' ? 1 : 0))
      rest[policy] = left.map(({ metadata }) => (metadata as { ownerReferences?: unknown }).ownerReferences ?? 'no owner')
    }
    return rest
  },
}

const namespaces: Scenario = {
  name: 'a namespace is deleted with everything in it',
  async run({ api, gone, namespace }) {
    const name = `${namespace}-whole`
    const below = (groupVersion: string, plural: string) =>
      `${groupVersion === 'v1' ? '/api' : '/apis'}/${groupVersion}/namespaces/${name}/${plural}`
    await api.create('/api/v1/namespaces', { metadata: { name } })
    await api.create(below('v1', 'secrets'), { metadata: { name: 's' } })
    await api.create(below('v1', 'services'), { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } })
    await api.create(below('batch/v1', 'cronjobs'), {
      metadata: { name: 'c' },
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: template('c', { restartPolicy: 'Never' }) } } },
    })
    await api.create(below('apps/v1', 'deployments'), {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: selecting('web'), template: template('web') },
    })
    const deleted = await api.delete(`/api/v1/namespaces/${name}`)
    await gone(`/api/v1/namespaces/${name}`)
    return [deleted.status, deleted.body.status]
  },
}

export const objects: readonly Scenario[] = [volumes, services, autoscaling, quotas, budgets, certificates, accounts, garbage, namespaces]
