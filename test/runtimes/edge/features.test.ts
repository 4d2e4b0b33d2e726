/** A server of an edge bundle is made without some features; what needs them says so, and everything else is there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allFeatures } from '../../../core/assembly/features/all-features.ts'
import { OptionError } from '../../../core/options/validate.ts'
import { createEmbedded } from '../../../runtimes/web/embedded.ts'
import type { EmbeddedOptions } from '../../../runtimes/web/embedded-options.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { apiOf } from '../../support/api.ts'

const connection = '/k.yaml'
const webhook = { connection, version: 'v1', authorizedTtl: 0, unauthorizedTtl: 0 } as const
const tracer = {} as NonNullable<NonNullable<EmbeddedOptions['telemetry']>['tracer']>
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** What needs each feature. */
const uses: { readonly [option: string]: Omit<EmbeddedOptions, 'store'> } = {
  encryption: { encryption: { file: '/e.yaml', automaticReload: false } },
  authentication: { authentication: { configuration: '/a.yaml' } },
  authorizationFiles: { authorizationModes: ['Webhook'], authorizationFiles: { webhook } },
  admissionFile: { admissionFile: '/p.yaml' },
  auditPolicy: { auditPolicy: {} },
  'telemetry.tracer': { telemetry: { logger, tracer } },
}

for (const [option, options] of Object.entries(uses)) {
  test(`${option} is refused by name`, async () => {
    await assert.rejects(createEmbedded({}, { store: memoryStore(), ...options }), (error) => {
      assert(error instanceof OptionError, String(error))
      assert.equal(error.message, `createApiServer: ${option}: this server is made without what it needs`)
      return true
    })
  })
}

test('a file of authorization is not missing before it has been read', async () => {
  const files = { read: () => Promise.reject(new Error('/z.yaml: no such file')), watch: () => () => {} }
  const options = { authorizationFiles: { configuration: '/z.yaml' }, files }
  await assert.rejects(createEmbedded({}, { store: memoryStore(), ...options }), /^Error: \/z.yaml: no such file$/)
})

test('requests to nodes, pods and services are refused, and there are no profiles', async () => {
  const server = await createEmbedded({}, { store: memoryStore() })
  const api = apiOf((path, init) => server.fetch(new Request(`http://in-process${path}`, init)))
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await api.create('/api/v1/namespaces/default/pods', pod)
  const places = [
    'namespaces/default/pods/p/log',
    'namespaces/default/pods/p/exec',
    'namespaces/default/services/s/proxy/',
    'nodes/n/proxy/',
  ]
  for (const place of places) {
    const { status, body } = await api.get(`/api/v1/${place}`)
    assert.deepEqual(
      [status, (body as { message?: string }).message],
      [400, 'this server does not connect to nodes, pods and services'],
      place,
    )
  }
  for (const path of ['/debug/pprof/', '/debug/live']) {
    const response = await server.fetch(new Request(`http://in-process${path}`))
    await response.arrayBuffer()
    assert.equal(response.status, 404, path)
  }
  await server.close()
})

test('a server with a feature is made with it', async () => {
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }] }
  const server = await createEmbedded({ audit: allFeatures.audit }, { store: memoryStore(), auditPolicy: policy })
  await server.close()
})
