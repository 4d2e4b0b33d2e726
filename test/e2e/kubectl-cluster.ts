import assert from 'node:assert/strict'
import { eventually } from '../support/wait.ts'
import { type Desks, rows } from './kubectl-desk.ts'

/** Cluster information, rights, and deletion of namespaces. */
export function cluster(on: Desks): void {
  on('version, api-versions, api-resources, cluster-info', async ({ kubectl, minor }) => {
    const { serverVersion } = JSON.parse(await kubectl.run('version', '-o', 'json'))
    assert.deepEqual([serverVersion.major, serverVersion.minor], ['1', '36'])
    assert.match(serverVersion.gitVersion, /^v1\.36\./)
    assert.match(await kubectl.run('version'), /Server Version: .*v1\.36\./)
    const versions = (await kubectl.run('api-versions')).trim().split('\n')
    for (const each of ['v1', 'apps/v1', 'batch/v1', 'rbac.authorization.k8s.io/v1', 'coordination.k8s.io/v1', 'authorization.k8s.io/v1'])
      assert(versions.includes(each), each)
    const table = rows(await kubectl.run('api-resources'))
    assert.deepEqual(table[0], ['NAME', 'SHORTNAMES', minor >= 20 ? 'APIVERSION' : 'APIGROUP', 'NAMESPACED', 'KIND'])
    const line = (name: string) => table.find(([each]) => each === name)
    assert.deepEqual(line('configmaps'), ['configmaps', 'cm', 'v1', 'true', 'ConfigMap'])
    assert.deepEqual(line('deployments'), ['deployments', 'deploy', 'apps/v1', 'true', 'Deployment'])
    assert.deepEqual(line('clusterroles'), ['clusterroles', 'rbac.authorization.k8s.io/v1', 'false', 'ClusterRole'])
    assert.match(await kubectl.run('api-resources', '--api-group=batch', '-o', 'name'), /^cronjobs\.batch\njobs\.batch\n$/)
    assert.doesNotMatch(await kubectl.run('api-resources', '--namespaced=false', '-o', 'name'), /^pods$/m)
    assert.equal(await kubectl.run('get', '--raw', '/healthz'), 'ok')
    assert.match(await kubectl.run('get', '--raw', '/readyz?verbose'), /^\[\+\]ping ok\n[\s\S]*readyz check passed\n$/)
  })

  on('explain', async ({ kubectl }) => {
    const pod = await kubectl.run('explain', 'pod')
    assert.match(pod, /^KIND: +Pod\nVERSION: +v1\n/)
    assert.match(pod, /^ {2,3}spec\s+<(PodSpec|Object)>/m)
    const containers = await kubectl.run('explain', 'deployment.spec.template.spec.containers')
    assert.match(containers, /(FIELD|RESOURCE): +containers <\[\](Container|Object)>/)
    assert.match(containers, /image\s+<string>/)
    assert.match(containers, /name\s+<string> +-required-/)
    assert.match(await kubectl.run('explain', 'cronjob.spec', '--recursive'), /schedule\s+<string>/)
    const missing = await kubectl.try(['explain', 'pod.spec.nothing'])
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /field "nothing" does not exist/)
  })

  on('auth can-i, for oneself and --as another user', async ({ k, kubectl, try: attempt, namespace }) => {
    assert.equal(await k('auth can-i create deployments'), 'yes\n')
    await k('create role reader --verb=get,list --resource=configmaps')
    await k('create rolebinding readers --role=reader --user=jane --group=readers')
    await k('create configmap a')
    const asks = async (question: string) => {
      const { code, stdout } = await attempt(`auth can-i ${question}`)
      return [code, stdout.trim().split(' ')[0]]
    }
    await eventually('the binding is in effect', async () => (await asks('list configmaps --as=jane'))[1] === 'yes')
    assert.deepEqual(await asks('list configmaps --as=jane'), [0, 'yes'])
    assert.deepEqual(await asks('delete configmaps --as=jane'), [1, 'no'])
    assert.deepEqual(await asks('get configmaps/a --as=joe --as-group=readers'), [0, 'yes'])
    assert.deepEqual(await asks('get configmaps --as=joe'), [1, 'no'])
    assert.deepEqual(await asks('get /healthz --as=joe --as-group=system:authenticated'), [0, 'yes'])
    const rules = await k('auth can-i --list --as=jane')
    assert.match(rules, /^configmaps +\[\] +\[\] +\[get list\]$/m)
    assert.equal(await k('get configmap a -o name --as=jane'), 'configmap/a\n')
    const refused = await attempt('delete configmap a --as=jane')
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      new RegExp(
        `^Error from server \\(Forbidden\\): configmaps "a" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
      ),
    )
    assert.match(
      (await kubectl.try(['get', 'nodes', '--as=jane'])).stderr,
      /nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope/,
    )
    const escalation = await attempt('create role more --verb=* --resource=secrets --as=jane')
    assert.match(escalation.stderr, /\(Forbidden\)/)
  })

  on(
    'auth whoami',
    async ({ kubectl }) => {
      const answer = await kubectl.run('auth', 'whoami')
      assert.match(answer, /^Groups +\[system:masters system:authenticated\]$/m)
      assert.match(await kubectl.run('auth', 'whoami', '--as=jane', '--as-group=a'), /^Username +jane$/m)
    },
    // Older versions use API versions that were removed before 1.36.
    28,
  )

  on(
    'create token gives a valid token',
    async ({ k, kubectl, namespace }) => {
      await eventually('the default service account', async () => (await kubectl.try(['get', 'sa', 'default', '-n', namespace])).code === 0)
      const token = (await k('create token default')).trim()
      assert.equal(token.split('.').length, 3)
      const who = `system:serviceaccount:${namespace}:default`
      await k('create rolebinding view --clusterrole=view', `--serviceaccount=${namespace}:default`)
      const server = await kubectl.run('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}')
      const asToken = (...args: string[]) =>
        kubectl.try([...args, `--namespace=${namespace}`], {
          env: { KUBECONFIG: '/dev/null' },
        })
      const access = [`--server=${server}`, '--insecure-skip-tls-verify', `--token=${token}`]
      await eventually('the binding is in effect', async () => (await asToken('get', 'configmaps', ...access)).code === 0)
      const refused = await asToken('get', 'secrets', ...access)
      assert.match(refused.stderr, new RegExp(`User "${who}" cannot list resource "secrets"`))
      const bad = await asToken('get', 'configmaps', ...access.slice(0, 2), `--token=${token.slice(0, -4)}AAAA`)
      assert.notEqual(bad.code, 0)
      assert.match(bad.stderr, /You must be logged in to the server|Unauthorized/)
    },
    24,
  )

  on('deleting a namespace deletes its content', async ({ kubectl, k, namespace, start }) => {
    await k('create configmap held')
    await k('patch configmap held -p', '{"metadata":{"finalizers":["example.com/f"]}}')
    await k('create deployment web --image=nginx')
    await k('run p --image=i')
    await k('create secret generic s')
    const deleting = start(`delete namespace ${namespace}`)
    await eventually('the namespace terminates', async () => (await kubectl.run('get', 'namespace', namespace)).includes('Terminating'))
    await eventually('the pod is deleted', async () => (await kubectl.try(['get', 'pod', 'p', '-n', namespace])).code === 1)
    const refused = await kubectl.try(['create', 'configmap', 'late', '-n', namespace])
    assert.match(refused.stderr, /because it is being terminated/)
    await k('patch configmap held --type=merge -p', '{"metadata":{"finalizers":null}}')
    const { code, stdout } = await deleting.ended
    assert.deepEqual([code, stdout], [0, `namespace "${namespace}" deleted\n`])
    assert.match((await kubectl.try(['get', 'namespace', namespace])).stderr, /namespaces ".*" not found/)
    assert.equal(
      await kubectl.run('get', 'secrets', '-A', '-o', `jsonpath={.items[?(@.metadata.namespace=="${namespace}")].metadata.name}`),
      '',
    )
  })

  on('a finalizer delays a deletion, and delete --wait waits for it', async ({ k, start, stored }) => {
    const held = '{"metadata":{"finalizers":["example.com/f"]}}'
    await k('create configmap a')
    await k('patch configmap a -p', held)
    assert.match(await k('delete configmap a --wait=false'), /^configmap "a" deleted/)
    assert.match(await stored('configmap a', '.metadata.deletionTimestamp'), /Z$/)
    await k('patch configmap a --type=json -p', '[{"op":"remove","path":"/metadata/finalizers"}]')
    assert.equal(await k('get configmaps a --ignore-not-found'), '')
    await k('create configmap b')
    await k('patch configmap b -p', held)
    const waiting = start('delete configmap b --wait --timeout=300s')
    await waiting.sees(/configmap "b" deleted/)
    let over = false
    waiting.ended.then(() => {
      over = true
    })
    assert.equal(await k('get configmap b -o name'), 'configmap/b\n')
    assert.equal(over, false)
    await k('patch configmap b --type=merge -p', '{"metadata":{"finalizers":[]}}')
    assert.equal((await waiting.ended).code, 0)
    const late = start('delete pod none --ignore-not-found')
    assert.equal((await late.ended).code, 0)
  })

  on('cascades: background, orphan, foreground', async ({ k, kubectl, namespace, minor, stored }) => {
    const family = async (name: string) => {
      await k(`create deployment ${name} --image=i`)
      const uid = await stored(`deployment ${name}`, '.metadata.uid')
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, blockOwnerDeletion: true, controller: true }]
      await kubectl.pipe({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `of-${name}`, namespace, ownerReferences } }, 'create')
    }
    const gone = (name: string) => eventually(`end of ${name}`, async () => (await k(`get configmap ${name} --ignore-not-found`)) === '')
    await family('one')
    await k('delete deployment one')
    await gone('of-one')
    await family('two')
    await k(`delete deployment two --cascade=${minor >= 20 ? 'orphan' : 'false'}`)
    assert.equal(await stored('configmap of-two', '.metadata.ownerReferences'), '')
    await family('three')
    await k('delete deployment three --cascade=foreground')
    assert.equal(await k('get configmap of-three --ignore-not-found'), '')
  })

  on('default and other system namespaces can not be deleted', async ({ kubectl }) => {
    const refused = await kubectl.try(['delete', 'namespace', 'default'])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /namespaces "default" is forbidden: this namespace may not be deleted/)
  })
}
