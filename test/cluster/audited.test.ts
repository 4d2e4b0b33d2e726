/**
 * Audit events of requests that meet webhooks, policies and all kinds of audit rules: whole events of this server and of the reference, which both
 * call the same webhooks.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type Event, normalEvent } from '../reference/audit/normal.ts'
import { eventually } from '../support/wait.ts'
import { startWebhookProcess, type WebhookProcess } from '../support/webhook-process.ts'
import { type LoneServer, startLoneServer } from './lone-server.ts'
import { programPath } from './programs.ts'

const skip = programPath('kube-apiserver') === undefined && 'not installed (on PATH or in KUBERNETES_BIN): kube-apiserver'

const everything = { group: '*' }
const policy = {
  kind: 'Policy',
  apiVersion: 'audit.k8s.io/v1',
  omitManagedFields: true,
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['/healthz*', '/livez', '/readyz'] },
    { level: 'None', resources: [{ group: '', resources: ['configmaps'], resourceNames: ['unseen'] }] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'pods/log'] }], omitStages: ['RequestReceived'] },
    { level: 'Request', verbs: ['delete', 'deletecollection'], resources: [everything] },
    { level: 'RequestResponse', namespaces: ['hooked'], resources: [{ group: '' }], omitStages: ['RequestReceived'] },
    { level: 'RequestResponse', userGroups: ['dev'], omitManagedFields: false },
    { level: 'RequestResponse', resources: [{ group: 'apps', resources: ['*/scale'] }], omitManagedFields: false },
    { level: 'Request', verbs: ['watch'], omitStages: ['ResponseStarted'] },
    { level: 'Metadata', nonResourceURLs: ['*'] },
    { level: 'RequestResponse' },
  ],
}

const core = '/api/v1/namespaces/hooked'
const registration = '/apis/admissionregistration.k8s.io/v1'
const configMap = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { a: '1' } })
const container = { name: 'web', image: 'nginx' }
const deployment = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
  },
}

/** Nothing listens there. */
const closed = 'https://127.0.0.1:1'

type Phase = 'mutating' | 'validating'

interface Hook {
  readonly path: string
  /** Label of the config maps that it is for. */
  readonly for: string
  readonly ignores?: true
}

const hooks: { readonly [phase in Phase]: readonly Hook[] } = {
  mutating: [
    { path: '/label', for: 'patched' },
    { path: '/same', for: 'patched' },
    { path: '/annotate', for: 'patched' },
    { path: 'closed', for: 'mutation-ignored', ignores: true },
    { path: 'closed', for: 'mutation-failed' },
  ],
  validating: [
    { path: '/annotate', for: 'noted' },
    { path: '/deny', for: 'denied' },
    { path: 'closed', for: 'validation-ignored', ignores: true },
    { path: 'closed', for: 'validation-failed' },
    { path: '/close', for: 'validation-closed', ignores: true },
  ],
}

function webhooks(phase: Phase, { port, caBundle }: WebhookProcess): object {
  const kind = phase === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration'
  return {
    kind,
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: `${phase}-hooks` },
    webhooks: hooks[phase].map(({ path, for: wanted, ignores }, index) => ({
      name: `h${index}.${phase}.example.com`,
      clientConfig: { url: path === 'closed' ? closed : `https://127.0.0.1:${port}${path}`, caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { for: wanted } },
      failurePolicy: ignores ? 'Ignore' : 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
    })),
  }
}

const policyOf = (kind: string, name: string, spec: object) => ({
  metadata: { name },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { for: name } },
    },
    ...(kind === 'mutating' ? { reinvocationPolicy: 'Never', failurePolicy: 'Fail' } : {}),
    ...spec,
  },
})
const bound = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { policyName: name, ...spec } })

interface Step {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly headers?: { readonly [name: string]: string }
  /** Sent again until the event has this text: webhooks and policies take effect a moment after they are stored. */
  readonly until?: string
}

