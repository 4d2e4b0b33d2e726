/** Branches of a live server (`--enable-branches`), from outside. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildClientGo, withoutClientGo } from '../support/client-go.ts'
import { bundle, type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { type Kubectl, kubectls, kubectlWith } from '../support/kubectl.ts'
import { blockBelow } from '../support/page.ts'
import { run } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const [binary] = kubectls()
const skip = binary === undefined && 'kubectl is not installed'

const temporary = temporaryDirectory('branches')
const users = join(temporary.path, 'users.csv')
writeFileSync(users, ['tok-alice,alice,1', 'tok-bob,bob,2', 'tok-carol,carol,3'].join('\n'))

/** Without these, a server writes to its store by itself. */
const quiet = ['--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false', '--endpoint-reconciler-type=none']
const enabled = ['--platform=kubernetes', '--enable-branches', `--token-auth-file=${users}`, ...quiet]

let live: Daemon
let home: string
before(async () => {
  home = join(temporary.path, 'live')
  live = await startDaemon({ directory: home, flags: enabled })
})
after(async () => {
  await live.stop()
  temporary.remove()
})

const kubectlOf = (kubeconfig: string): Kubectl => kubectlWith(binary as NonNullable<typeof binary>, kubeconfig, temporary.path)
const branch = (...argv: string[]) => runProgram(['branch', ...argv, `--kubeconfig=${live.kubeconfig}`])

async function succeed(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await branch(...argv)
  assert.equal(code, 0, stderr)
  return stdout
}

/** A new branch, and kubectl for it. */
async function created(name: string, ...argv: string[]): Promise<Kubectl> {
  const path = join(temporary.path, `${name}.kubeconfig`)
  writeFileSync(path, await succeed('create', name, ...argv))
  return kubectlOf(path)
}

interface Difference {
  readonly kind: string
  readonly name: string
  readonly difference: string
  readonly moved: boolean
  readonly automatic: boolean
}

