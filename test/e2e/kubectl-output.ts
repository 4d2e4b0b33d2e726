import assert from 'node:assert/strict'
import { parse } from 'yaml'
import { type Desks, rows } from './kubectl-desk.ts'

/** Output formats and selectors of kubectl get. */
export function output(on: Desks): void {
  on('get -o wide, yaml, json, name, jsonpath, custom-columns', async ({ k, namespace }) => {
    await k('create deployment web --image=nginx:1')
    await k('run p --image=busybox')
    const [header, row] = rows(await k('get deployments -o wide'))
    assert.deepEqual(header, ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'])
    assert.deepEqual(row?.slice(5), ['nginx', 'nginx:1', 'app=web'])
    const [podHeader, pod] = rows(await k('get pods -o wide'))
    assert.deepEqual(podHeader, ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'])
    assert.deepEqual(pod?.slice(5), ['<none>', '<none>', '<none>', '<none>'])
    const json = JSON.parse(await k('get deployment web -o json'))
    assert.deepEqual([json.kind, json.apiVersion, json.metadata.name], ['Deployment', 'apps/v1', 'web'])
    assert.deepEqual(parse(await k('get deployment web -o yaml')), json)
    const list = JSON.parse(await k('get deployments,pods -o json'))
    assert.deepEqual([list.kind, list.items.map((each: { kind: string }) => each.kind)], ['List', ['Deployment', 'Pod']])
    assert.equal(await k('get deployments,pods -o name'), 'deployment.apps/web\npod/p\n')
    assert.equal(await k('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}'), 'nginx:1')
    assert.equal(await k('get pods -o jsonpath={.items[*].metadata.namespace}'), namespace)
    const columns = await k('get pods -o custom-columns=N:.metadata.name,I:.spec.containers[*].image')
    assert.deepEqual(rows(columns), [
      ['N', 'I'],
      ['p', 'busybox'],
    ])
    assert.equal(await k('get pods --no-headers -o custom-columns=N:.metadata.name'), 'p\n')
    assert.match(await k('get pods --show-labels'), /LABELS\np .* run=p\n/)
    assert.match(await k('get pods -L run'), /RUN\np .* p\n/)
    assert.match(await k('get pods --sort-by=.metadata.name'), /^NAME .*\np /)
  })

  on('columns of common kinds', async ({ k, kubectl, namespace }) => {
    const headers: { readonly [kind: string]: string } = {
      configmaps: 'NAME DATA AGE',
      secrets: 'NAME TYPE DATA AGE',
      services: 'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE',
      jobs: 'NAME STATUS COMPLETIONS DURATION AGE',
      cronjobs: 'NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE',
      roles: 'NAME CREATED AT',
      rolebindings: 'NAME ROLE AGE',
      statefulsets: 'NAME READY AGE',
      daemonsets: 'NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE SELECTOR AGE',
      replicasets: 'NAME DESIRED CURRENT READY AGE',
      persistentvolumeclaims: 'NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE',
      leases: 'NAME HOLDER AGE',
      endpoints: 'NAME ENDPOINTS AGE',
      events: 'LAST SEEN TYPE REASON OBJECT MESSAGE',
    }
    await kubectl.pipe(namespaced(namespace), 'apply', `--namespace=${namespace}`)
    for (const [kind, expected] of Object.entries(headers)) {
      const [header] = rows(await k(`get ${kind}`))
      assert.equal(header?.join(' '), expected, kind)
    }
    assert.match(await kubectl.run('get', 'namespaces'), new RegExp(`^NAME +STATUS +AGE\\n(.*\\n)*${namespace} +Active +\\d+s\\n`))
    assert.match(await kubectl.run('get', 'clusterroles', 'cluster-admin'), /^NAME +CREATED AT\ncluster-admin +\d{4}-/)
    const service = rows(await k('get service svc'))[1]
    assert.deepEqual([service?.[0], service?.[1], service?.[3], service?.[4]], ['svc', 'ClusterIP', '<none>', '80/TCP'])
    assert.deepEqual(rows(await k('get secret se'))[1]?.slice(0, 3), ['se', 'Opaque', '1'])
    assert.deepEqual(rows(await k('get job once'))[1]?.slice(0, 3), ['once', 'Running', '0/1'])
    assert.deepEqual(rows(await k('get cronjob often'))[1]?.slice(0, 6), ['often', '*/5 * * * *', '<none>', 'False', '0', '<none>'])
    assert.deepEqual(rows(await k('get rolebinding rb'))[1]?.slice(0, 2), ['rb', 'Role/r'])
  })

  on('--selector, --field-selector and --all-namespaces', async ({ k, kubectl, namespace }) => {
    await k('run a --image=i --labels=tier=web,env=test')
    await k('run b --image=i --labels=tier=web')
    await k('run c --image=i --labels=tier=db')
    assert.equal(await k('get pods -l tier=web -o name'), 'pod/a\npod/b\n')
    assert.equal(await k('get pods -l', 'tier in (web,db),!env', '-o', 'name'), 'pod/b\npod/c\n')
    assert.equal(await k('get pods --selector=tier!=web -o name'), 'pod/c\n')
    assert.equal(await k('get pods --field-selector=metadata.name=b -o name'), 'pod/b\n')
    assert.equal(await k('get pods --field-selector=status.phase=Pending,metadata.name!=a -o name'), 'pod/b\npod/c\n')
    const everywhere = rows(await kubectl.run('get', 'pods', '--all-namespaces'))
    assert.deepEqual(everywhere[0], ['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'])
    assert.deepEqual(
      everywhere.filter(([where]) => where === namespace).map(([, name]) => name),
      ['a', 'b', 'c'],
    )
    const bad = await kubectl.try(['get', 'pods', '-n', namespace, '--field-selector=spec.color=red'])
    assert.equal(bad.code, 1)
    assert.match(bad.stderr, /field label not supported: spec\.color/)
    assert.match((await kubectl.try(['get', 'pods', '-n', namespace, '-l', 'none=of'])).stderr, /^No resources found in /)
    assert.equal((await k('get pods --chunk-size=1 -o name')).split('\n').length, 4)
  })

  on('get -w shows changes', async ({ k, start }) => {
    await k('create configmap first')
    const watching = start('get configmaps -w -o name')
    const events = start('get configmaps --watch-only -o custom-columns=N:.metadata.name,V:.data.v --no-headers')
    try {
      await watching.sees(/^configmap\/first\n/)
      await k('create configmap second')
      await watching.sees(/^configmap\/second\n/m)
      await k('patch configmap second -p', '{"data":{"v":"changed"}}')
      await events.sees(/^second +changed\n/m)
      await k('delete configmap second')
      await watching.sees(/(configmap\/second\n.*){3}/s)
    } finally {
      watching.kill()
      events.kill()
    }
    const table = start('get pods -w')
    try {
      await k('run p --image=i')
      await table.sees(/^NAME +READY +STATUS +RESTARTS +AGE\np +0\/1 +Pending +0 +\d+s\n/)
    } finally {
      table.kill()
    }
  })
}

const labels = { app: 'x' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }

/** One object of each kind with tested columns. */
function namespaced(namespace: string) {
  const object = (apiVersion: string, kind: string, name: string, rest: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...rest,
  })
  const selector = { matchLabels: labels }
  const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } }
  return {
    kind: 'List',
    apiVersion: 'v1',
    items: [
      object('v1', 'ConfigMap', 'cm', { data: { a: '1' } }),
      object('v1', 'Secret', 'se', { stringData: { p: 'w' } }),
      object('v1', 'Service', 'svc', { spec: { selector: labels, ports: [{ port: 80 }] } }),
      object('batch/v1', 'Job', 'once', { spec: job }),
      object('batch/v1', 'CronJob', 'often', { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: job } } }),
      object('rbac.authorization.k8s.io/v1', 'Role', 'r', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
      object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rb', {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }],
      }),
      object('apps/v1', 'StatefulSet', 'ss', { spec: { serviceName: 'svc', selector, template } }),
      object('apps/v1', 'DaemonSet', 'ds', { spec: { selector, template } }),
      object('apps/v1', 'ReplicaSet', 'rs', { spec: { selector, template } }),
      object('v1', 'PersistentVolumeClaim', 'pvc', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      object('coordination.k8s.io/v1', 'Lease', 'le', { spec: { holderIdentity: 'me' } }),
      object('v1', 'Endpoints', 'ep', { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }] }),
      object('v1', 'Event', 'ev', {
        involvedObject: { kind: 'Pod', name: 'p', namespace },
        type: 'Normal',
        reason: 'Test',
        message: 'hello',
        lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
      }),
    ],
  }
}