const create = (name: string, until?: string): Step => ({
  name,
  method: 'POST',
  path: `${core}/configmaps?dryRun=All`,
  body: configMap('one', { labels: { for: name } }),
  ...(until !== undefined && { until }),
})
const asJane = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' }

const stepsOf = (service: WebhookProcess): readonly Step[] => [
  { name: 'namespace', method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'hooked' } } },
  {
    name: 'validating webhooks',
    method: 'POST',
    path: `${registration}/validatingwebhookconfigurations`,
    body: webhooks('validating', service),
  },
  { name: 'mutating webhooks', method: 'POST', path: `${registration}/mutatingwebhookconfigurations`, body: webhooks('mutating', service) },
  create('patched', 'patch.webhook.admission.k8s.io'),
  create('mutation-ignored', 'failed-open'),
  create('mutation-failed', 'failed calling webhook'),
  create('noted', 'example.com/seen'),
  create('denied', 'denied the request'),
  create('validation-ignored', 'failed-open'),
  create('validation-failed', 'failed calling webhook'),
  create('validation-closed', 'failed-open'),
  create('without a webhook'),
  { name: 'stored and patched', method: 'POST', path: `${core}/configmaps`, body: configMap('kept', { labels: { for: 'patched' } }) },
  {
    name: 'an update that is patched',
    method: 'PUT',
    path: `${core}/configmaps/kept`,
    body: configMap('kept', { labels: { for: 'patched' }, annotations: { a: 'b' } }),
  },
  {
    name: 'a patch that is patched',
    method: 'PATCH',
    path: `${core}/configmaps/kept`,
    body: { metadata: { annotations: { c: 'd' } } },
    headers: { 'content-type': 'application/merge-patch+json' },
  },
  {
    name: 'a patch of a webhook that changes nothing, on create',
    method: 'POST',
    path: `${core}/configmaps`,
    body: configMap('labelled', { labels: { for: 'patched', checked: 'yes' } }),
  },
  {
    name: 'a patch of a webhook that changes nothing, on update',
    method: 'PUT',
    path: `${core}/configmaps/labelled`,
    body: { ...configMap('labelled', { labels: { for: 'patched', checked: 'yes' } }), data: { a: '2' } },
  },
  {
    name: 'a patch of a webhook that changes nothing, on an update that changes nothing',
    method: 'PUT',
    path: `${core}/configmaps/labelled`,
    body: { ...configMap('labelled', { labels: { for: 'patched', checked: 'yes' } }), data: { a: '2' } },
  },
  { name: 'a deletion with webhooks', method: 'DELETE', path: `${core}/configmaps/kept` },
  {
    name: 'validating policy',
    method: 'POST',
    path: `${registration}/validatingadmissionpolicies`,
    body: policyOf('validating', 'judged', {
      validations: [{ expression: "object.data.a == '2'", message: 'a must be 2' }],
      auditAnnotations: [{ key: 'a', valueExpression: "'a is ' + object.data.a" }],
    }),
  },
  {
    name: 'binding that warns and notes',
    method: 'POST',
    path: `${registration}/validatingadmissionpolicybindings`,
    body: bound('judged', { validationActions: ['Warn', 'Audit'] }),
  },
  create('judged', 'validation_failure'),
  {
    name: 'mutating policy',
    method: 'POST',
    path: `${registration}/mutatingadmissionpolicies`,
    body: policyOf('mutating', 'changed', {
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/b', value: '3'}]" } }],
    }),
  },
  {
    name: 'binding of the mutating policy',
    method: 'POST',
    path: `${registration}/mutatingadmissionpolicybindings`,
    body: bound('changed'),
  },
  create('changed', '"b":"3"'),
  { name: 'level None', path: `${core}/configmaps/unseen` },
  { name: 'level Metadata', method: 'POST', path: `${core}/secrets`, body: { metadata: { name: 's' }, stringData: { key: 'hidden' } } },
  { name: 'level Request', method: 'DELETE', path: `${core}/secrets?labelSelector=a%3Db` },
  {
    name: 'a deployment, whose managed fields are left out',
    method: 'POST',
    path: '/apis/apps/v1/namespaces/hooked/deployments',
    body: deployment,
  },
  { name: 'a list without managed fields', path: '/apis/apps/v1/namespaces/hooked/deployments' },
  { name: 'a subresource of all resources', path: '/apis/apps/v1/namespaces/hooked/deployments/web/scale' },
  { name: 'a user of a group', path: `/apis/apps/v1/namespaces/hooked/deployments/web`, headers: asJane },
  { name: 'a user of a group who is denied', method: 'DELETE', path: `${core}/pods/none`, headers: asJane },
  { name: 'a watch with an omitted stage', path: '/apis/apps/v1/namespaces/hooked/deployments?watch=1&timeoutSeconds=1' },
  { name: 'a denied watch', path: '/api/v1/secrets?watch=1', headers: asJane },
  { name: 'a path without resources', path: '/version' },
  { name: 'a path that nobody hears of', path: '/healthz/ping' },
  { name: 'exec into a pod that is not there', path: `${core}/pods/none/exec?command=date`, method: 'POST' },
  { name: 'a log that is not there', path: `${core}/pods/none/log` },
  { name: 'a deprecated version', path: `${core}/componentstatuses` },
  { name: 'endpoints, which are deprecated', path: `${core}/endpoints` },
]

