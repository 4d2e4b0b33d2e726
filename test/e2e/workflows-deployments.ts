import assert from 'node:assert/strict'
import { eventually } from '../support/wait.ts'
import { type Desk, type Desks, rows } from './kubectl-desk.ts'

/** Acts as the deployment controller: creates a replica set of the template with its revision, and writes the status. */
async function reconcile({ k, kubectl, api, namespace }: Desk, revision: number): Promise<void> {
  const { metadata, spec } = JSON.parse(await k('get deployment web -o json'))
  const labels = { app: 'web', 'pod-template-hash': `h${revision}` }
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true }
  const cause = metadata.annotations?.['kubernetes.io/change-cause']
  await kubectl.pipe(
    {
      kind: 'ReplicaSet',
      apiVersion: 'apps/v1',
      metadata: {
        name: `web-h${revision}`,
        namespace,
        labels,
        annotations: {
          'deployment.kubernetes.io/revision': `${revision}`,
          ...(cause !== undefined && { 'kubernetes.io/change-cause': cause }),
        },
        ownerReferences: [owner],
      },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    },
    'create',
  )
  await k(`annotate deployment web --overwrite deployment.kubernetes.io/revision=${revision}`)
  await settle(api, namespace, spec.replicas)
}

/** Reports this many available pods of the current generation. */
async function settle(api: Desk['api'], namespace: string, replicas: number): Promise<void> {
  const url = `/apis/apps/v1/namespaces/${namespace}/deployments/web`
  const { body } = await api.get(url)
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas }
  const answer = await api.patch(`${url}/status`, { status: { observedGeneration: body.metadata.generation, ...counts } })
  assert.equal(answer.status, 200)
}

