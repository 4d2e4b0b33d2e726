import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadWebhookCredentials } from '../../../../core/outgoing/webhook/credentials-file.ts'
import type { Files } from '../../../../core/ports.ts'
import { ManualClock } from '../../../support/clock.ts'

const file = `
apiVersion: v1
kind: Config
users:
- {name: 'hook.dev.svc:8443', user: {token: exact-port}}
- {name: hook.dev.svc, user: {token: exact}}
- {name: '*.dev.svc', user: {token: namespace}}
- {name: '*.svc:9443', user: {token: port}}
- {name: hooks.example.com, user: {username: jane, password: secret}}
- {name: '*', user: {client-certificate: tls.crt, client-key: tls.key}}
`
const files: Files = {
  read: async (path) => new TextEncoder().encode(path === '/etc/hooks.yaml' ? file : `content of ${path}`),
  watch: () => () => {},
}

test('a webhook call uses the user configured for its host', async () => {
  const credentials = await loadWebhookCredentials('/etc/hooks.yaml', { files, clock: new ManualClock() })
  const headers: readonly (readonly [host: string, header: string | undefined])[] = [
    ['hook.dev.svc:8443', 'Bearer exact-port'],
    ['hook.dev.svc:443', 'Bearer exact'],
    ['other.dev.svc:443', 'Bearer namespace'],
    ['other.ops.svc:9443', 'Bearer port'],
    ['hooks.example.com:443', `Basic ${btoa('jane:secret')}`],
    ['hook.dev.svc:1', undefined],
  ]
  for (const [host, header] of headers) assert.equal(await credentials(host)?.authorization?.(), header, host)
  assert.deepEqual(credentials('elsewhere.example.com:443')?.options?.clientCertificate, {
    certificate: 'content of /etc/tls.crt',
    key: 'content of /etc/tls.key',
  })
})

test('other hosts use the wildcard user, or that of the current context', async () => {
  const users = '[{name: a, user: {token: a}}]'
  const contexts = '[{name: x, context: {cluster: "", user: a}}]'
  const text = `users: ${users}\ncontexts: ${contexts}\ncurrent-context: x`
  const some: Files = { ...files, read: async () => new TextEncoder().encode(text) }
  const credentials = await loadWebhookCredentials('/etc/hooks.yaml', { files: some, clock: new ManualClock() })
  assert.equal(await credentials('elsewhere:443')?.authorization?.(), 'Bearer a')
})

test('the error of an invalid file names the file', async () => {
  const broken: Files = { ...files, read: async () => new TextEncoder().encode('users: 7') }
  await assert.rejects(loadWebhookCredentials('/etc/hooks.yaml', { files: broken, clock: new ManualClock() }), /\/etc\/hooks\.yaml/)
})
