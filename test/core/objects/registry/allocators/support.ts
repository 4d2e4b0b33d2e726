import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { KeyValueStore } from '../../../../../core/ports.ts'
import { type EmbeddedOptions, memoryStore } from '../../../../../runtimes/web/index.ts'
import type { Api, TestObject } from '../../../../support/api.ts'
import { startInProcess } from '../../../../support/in-process.ts'

export const services = '/api/v1/namespaces/default/services'
export const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
export const ranges = '/apis/networking.k8s.io/v1/servicecidrs'

export interface ServiceSpec {
  readonly type?: string
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly ipFamilies?: readonly string[]
  readonly ipFamilyPolicy?: string
  readonly healthCheckNodePort?: number
  readonly ports: readonly { readonly name?: string; readonly port: number; readonly protocol?: string; readonly nodePort?: number }[]
}

export const specOf = (object: TestObject) => object.spec as unknown as ServiceSpec
export const addressOf = (object: TestObject) => specOf(object).clusterIP ?? ''
export const portOf = (object: TestObject) => specOf(object).ports[0]?.nodePort ?? 0

export const service = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }], ...spec },
})

export interface TestServer {
  readonly api: Api
  readonly store: KeyValueStore
  /** Names of all IPAddress objects. */
  taken(): Promise<string[]>
  close(): Promise<void>
}

/** An in-process server that is closed at the end of the test. */
export async function start(t: TestContext, options: Partial<EmbeddedOptions> = {}): Promise<TestServer> {
  const store = options.store ?? memoryStore()
  const { api, close } = await startInProcess({ ...options, store }, t)
  return {
    api,
    store,
    taken: async () => (await api.list(addresses)).items.map(({ metadata }) => metadata.name),
    close,
  }
}

export async function update(
  api: Api,
  object: { readonly metadata: { readonly name: string }; readonly spec?: object },
): Promise<TestObject> {
  const { status, body } = await api.send('PUT', `${services}/${object.metadata.name}`, object)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
