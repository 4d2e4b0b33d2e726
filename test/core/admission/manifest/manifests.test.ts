/** Webhooks and policies from files instead of the API (KEP-5793): what is loaded, refused and reloaded. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Files } from '../../../../core/ports.ts'
import { startCore } from '../../../support/core-server.ts'
import { eventually } from '../../../support/wait.ts'

const folder = '/etc/manifests'
const admissionFile = '/etc/admission.yaml'
const gate = 'ManifestBasedAdmissionControlConfig'

/** Files in memory; changes are reported at once. */
class MemoryFiles implements Files {
  readonly #texts = new Map<string, string>()
  readonly #watches = new Set<() => void>()

  set(path: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(path)
    else this.#texts.set(path, text)
    for (const changed of this.#watches) changed()
  }

  async read(path: string): Promise<Uint8Array> {
    const text = this.#texts.get(path)
    if (text === undefined) throw new Error(`read ${path}: no such file`)
    return new TextEncoder().encode(text)
  }

  async list(directory: string): Promise<readonly string[]> {
    if (directory !== folder) throw new Error(`read ${directory}: no such folder`)
    return [...this.#texts.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1))
  }

  watch(_path: string, changed: () => void): () => void {
    this.#watches.add(changed)
    return () => this.#watches.delete(changed)
  }
}

const version = 'admissionregistration.k8s.io/v1'
const policy = (name: string, expression: string, resources = ['configmaps'], apiGroups = ['']) => ({
  apiVersion: version,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [{ apiGroups, apiVersions: ['*'], operations: ['CREATE'], resources }] },
    validations: [{ expression }],
  },
})
const binding = (name: string, policyName: string) => ({
  apiVersion: version,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName, validationActions: ['Deny'] },
})
const webhook = (name: string, clientConfig: object, kind = 'ValidatingWebhookConfiguration') => ({
  apiVersion: version,
  kind,
  metadata: { name },
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [
        { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['configmaps', 'validatingwebhookconfigurations'] },
      ],
    },
  ],
})
const texts = (...objects: readonly object[]) => objects.map((each) => JSON.stringify(each)).join('\n---\n')

const configurations = {
  ValidatingAdmissionPolicy: 'ValidatingAdmissionPolicyConfiguration',
  MutatingAdmissionPolicy: 'MutatingAdmissionPolicyConfiguration',
  ValidatingAdmissionWebhook: 'WebhookAdmissionConfiguration',
  MutatingAdmissionWebhook: 'WebhookAdmissionConfiguration',
}
type Plugin = keyof typeof configurations

const admission = (plugin: Plugin, staticManifestsDir: string) =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [
      { name: plugin, configuration: { apiVersion: 'apiserver.config.k8s.io/v1', kind: configurations[plugin], staticManifestsDir } },
    ],
  })

interface Setup {
  readonly plugin?: Plugin
  readonly gates?: readonly string[]
  readonly directory?: string
  readonly outbound?: (url: string) => object
}

async function start(manifests: { readonly [file: string]: string }, { plugin = 'ValidatingAdmissionPolicy', ...setup }: Setup = {}) {
  const files = new MemoryFiles()
  files.set(admissionFile, admission(plugin, setup.directory ?? folder))
  for (const [file, text] of Object.entries(manifests)) files.set(`${folder}/${file}`, text)
  const logged: string[] = []
  const log = (_fields: object, message: string) => void logged.push(message)
  const called: string[] = []
  const server = await startCore(
    {
      admissionFile,
      controllers: [],
      admissionPlugins: { disable: ['ServiceAccount'] },
      serves: () => true,
      gates: parseFeatureGates(setup.gates ?? [`${gate}=true`], createPlatform()),
    },
    {
      files,
      telemetry: { logger: { debug() {}, info: log, warn() {}, error: log } },
      outbound: {
        async fetch(request) {
          const { request: review } = (await request.json()) as { request: { uid: string } }
          called.push(request.url)
          const response = { uid: review.uid, allowed: false, status: { message: 'not today' } }
          return Response.json({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })
        },
        call: () => Promise.reject(new Error('not in this test')),
      },
    },
  )
  after(() => server.close())
  const send = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await server.fetch(new Request(`http://x${path}`, init))
    const text = await response.text()
    const message = text.startsWith('{') ? ((JSON.parse(text) as { message?: string }).message ?? '') : ''
    return { code: response.status, message, text, warning: response.headers.get('warning') ?? '' }
  }
  const create = () => send('/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'c' } })
  /** Resolves when something with this message has been logged that often. */
  const seen = (message: string, times = 1) =>
    eventually(`"${message}" logged ${times} times`, async () => logged.filter((each) => each.startsWith(message)).length >= times)
  return { files, send, create, called, seen }
}

