import assert from 'node:assert/strict'
import { type Desks, rows } from './kubectl-desk.ts'

/** Creating, showing, changing and deleting objects. */
export function objects(on: Desks): void {
  on('create, get, describe and delete of common kinds', async ({ k, namespace, minor, try: attempt }) => {
    const commands: readonly (readonly [kind: string, name: string, rest: string])[] = [
      ['configmap', 'cm', '--from-literal=a=1 --from-literal=b=2'],
      ['secret generic', 'se', '--from-literal=p=w'],
      ['serviceaccount', 'sa', ''],
      ['deployment', 'web', '--image=nginx --replicas=2'],
      ['service clusterip', 'svc', '--tcp=80:8080'],
      ['job', 'once', '--image=busybox'],
      ['role', 'reader', '--verb=get,list --resource=pods,configmaps'],
      ['rolebinding', 'readers', '--role=reader --user=jane'],
      ['quota', 'limits', '--hard=pods=10'],
      // Older versions use batch/v1beta1.
      ...(minor >= 21 ? [['cronjob', 'often', '--image=busybox --schedule=*/5_*_*_*_*'] as const] : []),
    ]
    const plain: { readonly [kind: string]: string } = {
      'secret generic': 'secret',
      'service clusterip': 'service',
      quota: 'resourcequota',
    }
    for (const [kind, name, rest] of commands) {
      const one = plain[kind] ?? kind
      const flags = rest === '' ? [] : rest.split(' ').map((flag) => flag.replaceAll('_', ' '))
      const created = await k(`create ${kind} ${name}`, ...flags)
      assert.match(created, new RegExp(`^${one}(\\.[\\w.]+)?/${name} created`))
      assert.match(await k(`get ${one} ${name}`), new RegExp(`^NAME .*\\n${name} `))
      const described = await k(`describe ${one} ${name}`)
      assert.match(described, new RegExp(`^Name: +${name}\\n`))
      if (!['role', 'rolebinding'].includes(one)) assert.match(described, new RegExp(`^Namespace: +${namespace}$`, 'm'))
    }
    for (const [kind, name] of commands) {
      const one = plain[kind] ?? kind
      assert.match(await k(`delete ${one} ${name}`), new RegExp(`^${one}(\\.[\\w.]+)? "${name}" deleted`))
      const gone = await attempt(`get ${one} ${name}`)
      assert.equal(gone.code, 1)
      assert.match(gone.stderr, new RegExp(`^Error from server \\(NotFound\\): ${one}s(\\.[\\w.]+)? "${name}" not found`))
    }
  })

  on('run creates a pod, create deployment a deployment', async ({ k }) => {
    assert.equal(await k('run nginx --image=nginx'), 'pod/nginx created\n')
    const [header, pod] = rows(await k('get pods'))
    assert.deepEqual(header, ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'])
    assert.deepEqual(pod?.slice(0, 4), ['nginx', '0/1', 'Pending', '0'])
    assert.match(pod?.[4] ?? '', /^\d+s$/)
    const spec = JSON.parse(await k('get pod nginx -o json')).spec
    assert.equal(spec.restartPolicy, 'Always')
    assert.equal(spec.containers[0].imagePullPolicy, 'Always')
    assert.equal(spec.dnsPolicy, 'ClusterFirst')
    assert.equal(spec.terminationGracePeriodSeconds, 30)
    assert.equal(await k('create deployment web --image=nginx'), 'deployment.apps/web created\n')
    const [head, row] = rows(await k('get deployment web'))
    assert.deepEqual(head, ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'])
    assert.deepEqual(row?.slice(0, 4), ['web', '0/1', '0', '0'])
    const described = await k('describe deployment web')
    assert.match(described, /^StrategyType: +RollingUpdate$/m)
    assert.match(described, /^RollingUpdateStrategy: +25% max unavailable, 25% max surge$/m)
    assert.match(await k('describe pod nginx'), /^Status: +Pending$/m)
    const all = await k('get all')
    assert.match(all, /pod\/nginx/)
    assert.match(all, /deployment\.apps\/web/)
  })

  on('create refuses existing and invalid objects', async ({ k, try: attempt, file }) => {
    await k('create configmap a')
    const again = await attempt('create configmap a')
    assert.equal(again.code, 1)
    assert.match(again.stderr, /configmaps "a" already exists/)
    const name = await attempt('create configmap Not_A_Name')
    assert.match(
      name.stderr,
      /ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
    )
    const path = file('typo.yaml', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: typo}\ndatta: {k: v}\n')
    const typo = await attempt(`create -f ${path}`)
    assert.equal(typo.code, 1)
    assert.match(
      typo.stderr,
      /unknown field "(io\.k8s\.api\.core\.v1\.ConfigMap\.)?datta"|unknown field "datta" in io\.k8s\.api\.core\.v1\.ConfigMap/,
    )
    assert.equal((await attempt('get configmap typo')).code, 1)
    assert.match((await attempt(`create --validate=false -f ${path}`)).stdout, /configmap\/typo created/)
    const missing = await attempt('get gadgets')
    assert.match(missing.stderr, /the server doesn't have a resource type "gadgets"/)
  })

  on('warnings are printed, and the object is created', async ({ try: attempt, file }) => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ]
    const containers = [{ name: 'c', image: 'i', env, resources: { limits: { memory: '100m' } } }]
    const nodeSelector = { 'beta.kubernetes.io/arch': 'amd64' }
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers, nodeSelector } }
    const spec = { selector: { matchLabels: { a: 'b' } }, template }
    const path = file('warned.json', { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'warned' }, spec })
    const said = [
      'spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
      'spec.template.spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ]
    const warned = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('Warning: spec.'))
    const made = await attempt(`create -f ${path}`)
    assert.deepEqual([made.stdout, warned(made.stderr)], ['deployment.apps/warned created\n', said.map((text) => `Warning: ${text}`)])
    const labelled = await attempt('label deployment warned x=y')
    assert.deepEqual(warned(labelled.stderr), [], 'the spec has not changed')
    const scaled = await attempt('scale deployment warned --replicas=2')
    assert.deepEqual(warned(scaled.stderr).length, said.length)
  })

  on('edit stores the edited object', async ({ k, try: attempt, script, stored }) => {
    await k('create configmap a --from-literal=k=before')
    const editor = script('editor.sh', `sed -e 's/before/after/' "$1" > "$1.new"\nmv "$1.new" "$1"`)
    const edited = await attempt('edit configmap a', { env: { EDITOR: editor } })
    assert.equal(edited.stdout, 'configmap/a edited\n', edited.stderr)
    assert.equal(await stored('configmap a', '.data.k'), 'after')
    const idle = await attempt('edit configmap a', { env: { EDITOR: 'true' } })
    assert.match(idle.stdout + idle.stderr, /Edit cancelled, no changes made/)
    const bad = script('bad.sh', `if ! grep -q immutable "$1"; then exec sed -i -e 's/^data:/immutable: maybe\\ndata:/' "$1"; fi`)
    const refused = await attempt('edit configmap a', { env: { EDITOR: bad } })
    assert.notEqual(refused.code, 0)
    assert.equal(await stored('configmap a', '.immutable'), '')
  })

  on('patch, label, annotate, scale, set', async ({ k, try: attempt, stored }) => {
    await k('create deployment web --image=nginx')
    const at = (path: string) => stored('deployment web', path)
    assert.equal(await k('patch deployment web -p', '{"spec":{"replicas":3}}'), 'deployment.apps/web patched\n')
    assert.equal(await at('.spec.replicas'), '3')
    await k('patch deployment web --type=merge -p', '{"metadata":{"labels":{"team":"a"}}}')
    await k('patch deployment web --type=json -p', '[{"op":"replace","path":"/spec/replicas","value":4}]')
    assert.equal(await at('.metadata.labels.team'), 'a')
    assert.equal(await at('.spec.replicas'), '4')
    assert.match(await k('patch deployment web -p', '{"spec":{"replicas":4}}'), /^deployment\.apps\/web patched \(no change\)/)
    assert.equal(await k('label deployment web tier=front'), 'deployment.apps/web labeled\n')
    const taken = await attempt('label deployment web tier=back')
    assert.match(taken.stderr, /'tier' already has a value \(front\), and --overwrite is false/)
    await k('label deployment web tier=back --overwrite')
    await k('label deployment web team-')
    assert.equal(await at('.metadata.labels'), '{"app":"web","tier":"back"}')
    assert.match(await k('annotate deployment web note=x'), /^deployment\.apps\/web annotate/)
    assert.equal(await at('.metadata.annotations.note'), 'x')
    assert.equal(await k('scale deployment web --replicas=5'), 'deployment.apps/web scaled\n')
    assert.equal(await at('.spec.replicas'), '5')
    const mismatch = await attempt('scale deployment web --replicas=6 --current-replicas=1')
    assert.equal(mismatch.code, 1)
    assert.equal(await at('.spec.replicas'), '5')
    assert.equal(await k('set image deployment/web nginx=nginx:2'), 'deployment.apps/web image updated\n')
    assert.equal(await at('.spec.template.spec.containers[0].image'), 'nginx:2')
    assert.equal(await k('set env deployment/web A=1'), 'deployment.apps/web env updated\n')
    assert.equal(await at('.spec.template.spec.containers[0].env[0].name'), 'A')
    const invalid = await attempt('scale deployment web --replicas=-1')
    assert.notEqual(invalid.code, 0)
  })

  on('replace, and delete by label, file and --all', async ({ k, file, try: attempt, stored }) => {
    const path = file('a.json', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: '1' } })
    await k(`create -f ${path}`)
    const next = file('b.json', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: '2' } })
    assert.equal(await k(`replace -f ${next}`), 'configmap/a replaced\n')
    assert.equal(await stored('configmap a', '.data.k'), '2')
    assert.match(await k(`replace --force -f ${path}`), /configmap\/a replaced/)
    assert.match(await k(`delete -f ${path}`), /^configmap "a" deleted/)
    assert.match((await attempt(`delete -f ${path}`)).stderr, /configmaps "a" not found/)
    assert.match(await k(`delete --ignore-not-found -f ${path}`), /^$/)
    for (const name of ['x', 'y', 'z']) {
      await k(`create secret generic ${name}`)
      if (name !== 'z') await k(`label secret ${name} group=g`)
    }
    await k('delete secrets -l group=g')
    assert.equal(await k('get secrets -o name'), 'secret/z\n')
    await k('delete secrets --all')
    assert.equal(await k('get secrets -o name'), '')
  })
}