/** Work on deployments, from the first image to the rollback. */
export function deploymentWork(on: Desks): void {
  on('set image, resources, env and serviceaccount', async ({ k, try: attempt, stored }) => {
    await k('create deployment web --image=nginx:1')
    const generation = () => stored('deployment web', '.metadata.generation')
    assert.equal(await generation(), '1')
    assert.equal(await k('set image deployment/web nginx=nginx:2'), 'deployment.apps/web image updated\n')
    assert.equal(await generation(), '2')
    assert.equal(await k('set image deployment/web nginx=nginx:2'), '')
    assert.equal(await generation(), '2')
    assert.match(await k('set image deployment/web *=nginx:3 --dry-run=server'), /image updated \(server dry run\)/)
    assert.equal(await generation(), '2')
    assert.equal(
      await k('set resources deployment/web --limits=cpu=200m,memory=64Mi --requests=cpu=100m'),
      'deployment.apps/web resource requirements updated\n',
    )
    assert.equal(
      await stored('deployment web', '.spec.template.spec.containers[0].resources'),
      '{"limits":{"cpu":"200m","memory":"64Mi"},"requests":{"cpu":"100m"}}',
    )
    const wrong = await attempt('set resources deployment/web --limits=cpu=50m')
    assert.match(wrong.stderr, /requests: Invalid value: "100m": must be less than or equal to cpu limit/)
    assert.equal(await k('set serviceaccount deployment/web robot'), 'deployment.apps/web serviceaccount updated\n')
    assert.equal(await stored('deployment web', '.spec.template.spec.serviceAccountName'), 'robot')
    assert.equal(await k('set env deployment/web A=1 B=2'), 'deployment.apps/web env updated\n')
    assert.equal(await k('set env deployment/web A-'), 'deployment.apps/web env updated\n')
    assert.match(await k('set env deployment/web --list'), /^B=2$/m)
    await k('create service clusterip svc --tcp=80')
    assert.equal(await k('set selector service svc app=web'), 'service/svc selector updated\n')
  })

  on('expose creates services for deployments, pods and services', async ({ k, api, namespace }) => {
    await k('create deployment web --image=nginx --port=8080')
    assert.equal(await k('expose deployment web --port=80'), 'service/web exposed\n')
    const spec = async (name: string) => JSON.parse(await k(`get service ${name} -o json`)).spec
    const first = await spec('web')
    assert.deepEqual(first.ports, [{ port: 80, protocol: 'TCP', targetPort: 80 }])
    assert.deepEqual([first.selector, first.type, first.sessionAffinity], [{ app: 'web' }, 'ClusterIP', 'None'])
    assert.match(first.clusterIP, /^10\.0\.0\.\d+$/)
    assert.deepEqual(first.clusterIPs, [first.clusterIP])
    await k('expose deployment web --name=public --port=80 --target-port=http --type=NodePort')
    const second = await spec('public')
    assert.equal(second.ports[0].targetPort, 'http')
    assert(second.ports[0].nodePort >= 30_000 && second.ports[0].nodePort <= 32_767, `node port ${second.ports[0].nodePort}`)
    assert.notEqual(second.clusterIP, first.clusterIP)
    await k('expose service web --name=headless --port=80 --cluster-ip=None')
    assert.equal((await spec('headless')).clusterIP, 'None')
    await k('run p --image=nginx --port=81 --expose')
    assert.equal((await spec('p')).ports[0].port, 81)
    const taken = await api.send('POST', `/api/v1/namespaces/${namespace}/services`, {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'taken' },
      spec: { clusterIP: first.clusterIP, ports: [{ port: 80 }] },
    })
    assert.equal(taken.status, 422)
  })

  on('autoscale creates an autoscaler that both versions show', async ({ k, api, namespace, minor, try: attempt }) => {
    await k('create deployment web --image=nginx')
    assert.equal(
      await k('autoscale deployment web --min=2 --max=5 --cpu-percent=80'),
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    )
    const at = (version: string) => api.get(`/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers/web`)
    const { body: one } = await at('v1')
    assert.deepEqual(one.spec, {
      scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
      minReplicas: 2,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 80,
    })
    const { body: two } = await at('v2')
    assert.deepEqual(two.spec?.['metrics'], [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ])
    const [header, row] = rows(await k('get hpa web'))
    assert.deepEqual(header, ['NAME', 'REFERENCE', 'TARGETS', 'MINPODS', 'MAXPODS', 'REPLICAS', 'AGE'])
    assert.deepEqual(row?.slice(0, 6), ['web', 'Deployment/web', 'cpu: <unknown>/80%', '2', '5', '0'])
    // Older versions describe only versions that were removed.
    if (minor >= 23) assert.match(await k('describe hpa web'), /^Reference: +Deployment\/web$/m)
    const wrong = await attempt('autoscale deployment web --name=wrong --min=6 --max=5')
    assert.equal(wrong.code, 1)
    await k('delete hpa web')
  })

  on('rollout status, history, restart, undo, with the revisions of a controller', async (desk) => {
    const { k, start, api, namespace, try: attempt, stored } = desk
    await k('create deployment web --image=nginx:1')
    const waiting = start('rollout status deployment/web --timeout=300s')
    await waiting.sees(/Waiting for deployment|Waiting for rollout/)
    await reconcile(desk, 1)
    const done = await waiting.ended
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stdout, /deployment "web" successfully rolled out\n$/)

    await k('annotate deployment web kubernetes.io/change-cause=second')
    await k('set image deployment/web nginx=nginx:2')
    await reconcile(desk, 2)
    const history = rows(await k('rollout history deployment/web'))
    assert.deepEqual(
      history.filter(([revision]) => /^\d$/.test(revision ?? '')),
      [
        ['1', '<none>'],
        ['2', 'second'],
      ],
    )
    const image = () => stored('deployment web', '.spec.template.spec.containers[0].image')
    assert.match(await k('rollout undo deployment/web --dry-run=server'), /rolled back \(server dry run\)/)
    assert.equal(await image(), 'nginx:2')
    assert.equal(await k('rollout undo deployment/web'), 'deployment.apps/web rolled back\n')
    assert.equal(await image(), 'nginx:1')
    const nowhere = await attempt('rollout undo deployment/web --to-revision=9')
    assert.match(nowhere.stderr, /unable to find specified revision 9 in history/)
    const again = start('rollout status deployment/web --timeout=300s')
    await k('rollout restart deployment/web')
    await settle(api, namespace, 1)
    assert.equal((await again.ended).code, 0)
    assert.match(await k('get deployment web'), /\nweb +1\/1 +1 +1 +\d+s\n/)
  })

  on('rollout of stateful and daemon sets, with controller revisions', async ({ k, kubectl, api, namespace, file, stored }) => {
    const labels = { app: 'set' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } }
    for (const [kind, plural, more] of [
      ['StatefulSet', 'statefulsets', { serviceName: 's', replicas: 1 }],
      ['DaemonSet', 'daemonsets', {}],
    ] as const) {
      const name = kind.toLowerCase()
      const set = {
        kind,
        apiVersion: 'apps/v1',
        metadata: { name, namespace },
        spec: { selector: { matchLabels: labels }, template, ...more },
      }
      await k(`create -f ${file(`${name}.json`, set)}`)
      const uid = await stored(`${plural} ${name}`, '.metadata.uid')
      for (const revision of [1, 2])
        await kubectl.pipe(
          {
            kind: 'ControllerRevision',
            apiVersion: 'apps/v1',
            metadata: {
              name: `${name}-${revision}`,
              namespace,
              labels,
              ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true }],
            },
            revision,
            data: {
              spec: { template: { ...template, spec: { containers: [{ name: 'c', image: `i:${revision}` }] }, $patch: 'replace' } },
            },
          },
          'create',
        )
      await k(`set image ${name}/${name} c=i:2`)
      const revisions = rows(await k(`rollout history ${name}/${name}`)).map(([first]) => first)
      assert.deepEqual(revisions.slice(2), ['1', '2'])
      assert.equal(await k(`rollout undo ${name}/${name} --to-revision=1`), `${name}.apps/${name} rolled back\n`)
      assert.equal(await stored(`${plural} ${name}`, '.spec.template.spec.containers[0].image'), 'i:1')
      assert.equal(await k(`rollout restart ${name}/${name}`), `${name}.apps/${name} restarted\n`)
      const { body } = await api.get(`/apis/apps/v1/namespaces/${namespace}/${plural}/${name}`)
      assert.equal(body.metadata.generation, 4)
    }
  })

  for (const cascade of ['background', 'foreground', 'orphan'] as const)
    on(`delete --cascade=${cascade} of a replica set with pods`, async ({ k, kubectl, api, namespace, file, start, stored }) => {
      const labels = { app: 'rs' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const set = {
        kind: 'ReplicaSet',
        apiVersion: 'apps/v1',
        metadata: { name: 'rs', namespace },
        spec: { selector: { matchLabels: labels }, template },
      }
      await k(`create -f ${file('rs.json', set)}`)
      const uid = await stored('rs rs', '.metadata.uid')
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid, controller: true, blockOwnerDeletion: true }]
      for (const name of ['a', 'b'])
        await kubectl.pipe(
          {
            kind: 'Pod',
            apiVersion: 'v1',
            metadata: { name, namespace, labels, ownerReferences, ...(name === 'b' && { finalizers: ['example.com/f'] }) },
            spec: template.spec,
          },
          'create',
        )
      const names = () => k('get pods -o name')
      const release = () => api.patch(`/api/v1/namespaces/${namespace}/pods/b`, { metadata: { finalizers: null } })
      if (cascade === 'orphan') {
        await k('delete rs rs --cascade=orphan')
        assert.equal(await names(), 'pod/a\npod/b\n')
        assert.equal(await k('get pods -o jsonpath={.items[*].metadata.ownerReferences}{.items[*].metadata.deletionTimestamp}'), '')
        return
      }
      const deleting = start(`delete rs rs --cascade=${cascade}`)
      await eventually('the pod without finalizer is deleted', async () => (await names()) === 'pod/b\n')
      const left = await k('get rs rs --ignore-not-found -o jsonpath={.metadata.finalizers}{.metadata.deletionTimestamp}')
      if (cascade === 'foreground') assert.match(left, /^\["foregroundDeletion"\]\d{4}-/)
      else assert.equal(left, '')
      await release()
      assert.equal((await deleting.ended).code, 0)
      await eventually('all are deleted', async () => (await k('get pods,rs -o name')) === '')
    })
}