const group = `/apis/${version}`
const denied = "ValidatingAdmissionPolicy 'p.static.k8s.io' with binding 'b.static.k8s.io' denied request: failed expression: false"
const both = texts(policy('p.static.k8s.io', 'false'), binding('b.static.k8s.io', 'p.static.k8s.io'))

test('policies from files hold without being in the API, and follow the files', async () => {
  const { files, send, create, seen } = await start({ 'a.yaml': both })
  assert.ok((await create()).message.endsWith(denied), (await create()).message)
  for (const plural of ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'])
    assert.match((await send(`${group}/${plural}`)).text, /"items":\[\]/)
  // Hashes of names are made beside the requests.
  const counted = (line: RegExp) => eventually(`metric ${line}`, async () => line.test((await send('/metrics')).text))
  await counted(/apiserver_manifest_admission_config_controller_automatic_reloads_total\{[^}]*plugin="ValidatingAdmissionPolicy"[^}]*\} 1/)
  await counted(/last_config_info\{[^}]*hash="sha256:[0-9a-f]{64}"/)

  files.set(`${folder}/a.yaml`, both.replace('false', 'true'))
  await seen('admission manifests reloaded')
  assert.equal((await create()).code, 201)

  files.set(`${folder}/b.yaml`, '{"apiVersion":"v1","kind":"ConfigMap"}')
  await seen('reload of admission manifests failed')
  assert.equal((await create()).code, 201, 'the last valid ones stay in use')
  await counted(/automatic_reloads_total\{[^}]*status="failure"[^}]*\} 1/)

  files.set(`${folder}/b.yaml`, undefined)
  files.set(`${folder}/a.yaml`, both)
  await seen('admission manifests reloaded', 2)
  assert.ok((await create()).message.endsWith(denied))
  files.set(`${folder}/a.yaml`, undefined)
  await seen('admission manifests reloaded', 3)
  assert.equal((await create()).code, 201)
})

test('policies from files apply to policies, and a policy of the API with a binding of a file does not exist', async () => {
  const guard = policy('p.static.k8s.io', 'false', ['validatingadmissionpolicies'], ['admissionregistration.k8s.io'])
  const { send } = await start({ 'a.yaml': texts(guard, binding('b.static.k8s.io', 'p.static.k8s.io')) })
  assert.ok((await send(`${group}/validatingadmissionpolicies`, policy('other', 'true'))).message.endsWith(denied))
})

test('webhooks from files are called, also for webhook configurations', async () => {
  const { send, create, called } = await start(
    { 'a.json': JSON.stringify(webhook('w.static.k8s.io', { url: 'https://127.0.0.1:1/review' })) },
    { plugin: 'ValidatingAdmissionWebhook' },
  )
  assert.match((await create()).message, /^admission webhook "hook\.example\.com" denied the request: not today$/)
  assert.match((await send(`${group}/validatingwebhookconfigurations`, webhook('other', { url: 'https://x/y' }))).message, /not today$/)
  assert.deepEqual(
    called.map((url) => url.replace(/\?.*/, '')),
    ['https://127.0.0.1:1/review', 'https://127.0.0.1:1/review'],
  )
  assert.match((await send(`${group}/validatingwebhookconfigurations`)).text, /"items":\[\]/)
})