interface Side {
  readonly server: LoneServer
  readonly log: string
}

const linesOf = ({ log }: Side, id: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"auditID":"${id}"`))

/** Sends a request and returns its events when the last one is there; a request that is not recorded has none. */
async function eventsOf(side: Side, { name, method = 'GET', path, body, headers, until }: Step): Promise<readonly Event[]> {
  const send = async (id: string) => {
    await side.server.api.send(method, path, body, { 'audit-id': id, 'user-agent': 'kubectl/v1.36.2', ...headers })
    // Requests that are not recorded have no last event: this one comes after theirs.
    await side.server.api.send('GET', '/version', undefined, { 'audit-id': `${id} sent` })
    await eventually(`the end of ${id}`, async () => linesOf(side, `${id} sent`).some((line) => line.includes('ResponseComplete')))
    return linesOf(side, id)
  }
  let lines = await send(`${name}/0`)
  if (until !== undefined) {
    let attempt = 0
    await eventually(`${name}: ${until}`, async () => {
      if (lines.some((line) => line.includes(until))) return true
      lines = await send(`${name}/${++attempt}`)
      return false
    })
  }
  return lines.map((line) => ({ ...normalEvent(line.replaceAll(/127\.0\.0\.1:(?!1\b)\d+/g, 'HOST:PORT')), auditID: name }))
}

describe('audit events of requests that meet webhooks, policies and rules', { skip, timeout: 600_000 }, () => {
  const sides: Side[] = []
  let service: WebhookProcess | undefined
  let steps: readonly Step[] = []
  before(async () => {
    service = await startWebhookProcess()
    steps = stepsOf(service)
    for (const name of ['this server', 'the reference'] as const) {
      const server = await startLoneServer(name, (file) => [
        `--audit-policy-file=${file('policy.json', JSON.stringify(policy))}`,
        `--audit-log-path=${file('audit.log')}`,
        '--runtime-config=admissionregistration.k8s.io/v1=true',
      ])
      sides.push({ server, log: server.file('audit.log') })
    }
  })
  after(async () => {
    for (const { server } of sides) await server.close()
    service?.stop()
  })

  for (const [index, { name }] of stepsOf({ port: 0, caBundle: '', stop() {} }).entries())
    test(name, async () => {
      const step = steps[index] as Step
      const [ours, theirs] = await Promise.all(sides.map((side) => eventsOf(side, step)))
      assert.deepEqual(ours, theirs)
      if (step.until !== undefined) assert.ok((ours?.length ?? 0) > 0)
    })
})
