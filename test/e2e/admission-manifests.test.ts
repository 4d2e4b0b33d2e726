/** Policies in a folder of manifests (KEP-5793): the daemon reads them from the disk, again when they change, and keeps the last valid ones. */
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const home = temporaryDirectory('manifests')
const folder = temporaryDirectory('manifests')
const config = join(home.path, 'admission.yaml')
let daemon: Daemon

const policy = (name: string, message: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}.static.k8s.io}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "!object.metadata.name.startsWith('bad')", message: "${message}"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}-binding.static.k8s.io}
spec: {policyName: ${name}.static.k8s.io, validationActions: [Deny]}
`

/** In one step, as tools write files that others follow. */
function put(name: string, text: string): void {
  writeFileSync(join(home.path, name), text)
  renameSync(join(home.path, name), join(folder.path, name))
}

async function create(name: string): Promise<string> {
  const response = await daemon.fetch('/api/v1/namespaces/default/configmaps?dryRun=All', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  })
  return response.status === 201 ? 'created' : ((await response.json()) as { message: string }).message
}
const refusal = (message: string) =>
  new RegExp(`^configmaps "bad" is forbidden: ValidatingAdmissionPolicy '.*' with binding '.*' denied request: ${message}$`)
const refused = (message: string) =>
  eventually(`refusal: ${message}`, async () => (refusal(message).test(await create('bad')) ? true : undefined))

before(async () => {
  writeFileSync(
    config,
    `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ValidatingAdmissionPolicy
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ValidatingAdmissionPolicyConfiguration
    staticManifestsDir: ${folder.path}
`,
  )
  put('one.yaml', policy('one', 'first'))
  daemon = await startDaemon({
    flags: [
      '--data-dir=:memory:',
      '--platform=kubernetes',
      '--feature-gates=ManifestBasedAdmissionControlConfig=true',
      `--admission-control-config-file=${config}`,
    ],
  })
})
after(async () => {
  await daemon?.stop()
  home.remove()
  folder.remove()
})

test('policies of files hold from the first request on, and follow their files', async () => {
  assert.match(await create('bad'), refusal('first'))
  assert.equal(await create('good'), 'created')
  const listed = await daemon.fetch('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies')
  assert.deepEqual(((await listed.json()) as { items: unknown[] }).items.length, 0)

  put('one.yaml', policy('one', 'second'))
  await refused('second')

  put('broken.yaml', 'kind: [')
  await eventually('the log names the broken file', async () => (daemon.log().includes('broken.yaml') ? true : undefined))
  assert.match(await create('bad'), refusal('second'))

  // What else changes meanwhile does not count before all files are valid.
  const failures = () => daemon.log().split('broken.yaml').length - 1
  const before = failures()
  put('one.yaml', policy('one', 'third'))
  await eventually('a reload that fails', async () => (failures() > before ? true : undefined))
  assert.match(await create('bad'), refusal('second'))
  rmSync(join(folder.path, 'broken.yaml'))
  await refused('third')

  rmSync(join(folder.path, 'one.yaml'))
  await eventually('no policy', async () => ((await create('bad')) === 'created' ? true : undefined))
})
