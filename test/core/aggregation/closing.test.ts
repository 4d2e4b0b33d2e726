/** Requests to servers behind this one, and to other servers of the cluster, do not outlive the server: they would keep its process alive. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createPlatform } from '../../../core/platform.ts'
import type { Outbound } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { registration, registrations } from '../../support/aggregation.ts'
import { apiOn, startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const platform = createPlatform('kubernetes')
const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
const texts: { readonly [path: string]: string } = { ca: pem('CERTIFICATE'), crt: pem('CERTIFICATE'), key: pem('PRIVATE KEY') }
const files = { read: async (path: string) => new TextEncoder().encode(texts[path] ?? ''), watch: () => () => {} }

test('requests to servers that do not answer end with this server', async () => {
  /** Those without an end, with their paths. It holds the requests, as sockets would: Node's collector takes what aborts the signal of one that nobody holds. */
  const waiting = new Map<Request, string>()
  const outbound: Outbound = {
    fetch: (request, { target = '' } = {}) =>
      new Promise((_resolve, reject) => {
        waiting.set(request, target)
        const end = () => {
          waiting.delete(request)
          reject(request.signal.reason)
        }
        request.signal.addEventListener('abort', end, { once: true })
      }),
    call: () => Promise.reject(new Error('no calls')),
  }
  const store = memoryStore()
  const start = async (identity: string) => {
    const { server } = await startInProcess({
      ...{ platform, controllers: [], identity, hostname: identity, advertiseAddress: `192.0.2.${identity.length}`, peerCaFile: 'ca' },
      proxyClientFiles: { certificate: 'crt', key: 'key' },
      store,
      files,
      outbound,
    })
    return server
  }
  const servers = [await start('a'), await start('bb')]
  const api = apiOn(servers[0] as (typeof servers)[0])
  const spec = { type: 'ExternalName', externalName: 'api.example.org' }
  await api.create('/api/v1/namespaces/default/services', { metadata: { name: 'far' }, spec })
  await api.create(registrations, registration('far', 443, 'far.example.com/v1', { insecureSkipTLSVerify: true }))
  const paths = ['/api', '/apis', '/apis/far.example.com/v1', '/openapi/v2', '/openapi/v3']
  await eventually('all requests', async () => paths.every((path) => [...waiting.values()].includes(path)))
  collectGarbage()
  for (const server of servers) await server.close()
  assert.deepEqual([...waiting.values()], [])
})
