import assert from 'node:assert/strict'
import type { Desk, Desks } from './kubectl-desk.ts'

interface Managed {
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  readonly fieldsV1: { readonly [field: string]: unknown }
}

async function managersOf({ api, namespace }: Desk, path: string): Promise<readonly Managed[]> {
  const { body } = await api.get<{ metadata: { managedFields?: readonly Managed[] } }>(path.replace('NS', namespace))
  return body.metadata.managedFields ?? []
}

const shown = (managers: readonly Managed[]) => managers.map(({ manager, operation }) => `${manager} ${operation}`)

const labels = { app: 'web' }
const deployment = (namespace: string, containers: readonly object[], more: object = {}) => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', namespace },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...more },
})
const containersOf = (desk: Desk) => desk.k('get deployment web -o jsonpath={.spec.template.spec.containers[*].name}')

/** Dry runs, declarative changes, and field ownership. */
export function declarativeWork(on: Desks): void {
  on('create --dry-run=server defaults and validates, and stores nothing', async ({ k, try: attempt, file }) => {
    const commands: readonly (readonly [command: string, kind: string])[] = [
      ['create configmap a --from-literal=k=v', 'configmap'],
      ['create deployment a --image=nginx', 'deployment'],
      ['create service nodeport a --tcp=80', 'service'],
      ['create serviceaccount a', 'serviceaccount'],
      ['create quota a --hard=pods=1', 'resourcequota'],
      ['create role a --verb=get --resource=pods', 'role'],
      ['create ingress a --rule=example.com/*=svc:80', 'ingress'],
      ['run a --image=nginx', 'pod'],
    ]
    for (const [command, kind] of commands) {
      const made = JSON.parse(await k(`${command} --dry-run=server -o json`))
      assert.equal(made.kind.toLowerCase(), kind)
      assert.match(made.metadata.uid, /^[0-9a-f-]{36}$/)
      assert.match(await k(`${command} --dry-run=server`), /created \(server dry run\)\n$/)
      assert.match((await attempt(`get ${kind} a`)).stderr, /\(NotFound\)/, kind)
    }
    const pod = JSON.parse(await k('run a --image=nginx --dry-run=server -o json'))
    assert.deepEqual([pod.spec.dnsPolicy, pod.spec.restartPolicy, pod.status.phase], ['ClusterFirst', 'Always', 'Pending'])
    const service = JSON.parse(await k('create service nodeport a --tcp=80 --dry-run=server -o json'))
    assert.equal(service.spec.type, 'NodePort')
    const wrong = file('wrong.json', { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' }, spec: { ports: [{ port: 70_000 }] } })
    const refused = await attempt(`create --dry-run=server -f ${wrong}`)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /spec\.ports\[0\]\.port: Invalid value: 70000: must be between 1 and 65535, inclusive/)
  })

  on('apply --server-side: create, repeat, conflict, force, remove', async (desk) => {
    const { kubectl, k, namespace, file, try: attempt, stored } = desk
    const map = (data: object) =>
      file(`m${Object.values(data).join('')}.json`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace }, data })
    const url = '/api/v1/namespaces/NS/configmaps/a'
    const version = () => stored('configmap a', '.metadata.resourceVersion')
    assert.equal(await k(`apply --server-side -f ${map({ a: '1', b: '1' })}`), 'configmap/a serverside-applied\n')
    const first = await version()
    assert.equal(await k(`apply --server-side -f ${map({ a: '1', b: '1' })}`), 'configmap/a serverside-applied\n')
    assert.equal(await version(), first, 'an apply without changes writes nothing')
    const dry = await k(`apply --server-side --dry-run=server -f ${map({ a: '9', b: '1' })}`)
    assert.match(dry, /^configmap\/a serverside-applied \(server dry run\)\n$/)
    assert.equal(await version(), first)

    const other = 'apply --server-side --field-manager=other'
    const refused = await attempt(`${other} -f ${map({ a: '2', b: '2' })}`)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /Apply failed with 2 conflicts: conflicts with "kubectl":\n- \.data\.a\n- \.data\.b\n/)
    assert.match(refused.stderr, /--force-conflicts/)
    const single = await attempt(`${other} -f ${map({ a: '2', b: '1' })}`)
    assert.match(single.stderr, /Apply failed with 1 conflict: conflict with "kubectl": \.data\.a\n/)
    assert.equal(await version(), first)
    assert.equal(await k(`${other} --force-conflicts -f ${map({ a: '2' })}`), 'configmap/a serverside-applied\n')
    const owned = async (manager: string) => {
      const found = (await managersOf(desk, url)).find((each) => each.manager === manager)
      return Object.keys((found?.fieldsV1['f:data'] as object | undefined) ?? {})
    }
    assert.deepEqual([await owned('kubectl'), await owned('other')], [['f:b'], ['f:a']])
    await k(`apply --server-side -f ${map({ b: '1' })}`)
    assert.equal(await stored('configmap a', '.data'), '{"a":"2","b":"1"}')
    await k(`${other} -f ${map({ c: '3' })}`)
    assert.equal(await stored('configmap a', '.data'), '{"b":"1","c":"3"}', 'a field without owner is removed')
    const update = JSON.stringify({ data: { b: 'patched' } })
    await kubectl.run('patch', 'configmap', 'a', '-n', namespace, '--type=merge', '-p', update, '--field-manager=patcher')
    const late = await attempt(`apply --server-side -f ${map({ b: '1' })}`)
    assert.match(late.stderr, /conflict with "patcher" using v1( at \S+)?: \.data\.b/)
  })

  on('apply --server-side by several managers: each owns its containers', async (desk) => {
    const { k, namespace, file, stored } = desk
    const apply = (manager: string, containers: readonly object[], more: object = {}) =>
      k(`apply --server-side --field-manager=${manager} -f ${file(`${manager}.json`, deployment(namespace, containers, more))}`)
    const main = { name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] }
    await apply('one', [main], { replicas: 2 })
    await apply('two', [{ name: 'side', image: 'busybox' }])
    assert.equal(await containersOf(desk), 'main side')
    await apply('one', [{ ...main, ports: [{ containerPort: 80 }, { containerPort: 81 }] }], { replicas: 2 })
    assert.equal(await k('get deployment web -o jsonpath={.spec.template.spec.containers[0].ports[*].containerPort}'), '80 81')
    await apply('one', [{ name: 'main', image: 'nginx' }], { replicas: 2 })
    assert.equal(await stored('deployment web', '.spec.template.spec.containers[0].ports'), '')
    await k('scale deployment web --replicas=5')
    await apply('one', [{ name: 'main', image: 'nginx' }])
    assert.equal(await stored('deployment web', '.spec.replicas'), '5', 'the field of the scaler is unchanged')
    const scaler = (await managersOf(desk, '/apis/apps/v1/namespaces/NS/deployments/web')).find(
      ({ subresource }) => subresource === 'scale',
    )
    assert.deepEqual(scaler?.fieldsV1, { 'f:spec': { 'f:replicas': {} } })
  })

  on('from client-side to server-side apply and back', async (desk) => {
    const { k, namespace, file, minor } = desk
    const url = '/apis/apps/v1/namespaces/NS/deployments/web'
    const app = (name: string, image: string, more: object = {}) =>
      file(`${name}.json`, deployment(namespace, [{ name: 'web', image }], more))
    await k(`apply -f ${app('one', 'nginx:1', { replicas: 2, minReadySeconds: 7 })}`)
    assert.deepEqual(shown(await managersOf(desk, url)), ['kubectl-client-side-apply Update'])
    assert.equal(await k(`apply --server-side -f ${app('two', 'nginx:2', { replicas: 2 })}`), 'deployment.apps/web serverside-applied\n')
    const read = async () => JSON.parse(await k('get deployment web -o json'))
    const migrated = await read()
    assert.equal(migrated.spec.template.spec.containers[0].image, 'nginx:2')
    // Since 1.26 kubectl migrates the fields of its client-side manager, so that omitted fields are removed.
    if (minor >= 26) {
      assert.deepEqual(shown(await managersOf(desk, url)).toSorted(), ['kubectl Apply', 'kubectl-last-applied Apply'])
      assert.equal(migrated.spec.minReadySeconds, undefined)
    }
    const last = JSON.parse(migrated.metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'])
    assert.equal(last.spec.template.spec.containers[0].image, 'nginx:2', 'the server updates the last-applied annotation')
    assert.match(await k(`apply -f ${app('three', 'nginx:3', { replicas: 2 })}`), /^deployment\.apps\/web configured\n$/)
    assert.equal((await read()).spec.template.spec.containers[0].image, 'nginx:3')
  })

  on(
    'get shows managed fields on request',
    async ({ k }) => {
      await k('create configmap a --from-literal=k=v')
      const shownFields = JSON.parse(await k('get configmap a -o json --show-managed-fields')).metadata.managedFields
      assert.deepEqual(shownFields[0].fieldsV1, { 'f:data': { '.': {}, 'f:k': {} } })
      assert.deepEqual([shownFields[0].manager, shownFields[0].operation, shownFields[0].apiVersion], ['kubectl-create', 'Update', 'v1'])
      assert.equal(JSON.parse(await k('get configmap a -o json')).metadata.managedFields, undefined)
      assert.match(await k('get configmap a -o yaml --show-managed-fields'), /managedFields:\n/)
    },
    21,
  )

  on('diff and diff --server-side show the changes', async ({ k, try: attempt, namespace, file, minor, stored }) => {
    const app = (name: string, image: string) => file(`${name}.json`, deployment(namespace, [{ name: 'web', image }]))
    const created = await attempt(`diff -f ${app('new', 'nginx:1')}`)
    assert.equal(created.code, 1, created.stderr)
    assert.match(created.stdout, /^\+kind: Deployment$/m)
    await k(`apply -f ${app('one', 'nginx:1')}`)
    assert.equal((await attempt(`diff -f ${app('one', 'nginx:1')}`)).code, 0)
    const changed = await attempt(`diff -f ${app('two', 'nginx:2')}`)
    assert.equal(changed.code, 1, changed.stderr)
    assert.match(changed.stdout, /^-\s+- image: nginx:1$/m)
    assert.match(changed.stdout, /^\+\s+- image: nginx:2$/m)
    assert.match(changed.stdout, /^-\s+generation: 1$/m)
    const force = minor >= 21 ? ['--force-conflicts'] : []
    const serverSide = await attempt(['diff', '--server-side', ...force, '-f', app('two', 'nginx:2')].join(' '))
    if (minor >= 21) {
      assert.equal(serverSide.code, 1, serverSide.stderr)
      assert.match(serverSide.stdout, /^\+\s+- image: nginx:2$/m)
    }
    assert.equal(await stored('deployment web', '.spec.template.spec.containers[0].image'), 'nginx:1')
  })

  on('replace --force creates a new object', async ({ k, file, namespace, stored }) => {
    const map = (v: string) => file(`r${v}.json`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace }, data: { v } })
    await k(`create -f ${map('1')}`)
    const uid = () => stored('configmap a', '.metadata.uid')
    const first = await uid()
    assert.equal(await k(`replace -f ${map('2')}`), 'configmap/a replaced\n')
    assert.equal(await uid(), first)
    assert.match(await k(`replace --force -f ${map('3')}`), /configmap "a" deleted[^\n]*\nconfigmap\/a replaced\n/)
    assert.notEqual(await uid(), first)
    assert.equal(await stored('configmap a', '.data.v'), '3')
  })
}
