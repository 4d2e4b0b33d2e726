/** `apiserver check PATH…`: manifests judged without a cluster. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { apiOf } from '../support/api.ts'
import { killedAtExit } from '../support/child.ts'
import { bundle, runProgram, startDaemon } from '../support/daemon.ts'
import { blocksOf } from '../support/page.ts'
import { run } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://192.0.2.1/convert'}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, x-kubernetes-validations: [{rule: self < 10, message: too large}]}
              color: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}
`

const policy = (name: string, resource: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['*'], operations: [CREATE], resources: [${resource}]}]}
  validations: [{expression: "object.metadata.name != 'x'", message: no x}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: ${name}, validationActions: [Deny]}
`

/** Manifests in an order in which no cluster would take them, and what is said of them: file, line, text. */
const folder: { readonly [file: string]: string } = {
  'a/objects.yaml': `# Objects first, what they need below.
apiVersion: example.com/v1
kind: Widget
metadata: {name: large, namespace: team}
spec:
  size: 12
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, a.b/c: "-"}}
    spec:
      containers:
      - name: web
        ports:
        - containerPort: 99999
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}
- apiVersion: v1
  kind: Pod
  metadata: {name: pod, namespace: team}
  spec:
    containers:
    - {name: c, image: i, securityContext: {privileged: true}}
--- # typos
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{port: 80}]
  selectors: {app: web}
`,
  'b.yml': definition,
  'c.json': JSON.stringify({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
  }),
  'd.yaml': `${policy('names', 'configmaps')}---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: team}
spec: {hard: {count/secrets: 1}}
---
{apiVersion: v1, kind: Secret, metadata: {name: one, namespace: team}}
---
{apiVersion: v1, kind: Secret, metadata: {name: two, namespace: team}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: never-called}
webhooks:
- name: a.example.com
  clientConfig: {url: 'https://192.0.2.1/'}
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: old}
---
a: [
`,
  'notes.txt': '{',
  'kustomization.yaml': 'resources: [a]',
}

function written(files: { readonly [file: string]: string }) {
  const { path, remove } = temporaryDirectory()
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  return { path, remove }
}

const check = (...argv: string[]) => runProgram(['check', ...argv])