async function differences(name: string): Promise<readonly Difference[]> {
  return (JSON.parse(await succeed('diff', name, '--output=json')) as { differences: readonly Difference[] }).differences
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer, maximum: 5 } } } } } }
`
const shop = `apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: few, namespace: shop }
spec: { hard: { count/secrets: "1" } }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: one, namespace: shop }
spec: { size: 3 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
data: { a: "1", b: "2" }
`

/** Of the live server's store. */
async function revisionNow(): Promise<string> {
  const { metadata } = (await (await live.fetch('/api/v1/namespaces')).json()) as {
    readonly metadata: { readonly resourceVersion: string }
  }
  return metadata.resourceVersion
}

/** Everything in the data directory. */
const stored = () =>
  readdirSync(join(home, 'data'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [[entry.name, readFileSync(join(entry.parentPath, entry.name)).toString('base64')]] : [],
  )

test('a change with a definition, its objects and a namespace is tried in a branch, shown, and applied to the live server', {
  skip,
}, async () => {
  const there = kubectlOf(live.kubeconfig)
  await there.run('create', 'namespace', 'old')
  await there.run('-n', 'old', 'create', 'configmap', 'kept', '--from-literal=x=1', '--from-literal=y=2')
  await there.run('-n', 'old', 'create', 'secret', 'generic', 'hidden', '--from-literal=p=clear')
  await there.run('create', 'namespace', 'gone')
  await there.run('-n', 'gone', 'create', 'configmap', 'inside')
  await eventually('the namespaces have their account', async () => {
    const found = await there.try(['get', 'serviceaccount,configmap', '-A', '-o', 'name'])
    return found.stdout.match(/serviceaccount\/default/g)?.length === 6 && found.stdout.match(/kube-root-ca/g)?.length === 6
  })
  const [bytes, revision] = [stored(), await revisionNow()]

  const here = await created('trial', '--ttl=10m')
  assert.equal(await succeed('diff', 'trial'), `branch trial since revision ${revision}: 0 created, 0 changed, 0 deleted, 0 moved\n`)
  await here.pipe(definition, 'apply')
  await here.run('wait', '--for=condition=Established', 'crd/widgets.example.com')
  await here.pipe(shop, 'apply')
  // Rules of the definition, and the quota, count.
  const large = await here.try(['apply', '-f', '-'], { stdin: shop.replace('size: 3', 'size: 9') })
  assert.match(large.stderr, /should be less than or equal to 5/)
  await here.run('-n', 'shop', 'create', 'secret', 'generic', 'first')
  const second = await here.try(['-n', 'shop', 'create', 'secret', 'generic', 'second'])
  assert.match(second.stderr, /exceeded quota: few, requested: count\/secrets=1/)
  await here.run('-n', 'old', 'patch', 'configmap', 'kept', '--type=merge', '-p', '{"data":{"x":null,"y":"3"}}')
  await here.run('-n', 'old', 'patch', 'secret', 'hidden', '--type=merge', '-p', '{"stringData":{"p":"other"}}')
  // A cascade.
  await here.run('delete', 'namespace', 'gone', '--timeout=60s')

  // Nothing has reached the live server, nor its files.
  assert.equal(await revisionNow(), revision)
  assert.deepEqual(stored(), bytes)
  assert.equal(await there.run('-n', 'gone', 'get', 'configmap', 'inside', '-o', 'name'), 'configmap/inside\n')

  const text = await succeed('diff', 'trial')
  for (const line of [
    '+ CustomResourceDefinition.apiextensions.k8s.io widgets.example.com created',
    '+ Widget.example.com shop/one created',
    '~ ConfigMap old/kept changed\n    - data.x: "1"\n    ~ data.y: "2" → "3"',
    '~ Secret old/hidden changed\n    ~ data.p: "***" → "***"',
    '- Namespace gone deleted',
    '- ConfigMap gone/inside deleted',
    '+ ServiceAccount shop/default created (by a controller)',
  ])
    assert(text.includes(`${line}\n`), `${line}\n in\n${text}`)
  assert.match(text, /^branch trial since revision \d+: 8 created, 2 changed, 4 deleted, 0 moved$/m)

  // What the live server does meanwhile is told.
  await there.run('-n', 'old', 'label', 'configmap', 'kept', 'seen=yes')
  const moved = (await differences('trial')).filter((each) => each.moved)
  assert.deepEqual(
    moved.map(({ kind, name, difference }) => `${kind} ${name} ${difference}`),
    ['ConfigMap kept changed'],
  )
  await there.run('-n', 'old', 'label', 'configmap', 'kept', 'seen-')

  const yaml = await succeed('diff', 'trial', '--output=yaml')
  assert.match(yaml, /^# kubectl delete namespace gone$/m)
  // kubectl asks for the types of all objects before it applies the first one.
  await there.try(['apply', '-f', '-'], { stdin: yaml })
  await there.run('wait', '--for=condition=Established', 'crd/widgets.example.com')
  await there.pipe(yaml, 'apply')
  await there.run('delete', 'namespace', 'gone', '--timeout=60s')
  assert.deepEqual(
    (await differences('trial')).filter(({ automatic }) => !automatic),
    [],
  )
  assert.equal(await there.run('-n', 'old', 'get', 'configmap', 'kept', '-o', 'jsonpath={.data}'), '{"y":"3"}')
  assert.equal(await there.run('-n', 'shop', 'get', 'widget', 'one', '-o', 'jsonpath={.spec.size}'), '3')

  await succeed('delete', 'trial')
  assert.equal(await succeed('list'), '')
  assert.match((await here.try(['get', 'namespaces'])).stderr, /branches "trial" not found/)
})

test("README's example works", { skip }, async () => {
  const program = join(temporary.path, 'apiserver')
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${bundle} "$@"\n`)
  chmodSync(program, 0o755)
  await kubectlOf(live.kubeconfig).run('create', 'namespace', 'team')
  const path = [temporary.path, dirname(binary?.path ?? ''), process.env['PATH']].join(':')
  const env = { ...process.env, PATH: path, HOME: temporary.path, KUBECONFIG: live.kubeconfig }
  const { code, stdout, stderr } = await run('sh', ['-ec', blockBelow('README.md', 'Branches')], { cwd: temporary.path, env }, 60_000)
  assert.equal(code, 0, stdout + stderr)
  assert.match(stdout, /^- Namespace team deleted\n\+ Namespace team-a created$/m)
  assert.match(await kubectlOf(live.kubeconfig).run('get', 'namespace', 'team'), /Active/)
})

const python = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', 'import kubernetes']).status === 0)
const script = `
import kubernetes, sys
there, here = (kubernetes.client.CoreV1Api(kubernetes.config.new_client_from_config(path)) for path in sys.argv[1:])
here.create_namespaced_config_map('default', {'metadata': {'name': 'snake'}, 'data': {'a': '1'}})
print([each.metadata.name for each in here.list_namespaced_config_map('default', label_selector='!x').items if each.metadata.name == 'snake'])
watch = kubernetes.watch.Watch()
for event in watch.stream(here.list_namespaced_config_map, 'default', field_selector='metadata.name=snake', timeout_seconds=20):
    print(event['type'], event['object'].data)
    watch.stop()
here.delete_namespaced_config_map('snake', 'default')
print([each.metadata.name for each in there.list_namespaced_config_map('default').items if each.metadata.name == 'snake'])
`

test('python3-kubernetes takes the connection file of a branch', {
  skip: python === undefined && 'python3-kubernetes is not installed',
}, async () => {
  const path = join(temporary.path, 'python.kubeconfig')
  writeFileSync(path, await succeed('create', 'python'))
  const { code, stdout, stderr } = await run(python as string, ['-c', script, live.kubeconfig, path], {}, 60_000)
  assert.equal(code, 0, stderr)
  assert.equal(stdout, "['snake']\nADDED {'a': '1'}\n[]\n")
  await succeed('delete', 'python')
})

test('client-go takes the connection file of a branch; the live server sees nothing of it', { skip: withoutClientGo }, async () => {
  const path = join(temporary.path, 'go.kubeconfig')
  writeFileSync(path, await succeed('create', 'gopher'))
  const { code, stdout, stderr } = await run(buildClientGo(temporary.path), [path, live.kubeconfig], {}, 150_000)
  assert.deepEqual([code, stdout], [0, 'done\n'], stderr)
  await succeed('delete', 'gopher')
})