test('the API refuses the names of objects from files with the gate, and warns without it', async () => {
  const objects = [
    ['validatingadmissionpolicies', policy('x.static.k8s.io', 'true')],
    ['validatingadmissionpolicybindings', binding('x.static.k8s.io', 'y')],
    ['validatingwebhookconfigurations', webhook('x.static.k8s.io', { url: 'https://x/y' })],
    ['mutatingwebhookconfigurations', webhook('x.static.k8s.io', { url: 'https://x/y' }, 'MutatingWebhookConfiguration')],
    [
      'mutatingadmissionpolicybindings',
      { ...binding('x.static.k8s.io', 'y'), kind: 'MutatingAdmissionPolicyBinding', spec: { policyName: 'y' } },
    ],
  ] as const
  const reserved =
    'names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API'
  const [on, off] = [await start({}), await start({}, { gates: [], directory: '' })]
  for (const [plural, object] of objects) {
    const refused = await on.send(`${group}/${plural}?dryRun=All`, object)
    assert.equal(refused.code, 422, plural)
    assert.ok(refused.message.endsWith(`metadata.name: Invalid value: "x.static.k8s.io": ${reserved}`), refused.message)
    const warned = await off.send(`${group}/${plural}?dryRun=All`, object)
    assert.equal(warned.code, 201, warned.message)
    assert.ok(warned.warning.replaceAll('\\"', '"').includes(`metadata.name: ${reserved}`), `${plural}: ${warned.warning}`)
  }
})

test('a start without the gate, or with invalid files, fails with file and reason', async () => {
  const refused = async (expected: RegExp | string, manifests: { readonly [file: string]: string }, setup?: Setup) => {
    const error = await start(manifests, setup).then(
      () => assert.fail(`started: ${expected}`),
      (reason: Error) => reason.message,
    )
    if (typeof expected === 'string') assert.ok(error.includes(expected), error)
    else assert.match(error, expected)
  }
  const hooks = { plugin: 'ValidatingAdmissionWebhook' } as const
  const at = `failed to load static policy manifests from "${folder}": error loading ${folder}/a.yaml: `
  await refused('staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled', {}, { gates: [] })
  await refused('"manifests": must be an absolute file path', {}, { directory: 'manifests' })
  await refused('failed to load static policy manifests from "/none": read /none: no such folder', {}, { directory: '/none' })
  await refused(`${at}"p" in file "${folder}/a.yaml" must have a name ending with ".static.k8s.io"`, {
    'a.yaml': texts(policy('p', 'true')),
  })
  await refused(`${at}duplicate name "p.static.k8s.io" found in file`, {
    'a.yaml': texts(policy('p.static.k8s.io', 'true'), policy('p.static.k8s.io', 'true')),
  })
  await refused('binding "b.static.k8s.io" references policy "q.static.k8s.io" which does not exist in the manifest directory', {
    'a.yaml': texts(binding('b.static.k8s.io', 'q.static.k8s.io')),
  })
  await refused(`${at}binding "b.static.k8s.io": spec.policyName "q" must end with ".static.k8s.io"`, {
    'a.yaml': texts(binding('b.static.k8s.io', 'q')),
  })
  const parametrized = policy('p.static.k8s.io', 'true')
  await refused('spec.paramKind is not supported for static manifests', {
    'a.yaml': texts({ ...parametrized, spec: { ...parametrized.spec, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } }),
  })
  await refused(/error loading .*: ValidatingAdmissionPolicy "p\.static\.k8s\.io": spec\.validations\[0\]\.expression: Invalid value/, {
    'a.yaml': texts(policy('p.static.k8s.io', 'nope')),
  })
  await refused(`${at}unsupported resource type *v1.ValidatingWebhookConfiguration`, {
    'a.yaml': texts(webhook('w.static.k8s.io', { url: 'https://x/y' })),
  })
  await refused(`${at}no kind "ConfigMap" is registered for version "v1"`, { 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\n' })
  await refused(`${at}strict decoding error: unknown field "extra"`, { 'a.yaml': texts({ ...parametrized, extra: 1 }) })
  const service = { service: { namespace: 'n', name: 's' } }
  await refused(
    'clientConfig.service is not supported for static manifests; use clientConfig.url instead',
    {
      'a.yaml': texts(webhook('w.static.k8s.io', service)),
    },
    hooks,
  )
})

test('lists, several documents and other files', async () => {
  const items = [policy('p.static.k8s.io', 'false'), binding('b.static.k8s.io', 'p.static.k8s.io')]
  for (const manifests of [
    { 'a.yml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) },
    {
      'a.json': JSON.stringify({ apiVersion: version, kind: 'ValidatingAdmissionPolicyList', items: [items[0]] }),
      'b.YAML': JSON.stringify(items[1]),
    },
    { 'a.yaml': `---\n\n---\n${both}`, 'notes.txt': '{' },
  ])
    assert.ok((await (await start(manifests)).create()).message.endsWith(denied), Object.keys(manifests).join())
})