test('what a folder has wrong is said with file, line and message, in any order of its files', async () => {
  const { path, remove } = written(folder)
  const { code, stdout, stderr } = await check(path)
  assert.deepEqual([code, stderr], [1, ''])
  const lines = stdout.replaceAll(`${path}/`, '').trimEnd().split('\n')
  assert.deepEqual(lines, [
    'd.yaml:36: yaml: line 1: did not find expected node content',
    'a/objects.yaml:6: Widget team/large: spec.size: Invalid value: 12: too large',
    `a/objects.yaml:13: Deployment web: spec.template.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    'a/objects.yaml:17: Deployment web: spec.template.spec.containers[0].image: Required value',
    'a/objects.yaml:19: Deployment web: spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive',
    `a/objects.yaml:24: ConfigMap x: configmaps "x" is forbidden: ValidatingAdmissionPolicy 'names' with binding 'names' denied request: no x`,
    'a/objects.yaml:25: Pod team/pod: pods "pod" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)',
    'a/objects.yaml:37: Service web: unknown field "spec.selectors"',
    'd.yaml:20: Secret team/two: secrets "two" is forbidden: exceeded quota: quota, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
    'd.yaml:32: PodDisruptionBudget old: no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',
    '14 objects in 4 files: 7 valid, 7 invalid, 1 document could not be read',
  ])
  remove()
})

test('a key that is given twice is refused; there are addresses for more services than a small range has', async () => {
  const service = (index: number) => `{apiVersion: v1, kind: Service, metadata: {name: s${index}}, spec: {ports: [{port: 80}]}}`
  const { path, remove } = written({
    'a.yaml': '# twice\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  a: one\n  b: two\n  a: three\n',
    'many.yaml': Array.from({ length: 300 }, (_, index) => service(index)).join('\n---\n'),
    // Within the usual range of kube-apiserver, too.
    'z.yaml': '{apiVersion: v1, kind: Service, metadata: {name: dns}, spec: {clusterIP: 10.0.0.10, ports: [{port: 53}]}}',
  })
  const { stdout } = await check(path)
  assert.deepEqual(stdout.replaceAll(`${path}/`, '').trimEnd().split('\n'), [
    'a.yaml:2: ConfigMap twice: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:',
    '  line 8: key "a" already set in map',
    '302 objects in 3 files: 301 valid, 1 invalid',
  ])
  assert.match((await check(join(path, 'many.yaml'), '--service-cluster-ip-range=10.0.0.0/24')).stdout, /range is full/)
  remove()
})

test('rules and policies that no object met are listed', async () => {
  const widget = (size: number) =>
    `---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: ${size}, color: red}}\n`
  const files = { 'a.yaml': definition + widget(1), 'p.yaml': policy('met', 'configmaps'), 'q.yaml': policy('unmet', 'services') }
  const { path, remove } = written({ ...files, 'c.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}' })
  const unexercised = async () => {
    const { stdout } = await check(path, '--unexercised', '-o', 'json')
    const { unexercised, objects } = JSON.parse(stdout) as { unexercised: object[]; objects: { warnings: string[] }[] }
    assert.deepEqual(
      objects.flatMap(({ warnings }) => warnings),
      [],
    )
    return unexercised
  }
  const unmet = { owner: 'ValidatingAdmissionPolicy unmet' }
  const color = { owner: 'CustomResourceDefinition widgets.example.com', rule: 'v1.spec.color: self == oldSelf' }
  assert.deepEqual(await unexercised(), [color, unmet])
  // An object that is given twice is updated the second time.
  writeFileSync(join(path, 'b.yaml'), widget(2))
  assert.deepEqual(await unexercised(), [unmet])
  remove()
})

test('standard input, JUnit, kinds without definition, releases and gates', async () => {
  const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: '<a>'}}\n---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n`
  const child = killedAtExit(spawn(process.execPath, [bundle, 'check', '-', '-o', 'junit', '--skip-unknown-kinds']))
  child.stdin.end(text)
  let told = ''
  for await (const part of child.stdout) told += part
  assert.match(told, /<testsuite name="standard input" tests="2" failures="1" skipped="1">/)
  assert.match(told, /name="ConfigMap &#60;a&#62;"><failure message="metadata\.name: /)
  const { path, remove } = written({
    'a.yaml': '{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1}}',
    'schemas/crd.yaml': definition,
  })
  assert.equal((await check(join(path, 'a.yaml'), '--schemas', join(path, 'schemas'))).code, 0)
  const claims = join(path, 'c.yaml')
  writeFileSync(claims, '{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c}, spec: {devices: {}}}')
  assert.equal((await check(claims)).code, 0)
  assert.match((await check(claims, '--release=1.33')).stdout, /no matches for kind "ResourceClaim" in version "resource\.k8s\.io\/v1"/)
  for (const [argv, error] of [
    [[], 'check: no manifests; use: check PATH…, with - for standard input'],
    [[join(path, 'none')], `check: ${join(path, 'none')}: no such file or directory`],
    [[path, '--output=xml'], 'check: --output: must be one of text, json, junit'],
    [[path, '--relase=1'], "check: Unknown option '--relase'; see check --help"],
  ] as const) {
    const { code, stderr } = await check(...argv)
    assert.deepEqual([code, stderr], [1, `error: ${error}\n`])
  }
  remove()
})

test('beside a cluster, objects that exist there are updates, and its definitions count', async () => {
  const daemon = await startDaemon()
  try {
    const api = apiOf(daemon.fetch)
    const configMaps = '/api/v1/namespaces/default/configmaps'
    await api.create(configMaps, { metadata: { name: 'fixed' }, data: { key: 'a' }, immutable: true })
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    assert.equal((await api.send('POST', definitions, definition, { 'content-type': 'application/yaml' })).status, 201)
    const { path, remove } = written({
      'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fixed\nimmutable: true\ndata:\n  key: b\n',
      'b.yaml': '{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 11}}',
    })
    const { code, stdout, stderr } = await check(path, '--against', daemon.kubeconfig)
    assert.deepEqual([code, stderr], [1, ''])
    assert.equal(
      stdout.replaceAll(`${path}/`, ''),
      `a.yaml:6: ConfigMap fixed: data: Forbidden: field is immutable when \`immutable\` is set
b.yaml:1: Widget w: spec.size: Invalid value: 11: too large
2 objects in 2 files: 0 valid, 2 invalid
`,
    )
    // Nothing reached the cluster.
    assert.deepEqual((await api.get<{ data: object }>(`${configMaps}/fixed`)).body.data, { key: 'a' })
    remove()
  } finally {
    await daemon.stop()
  }
})

test("README's example prints what README says", async () => {
  const [commands, printed] = blocksOf('README.md').filter(({ heading }) => heading === 'Check')
  const { path, remove } = temporaryDirectory()
  symlinkSync(bundle, join(path, 'apiserver'))
  const env = { ...process.env, PATH: `${path}${delimiter}${process.env['PATH']}` }
  const { code, stdout } = await run('sh', ['-ec', commands?.text ?? ''], { cwd: path, env })
  assert.deepEqual([code, stdout], [1, printed?.text])
  remove()
})
