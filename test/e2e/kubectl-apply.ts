import assert from 'node:assert/strict'
import { eventually } from '../support/wait.ts'
import type { Desks } from './kubectl-desk.ts'

const application = (namespace: string, image: string) => `
apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${namespace}}
data: {color: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: ${namespace}}
data: {password: aHVudGVyMg==}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec:
  selector: {app: web}
  ports:
  - {port: 80, targetPort: 8080}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${namespace}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: ${image}
        ports: [{containerPort: 8080}]
        resources: {requests: {cpu: 100m, memory: 64Mi}}
        readinessProbe: {httpGet: {path: /, port: 8080}}
        envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: ${namespace}}
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{name: job, image: busybox, command: [date]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: ${namespace}}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
`

const applied = (namespace: string) => [
  `namespace/${namespace}`,
  'configmap/settings',
  'secret/password',
  'service/web',
  'deployment.apps/web',
  'cronjob.batch/nightly',
  'role.rbac.authorization.k8s.io/reader',
  'rolebinding.rbac.authorization.k8s.io/readers',
]
const said = (objects: readonly string[], what: string) => objects.map((each) => `${each} ${what}\n`).join('')

/** Declarative commands: apply, diff, wait, rollout. */
export function apply(on: Desks): void {
  on('apply of a whole application, twice', async ({ kubectl, file, namespace, minor }) => {
    const home = `${namespace}-app`
    // Kubectl 1.20 does not know batch/v1 CronJob, and compares its lists as atomic.
    const alwaysChanged = minor < 21 ? ['cronjob.batch/nightly'] : []
    const saidAgain = (changed: readonly string[]) =>
      applied(home)
        .map((each) => `${each} ${[...changed, ...alwaysChanged].includes(each) ? 'configured' : 'unchanged'}\n`)
        .join('')
    const path = file('app.yaml', application(home, 'nginx:1'))
    assert.equal(await kubectl.run('apply', '-f', path), said(applied(home), 'created'))
    const versions = () =>
      kubectl.run('get', 'all,cm,secret,role,rolebinding', '-n', home, '-o', 'jsonpath={.items[*].metadata.resourceVersion}')
    const before = await versions()
    assert.equal(await kubectl.run('apply', '-f', path), saidAgain([]))
    assert.equal(await versions(), before)
    const next = file('next.yaml', application(home, 'nginx:2').replace('color: blue', 'shape: round'))
    assert.equal(await kubectl.run('apply', '-f', next), saidAgain(['configmap/settings', 'deployment.apps/web']))
    assert.equal(await kubectl.run('get', 'cm', 'settings', '-n', home, '-o', 'jsonpath={.data}'), '{"shape":"round"}')
    await kubectl.run('apply', 'view-last-applied', 'cm', 'settings', '-n', home)
    // Deleting the namespace may remove the other objects before kubectl deletes them.
    const deleted = await kubectl.run('delete', '-f', next, '--ignore-not-found')
    assert.match(deleted, new RegExp(`^namespace "${home}" deleted`))
    assert.equal((await kubectl.try(['get', 'namespace', home])).code, 1)
  })

  on('apply --dry-run=server stores nothing; --prune and --force work', async ({ kubectl, k, namespace, file }) => {
    const map = (name: string, value: string) => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name, namespace, labels: { set: 'one' } },
      data: { k: value },
    })
    const first = file('one.json', { kind: 'List', apiVersion: 'v1', items: [map('a', '1'), map('b', '1')] })
    assert.match(await k(`apply --dry-run=server -f ${first}`), /^configmap\/a created \((server )?dry run\)\n/)
    assert.equal(await k('get cm -l set=one -o name'), '')
    await k(`apply -f ${first}`)
    const second = file('two.json', map('a', '2'))
    const pruned = await k(
      `apply --prune -l set=one --prune-whitelist=core/v1/ConfigMap -f ${second}`.replace(
        kubectl.binary.minor >= 26 ? 'whitelist' : ' ',
        kubectl.binary.minor >= 26 ? 'allowlist' : ' ',
      ),
    )
    assert.equal(pruned, 'configmap/a configured\nconfigmap/b pruned\n')
    const secret = (type: string) => file(`${type}.json`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's', namespace }, type })
    await k(`apply -f ${secret('one')}`)
    const immutable = await kubectl.try(['apply', '-f', secret('two')])
    assert.match(immutable.stderr, /The Secret "s" is invalid: type: Invalid value: "two": field is immutable/)
    assert.match(await k(`apply --force -f ${secret('two')}`), /secret\/s configured/)
  })

  on('apply --server-side owns fields and reports conflicts', async ({ kubectl, namespace, minor }) => {
    const map = (value: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace }, data: { k: value } })
    assert.equal(await kubectl.pipe(map('1'), 'apply', '--server-side'), 'configmap/a serverside-applied\n')
    assert.equal(await kubectl.pipe(map('1'), 'apply', '--server-side'), 'configmap/a serverside-applied\n')
    const args = ['apply', '--server-side', '--field-manager=other', '-f', '-']
    const conflict = await kubectl.try(args, { stdin: JSON.stringify(map('2')) })
    assert.equal(conflict.code, 1)
    assert.match(conflict.stderr, /conflict with "kubectl"/)
    assert.match(conflict.stderr, /\.data\.k/)
    await kubectl.pipe(map('2'), 'apply', '--server-side', '--field-manager=other', '--force-conflicts')
    const show = minor >= 21 ? ['--show-managed-fields'] : []
    const { metadata, data } = JSON.parse(await kubectl.run('get', 'configmap', 'a', '-n', namespace, '-o', 'json', ...show))
    assert.deepEqual(data, { k: '2' })
    const owner = metadata.managedFields.find((each: { fieldsV1: { 'f:data'?: object } }) => each.fieldsV1['f:data'])
    assert.deepEqual([owner.manager, owner.operation, owner.fieldsV1['f:data']], ['other', 'Apply', { 'f:k': {} }])
  })

  on('diff shows the changes of an apply', async ({ kubectl, k, file, namespace, stored }) => {
    const map = (value: string) =>
      file(`d${value}.json`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace }, data: { k: value } })
    await k(`apply -f ${map('old')}`)
    assert.equal(await k(`diff -f ${map('old')}`), '')
    const changed = await kubectl.try(['diff', '-f', map('new')])
    assert.equal(changed.code, 1, changed.stderr)
    assert.match(changed.stdout, /^- {2}k: old$/m)
    assert.match(changed.stdout, /^\+ {2}k: new$/m)
    assert.equal(await stored('cm a', '.data.k'), 'old')
  })

  on('wait for conditions, fields and deletion', async ({ k, kubectl, api, start, namespace, minor }) => {
    await k('run p --image=i')
    const url = `/api/v1/namespaces/${namespace}/pods/p`
    const ready = start('wait --for=condition=Ready pod/p --timeout=300s')
    await api.patch(
      `${url}/status`,
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      'application/strategic-merge-patch+json',
    )
    const met = await ready.ended
    assert.deepEqual([met.code, met.stdout], [0, 'pod/p condition met\n'], met.stderr)
    if (minor >= 23) {
      const phase = start('wait --for=jsonpath={.status.phase}=Running pod/p --timeout=300s')
      await api.patch(`${url}/status`, { status: { phase: 'Running' } })
      assert.equal((await phase.ended).stdout, 'pod/p condition met\n')
    }
    const late = await start('wait --for=condition=Initialized pod/p --timeout=1s').ended
    assert.equal(late.code, 1)
    assert.match(late.stderr, /timed out waiting for the condition on pods\/p/)
    const gone = start('wait --for=delete pod/p --timeout=300s')
    // Older versions fail if the object is gone before their first request.
    const watched = /^apiserver_longrunning_requests\{[^}]*resource="pods"[^}]*\} [1-9]/m
    await eventually('kubectl watches', async () => watched.test(await kubectl.run('get', '--raw', '/metrics')))
    await k('delete pod p --grace-period=0 --force')
    assert.equal((await gone.ended).code, 0)
  })

  on('rollout history, status, restart, pause, resume and undo', async ({ k, kubectl, api, namespace, try: attempt, stored }) => {
    await k('create deployment web --image=nginx:1')
    const { metadata, spec } = JSON.parse(await k('get deployment web -o json'))
    // As the deployment controller would have written.
    for (const revision of [1, 2]) {
      const labels = { app: 'web', 'pod-template-hash': `h${revision}` }
      await kubectl.pipe(
        {
          kind: 'ReplicaSet',
          apiVersion: 'apps/v1',
          metadata: {
            name: `web-h${revision}`,
            namespace,
            labels,
            annotations: { 'deployment.kubernetes.io/revision': `${revision}`, 'kubernetes.io/change-cause': `change ${revision}` },
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
            ],
          },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { ...spec.template.spec, containers: [{ name: 'nginx', image: `nginx:${revision}` }] },
            },
          },
        },
        'create',
      )
    }
    await k('annotate deployment web deployment.kubernetes.io/revision=2')
    const history = await k('rollout history deployment/web')
    assert.match(history, /^deployment\.apps\/web/)
    assert.match(history, /^1 +change 1$/m)
    assert.match(history, /^2 +change 2$/m)
    assert.match(await k('rollout history deployment/web --revision=1'), /Image:\s+nginx:1/)
    assert.equal(await k('rollout pause deployment/web'), 'deployment.apps/web paused\n')
    assert.match((await attempt('rollout pause deployment/web')).stderr, /already paused/)
    assert.equal(await k('rollout resume deployment/web'), 'deployment.apps/web resumed\n')
    assert.equal(await k('rollout restart deployment/web'), 'deployment.apps/web restarted\n')
    assert.match(await stored('deployment web', '.spec.template.metadata.annotations'), /restartedAt/)
    assert.equal(await k('rollout undo deployment/web --to-revision=2'), 'deployment.apps/web rolled back\n')
    assert.equal(await stored('deployment web', '.spec.template.spec.containers[0].image'), 'nginx:2')
    const generation = Number(await stored('deployment web', '.metadata.generation'))
    const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    await api.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/web/status`, { status })
    assert.equal(await k('rollout status deployment/web'), 'deployment "web" successfully rolled out\n')
  })
}
