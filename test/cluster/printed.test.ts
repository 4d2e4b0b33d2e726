/** What kubectl prints, and its exit status: the same commands run on this server and on the reference, among them several for each kind. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '../../core/schema/model.ts'
import { objectOf } from '../reference/inputs/objects.ts'
import { storedKinds } from '../reference/kinds.ts'
import { type Kubectl, kubectls, kubectlWith, type Ran } from '../support/kubectl.ts'
import { type LoneServer, startLoneServer } from './lone-server.ts'
import { programPath } from './programs.ts'

const [kubectl] = kubectls().toReversed()
const lacks = programPath('kube-apiserver') === undefined ? 'kube-apiserver' : kubectl === undefined ? 'kubectl' : undefined
const skip = lacks !== undefined && `not installed (on PATH or in KUBERNETES_BIN): ${lacks}`

/** Arguments, with the objects that the command reads. */
type Command = readonly [args: string, ...input: readonly object[]]

const labels = { app: 'm' }
const container = { name: 'c', image: 'nginx' }
const map = (name: string, data: object) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels }, data })
const deployment = (more: object) => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'm', labels },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { automountServiceAccountToken: false, containers: [{ ...container, ...more }] } },
  },
})
const once = [
  map('m', { a: '1', b: '1' }),
  deployment({
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  }),
]
const again = [map('m', { a: '2' }), deployment({ image: 'nginx:2', env: [{ name: 'B', value: '3' }], ports: [{ containerPort: 80 }] })]
const mistaken = [
  { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'bad' }, dat: { a: '1' } },
  { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'bad' }, spec: { replicas: 'x', template: { spec: { container: [] } } } },
]
const node = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1', 'node-role.kubernetes.io/worker': '' } },
  status: { capacity: { cpu: '4', memory: '8Gi' }, allocatable: { cpu: '4', memory: '8Gi' } },
}
const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'foos.printed.example.com' },
  spec: {
    group: 'printed.example.com',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', shortNames: ['fo'], categories: ['all'] },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Note', type: 'string', jsonPath: '.spec.note', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A foo.',
            properties: {
              spec: {
                ...{ type: 'object', required: ['size'] },
                properties: {
                  size: { type: 'integer', minimum: 1, description: 'How large.' },
                  note: { type: 'string', enum: ['x', 'y'] },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}
const foo = { kind: 'Foo', apiVersion: 'printed.example.com/v1', metadata: { name: 'a' }, spec: { size: 2, note: 'x' } }

const daily: readonly Command[] = [
  ...['create namespace shop', 'create serviceaccount default', 'api-resources --sort-by=kind -o wide', 'api-versions', 'auth whoami'],
  ...['auth can-i create pods', 'get --raw /nothing', 'get nothing', 'get pods/none', 'get pods none1 none2'],
  ...['create deployment web --image=nginx --replicas=3 --port=80', 'create deployment web --image=nginx', 'get all'],
  ...['get deployments -o wide', 'describe deployment web', 'scale deployment web --replicas=5 --current-replicas=9'],
  ...['scale --replicas=1 deployment/web deployment/none', 'autoscale deployment web --min=1 --max=4 --cpu=80%', 'get hpa'],
  ...['describe hpa web', 'set image deployment/web nginx=nginx:2', 'set env deployment/web A=b', 'set env deployment/web --list'],
  ...['set resources deployment web --limits=cpu=1,memory=1Gi', 'rollout status deployment/web --timeout=1s'],
  ...['rollout history deployment/web', 'rollout pause deployment/web', 'rollout pause deployment/web', 'rollout restart deployment/web'],
  ...['rollout resume deployment/web', 'rollout undo deployment/web', 'rollout status deployment/none'],
  ...['expose deployment web --port=80 --target-port=8080 --type=NodePort', 'expose deployment web --port=80', 'get services -o wide'],
  ...['describe service web', 'create service externalname ext --external-name=example.com', 'create service loadbalancer lb --tcp=80'],
  ...['get deployment web --subresource=scale -o yaml', 'get deployment web --subresource=status'],
  ...['run one --image=nginx --labels=app=one --overrides={"spec":{"automountServiceAccountToken":false}}', 'get pods -o wide'],
  ...['get pods --field-selector=status.none=x', 'get pods -l app(', 'describe pod one', 'logs one', 'exec one -- date', 'attach one'],
  ...['debug one --image=busybox -c dbg', 'label pod one a=1', 'label pod one a=2', 'label pod one a-', 'annotate pod one a=1'],
  ...[
    'patch pod one --type=json -p [{"op":"test","path":"/spec/none","value":1}]',
    'patch pod one --type=merge -p {"spec":{"containers":[]}}',
  ],
  ...['patch pod one --subresource=resize -p {"spec":{"containers":[{"name":"one","resources":{"requests":{"cpu":"1"}}}]}}'],
  ...[
    'create configmap cm --from-literal=a=1',
    'create configmap cm --from-literal=a=1',
    'describe configmap cm',
    'get configmap cm -o yaml',
  ],
  ...['create secret generic sec --from-literal=p=q', 'describe secret sec', 'create token default', 'create token default --duration=1s'],
  ...['create token none', 'create quota q --hard=pods=10,cpu=4', 'describe quota q', 'create priorityclass pc --value=1000'],
  ...['create pdb pdb --selector=app=one --min-available=1', 'describe pdb pdb', 'create role r --verb=get,list --resource=pods,pods/log'],
  ...[
    'create role bad --verb=get --resource=none',
    'create rolebinding rb --role=r --user=alice',
    'describe role r',
    'describe rolebinding rb',
  ],
  ...['create job j --image=busybox -- date', 'create cronjob cj --image=busybox --schedule=x -- date', 'describe job j'],
  ...[
    'create cronjob cj --image=busybox --schedule=*/5\u00a0*\u00a0*\u00a0*\u00a0* -- date',
    'describe cronjob cj',
    'get jobs,cronjobs -o wide',
  ],
  ...['create ingress ing --rule=foo.com/bar=svc1:8080,tls=my-cert', 'describe ingress ing'],
].map((args): Command => [args])

const more: readonly Command[] = [
  ['apply -f -', node],
  ...[
    'describe node n1',
    'cordon n1',
    'cordon n1',
    'get nodes -o wide',
    'taint node n1 k=v:NoSchedule',
    'taint node n1 k=v:NoSchedule',
  ].map((args): Command => [args]),
  ...['taint node n1 bad:x', 'drain n1 --force --timeout=3s', 'drain none', 'top nodes', 'events', 'certificate approve none'].map(
    (args): Command => [args],
  ),
  ...(['apply -f -', 'apply -f -', 'create -f -'] as const).map((args): Command => [args, ...once]),
  ...['diff -f -', 'apply -f - --server-side', 'apply -f - --server-side --force-conflicts', 'apply -f -', 'replace -f -'].map(
    (args): Command => [args, ...again],
  ),
  ['apply view-last-applied configmap/m'],
  ...['apply -f -', 'apply -f - --validate=warn', 'apply -f - --server-side', 'create -f -'].map((args): Command => [args, ...mistaken]),
  ['delete -f - --wait=false', ...once],
  ['apply -f -', definition],
  ['wait --for=condition=Established crd/foos.printed.example.com --timeout=10s'],
  ['apply -f -', foo],
  ...['get foos -o wide', 'describe foo a', 'explain foos --recursive', 'explain foos.spec.size', 'scale foo a --replicas=3'].map(
    (args): Command => [args],
  ),
  ...['patch foo a --type=merge -p {"spec":{"size":"x"}}', 'patch foo a -p {"spec":{"size":4}}', 'delete foo a'].map(
    (args): Command => [args],
  ),
  ...['delete crd foos.printed.example.com', 'get foos', 'explain none', 'explain pods.spec.none', 'delete configmap cm none'].map(
    (args): Command => [args],
  ),
  ...['wait --for=condition=Available deployment/web --timeout=1s', 'delete pod one --now', 'delete node n1', 'get flowschemas'].map(
    (args): Command => [args],
  ),
  ...['get pods --as=bob', 'delete namespace shop --wait=false', 'describe namespace shop', 'create configmap late'].map(
    (args): Command => [args],
  ),
]

/** For the smallest object of each kind. */
const ofKinds: readonly Command[] = storedKinds
  .filter(({ specFinalizers }) => !specFinalizers)
  .flatMap((definition): Command[] => {
    const { names, version, group } = definition
    const found = objectOf(definition, 'printed')
    // The reference may come from a distribution that adds a certificate to the volume of the account's token.
    const object: JsonObject =
      found['kind'] === 'Pod' ? { ...found, spec: { automountServiceAccountToken: false, ...(found['spec'] as object) } } : found
    const resource = group === '' ? names.plural : `${names.plural}.${version}.${group}`
    const one = `-n default ${resource} ${(object['metadata'] as { name: string }).name}`
    const apiVersion = group === '' ? version : `${group}/${version}`
    return [
      ['apply -n default -f -', object],
      [`get ${one} -o wide`],
      [`get ${one} -o yaml`],
      [`describe ${one}`],
      ['apply -n default --server-side -f -', object],
      ['diff -n default -f -', object],
      [`explain ${names.plural} --recursive --api-version=${apiVersion}`],
      [`delete ${one} --dry-run=server`],
    ]
  })

/** What must differ between two servers or two runs. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)?/g, 'TIME'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/((resourceVersion: "?)|(Resource Version: +))\d+"?/g, '$1REVISION'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/\b(10\.0\.0|192\.0\.2)\.\d+\b(?!\/)/g, 'ADDRESS'],
  [/\b3[012]\d{3}\b/g, 'NODEPORT'],
  [/\b\d+(ms|s|m)(\d+s)?\b/g, 'AGE'],
  [/eyJ[\w.-]+/g, 'TOKEN'],
  [/(LIVE|MERGED)-\d+/g, '$1'],
  [/[EIW]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+/g, 'LOG'],
  [/ +/g, ' '],
  [/-{3,}/g, '---'],
]

/** Descriptions are our own sentences: of those of built-in kinds only the fields are left. */
const fieldsOf = (text: string) => text.split('\n').filter((line) => /^(GROUP|KIND|VERSION)|^\s*\S+\t</.test(line))

function shown(args: string, { code, stdout, stderr }: Ran) {
  const clear = (text: string) => replacements.reduce((before, [pattern, by]) => before.replaceAll(pattern, by), text)
  const output = clear(stdout)
  return { code, stdout: args.includes('--api-version=') ? fieldsOf(output) : output.split('\n'), stderr: clear(stderr) }
}

describe('what kubectl prints is what it prints with the reference', { skip, timeout: 900_000 }, () => {
  const servers: LoneServer[] = []
  const sides: Kubectl[] = []
  before(async () => {
    for (const name of ['this server', 'the reference'] as const) {
      if (kubectl === undefined) throw new Error('no kubectl')
      const server = await startLoneServer(name, () => [])
      servers.push(server)
      sides.push(kubectlWith(kubectl, server.kubeconfig, server.file('home')))
    }
  })
  after(async () => {
    for (const server of servers) await server.close()
  })

  for (const [index, [args, ...input]] of [...ofKinds, ...daily, ...more].entries())
    test(`${index + 1}: kubectl ${args}`, async () => {
      // Those of kinds and the first one name their own namespace.
      const own = index < ofKinds.length || args === 'create namespace shop' ? [] : ['--namespace=shop']
      const words = args.split(' ').map((word) => word.replaceAll('\u00a0', ' '))
      const stdin = input.map((each) => JSON.stringify(each)).join('\n---\n')
      const [ours, theirs] = await Promise.all(
        sides.map(async (side) => shown(args, await side.try([...own, ...words], { ...(stdin !== '' && { stdin }) }))),
      )
      assert.deepEqual(ours, theirs)
    })
})
