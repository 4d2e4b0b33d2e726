/** The file of `--admission-control-config-file`: plugin configurations, and errors with file and field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPluginConfigurations } from '../../../../core/admission/file/load.ts'
import { createPlatform, type Platform } from '../../../../core/platform.ts'
import type { Files } from '../../../../core/ports.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'

const path = '/etc/admission.yaml'
const filesWith = (texts: { readonly [path: string]: string }): Files => ({
  async read(file) {
    const text = texts[file]
    if (text === undefined) throw new Error(`${file}: no such file`)
    return new TextEncoder().encode(text)
  },
  watch: () => () => {},
})

const file = (...plugins: readonly object[]) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins })

function load(text: string, others: { readonly [path: string]: string } = {}, platform: Platform = createPlatform('kubernetes')) {
  const ports = { files: filesWith({ [path]: text, ...others }), clock: new ManualClock() }
  return loadPluginConfigurations(path, { platform, gates: { enabled: () => true }, ports })
}
const inline = (name: string, configuration: object) => load(file({ name, configuration }))

const podSecurity = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' }
const quota = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' }
const events = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' }
const tolerations = { apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1', kind: 'Configuration' }
const webhook = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' }

const connection = `
apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: "https://images/policy" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
`

test('inline and by path, with defaults', async () => {
  const unlimited = { level: 'privileged', version: 'latest' }
  assert.deepEqual(await load(file()), {})
  assert.deepEqual(await inline('PodSecurity', podSecurity), {
    PodSecurity: {
      defaults: { enforce: unlimited, audit: unlimited, warn: unlimited },
      exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
    },
  })
  const full = {
    ...podSecurity,
    defaults: { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted' },
    exemptions: { namespaces: ['kube-system'], usernames: ['u'], runtimeClasses: ['vm'] },
  }
  const expected = {
    PodSecurity: {
      defaults: { enforce: { level: 'baseline', version: '1.30' }, audit: unlimited, warn: { ...unlimited, level: 'restricted' } },
      exemptions: full.exemptions,
    },
  }
  assert.deepEqual(await inline('PodSecurity', full), expected)
  assert.deepEqual(await inline('PodSecurity', { ...full, apiVersion: 'pod-security.admission.config.k8s.io/v1beta1' }), expected)
  const beside = { '/etc/psa.yaml': JSON.stringify(full) }
  assert.deepEqual(await load(file({ name: 'PodSecurity', path: 'psa.yaml' }), beside), expected, 'relative to the file')
  assert.deepEqual(await load(file({ name: 'PodSecurity', path: '/gone', configuration: full })), expected, 'inline takes precedence')

  const limited = [{ resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] }]
  const loaded = [{ apiGroup: '', matchContains: [], ...limited[0] }]
  assert.deepEqual(await inline('ResourceQuota', { ...quota, limitedResources: limited }), { ResourceQuota: { limitedResources: loaded } })
  const old = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration', limitedResources: limited }
  assert.deepEqual(await inline('ResourceQuota', old), { ResourceQuota: { limitedResources: loaded } })

  const limits = [{ type: 'Namespace', qps: 50, burst: 100 }]
  assert.deepEqual(await inline('EventRateLimit', { ...events, limits }), { EventRateLimit: { limits: [{ ...limits[0], cacheSize: 0 }] } })
  const any = { operator: 'Exists' }
  assert.deepEqual(await inline('PodTolerationRestriction', { ...tolerations, whitelist: [any] }), {
    PodTolerationRestriction: { defaults: [], whitelist: [any] },
  })
  assert.deepEqual(await inline('PodNodeSelector', { podNodeSelectorPluginConfig: { dev: 'a=b,c=d' } }), {
    PodNodeSelector: { selectors: { dev: { a: 'b', c: 'd' } } },
  })
  const images = await load(
    file({ name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile: '/etc/images', allowTTL: 60, denyTTL: -1 } } }),
    { '/etc/images': connection },
  )
  const { connection: to, ...settings } = images.ImagePolicyWebhook ?? {}
  assert.deepEqual(settings, { allowTtl: 60_000, denyTtl: 0, retryBackoff: 500, defaultAllow: false })
  assert.equal(to?.url, 'https://images/policy')
  for (const name of ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'] as const) {
    const both = await load(file({ name, configuration: { ...webhook, kubeConfigFile: '/etc/hooks' } }), { '/etc/hooks': connection })
    const shown = both[name]?.credentials?.('hook.dev.svc:443')
    assert.equal(await shown?.authorization?.(), 'Bearer t', name)
  }
  assert.deepEqual(await load(file({ name: 'AlwaysAdmit', configuration: { any: 'thing' } })), {}, 'a plugin without configuration')
})

const problems: readonly (readonly [name: string, configuration: object, message: RegExp])[] = [
  ['PodSecurity', {}, /^\/etc\/admission\.yaml: plugins\[0\]\.configuration\.kind: Required value$/],
  [
    'PodSecurity',
    { ...podSecurity, apiVersion: 'v1' },
    /plugins\[0\]\.configuration\.apiVersion: no kind "PodSecurityConfiguration" is registered for version "v1"; use pod-security\.admission\.config\.k8s\.io\/v1/,
  ],
  ['PodSecurity', { ...podSecurity, default: {} }, /plugins\[0\]\.configuration: unknown field "default"/],
  ['PodSecurity', { ...podSecurity, defaults: { enforced: '' } }, /unknown field "defaults\.enforced"/],
  [
    'PodSecurity',
    { ...podSecurity, defaults: { warn: 'strict', 'audit-version': '1.2' } },
    /configuration\.defaults\.audit-version: Invalid value: "1\.2": must be "latest" or "v1\.x"; .*configuration\.defaults\.warn: Invalid value: "strict": must be one of privileged, baseline, restricted/,
  ],
  [
    'PodSecurity',
    { ...podSecurity, exemptions: { usernames: [''] } },
    /exemptions\.usernames\[0\]: Invalid value: "": username must not be empty/,
  ],
  ['PodSecurity', { ...podSecurity, exemptions: { namespaces: ['a', 'a'] } }, /exemptions\.namespaces\[1\]: Duplicate value: "a"/],
  ['PodSecurity', { ...podSecurity, exemptions: { runtimeClasses: ['A'] } }, /exemptions\.runtimeClasses\[0\]: Invalid value: "A"/],
  ['ResourceQuota', { ...quota, limitedResources: [{}] }, /limitedResources\[0\]\.resource: Required value/],
  ['EventRateLimit', events, /configuration\.limits: Invalid value: \[\]: must not be empty/],
  [
    'EventRateLimit',
    { ...events, limits: [{ type: 'Pod', qps: 0, burst: -1, cacheSize: -1 }] },
    /limits\[0\]\.type: Unsupported value: "Pod": supported values: "Namespace", "Server", "SourceAndObject", "User"; .*burst: Invalid value: -1: must be positive; .*qps: .*; .*cacheSize: Invalid value: -1: must not be negative/,
  ],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', operator: 'Like' }] }, /configuration\.default\[0\]\.operator/],
  [
    'PodNodeSelector',
    { podNodeSelectorPluginConfig: { dev: 'a' } },
    /podNodeSelectorPluginConfig\[dev\]: Invalid value: "a": invalid selector: \[a\]/,
  ],
  ['ImagePolicyWebhook', {}, /imagePolicy\.platformConfigFile: Required value/],
  [
    'ImagePolicyWebhook',
    { imagePolicy: { kubeConfigFile: '/x', allowTTL: 9999 } },
    /allowTTL: Invalid value: 9999: must be between 1 and 1800/,
  ],
  [
    'ValidatingAdmissionWebhook',
    { ...webhook, kubeConfigFile: 'relative' },
    /platformConfigFile: Invalid value: "relative": must be an absolute file path/,
  ],
]

test(`${problems.length} errors`, async () => {
  for (const [name, configuration, message] of problems)
    await assert.rejects(inline(name, configuration), (error: Error) => {
      assert.match(error.message, message)
      return true
    })
  const text = file({ name: 'PodSecurity', path: '/etc/psa.yaml' })
  await assert.rejects(load(text), /\/etc\/psa\.yaml/)
  await assert.rejects(
    load(text, { '/etc/psa.yaml': JSON.stringify({ ...podSecurity, x: 1 }) }),
    /^ConfigurationFileError: \/etc\/psa\.yaml: unknown field "x"$/,
  )
  await assert.rejects(load(text, { '/etc/psa.yaml': '- a' }), /must be an object of kind PodSecurityConfiguration/)
})

test('API groups of another platform domain', async () => {
  const platform = createPlatform('platform', 'example.org')
  const text = JSON.stringify({
    apiVersion: 'apiserver.config.example.org/v1',
    kind: 'AdmissionConfiguration',
    plugins: [
      {
        name: 'EventRateLimit',
        configuration: {
          ...events,
          apiVersion: 'eventratelimit.admission.example.org/v1alpha1',
          limits: [{ type: 'Server', qps: 1, burst: 1 }],
        },
      },
    ],
  })
  assert.equal((await load(text, {}, platform)).EventRateLimit?.limits.length, 1)
})

test('a server applies the file, and does not start with an invalid one', async () => {
  const strict = { ...podSecurity, defaults: { enforce: 'restricted' } }
  const start = (configuration: object) =>
    startInProcess({
      controllers: [],
      admissionFile: path,
      admissionPlugins: { disable: ['ServiceAccount'] },
      files: filesWith({ [path]: file({ name: 'PodSecurity', configuration }) }),
    })
  const { server } = await start({ ...strict, apiVersion: 'pod-security.admission.config.k8s.io/v1' })
  const body = JSON.stringify({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  const request = new Request('http://server/api/v1/namespaces/default/pods', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const response = await server.fetch(request)
  assert.equal(response.status, 403)
  assert.match(((await response.json()) as { message: string }).message, /violates PodSecurity "restricted:latest"/)
  await server.close()
  await assert.rejects(start({ ...strict, extra: 1 }), /unknown field "extra"/)
})
