/** Our server as the reference ran, without a port. */
import { generateKeyPairSync } from 'node:crypto'
import type { ServiceAccountKeys } from '../../../core/controllers/bootstrap/service-accounts.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { startInProcess } from '../../support/in-process.ts'

export interface Ours {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  json(path: string): Promise<JsonObject>
  /** Creates an object; fails unless it is created. */
  create(path: string, object: JsonObject): Promise<void>
  close(): void | Promise<void>
}

export async function startOurs(): Promise<Ours> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const issuer = 'https://kubernetes.default.svc'
  const serviceAccounts: ServiceAccountKeys = { signingKey: key, verificationKeys: [key], issuers: [issuer], audiences: [issuer] }
  const { close, server } = await startInProcess({
    platform: createPlatform('kubernetes'),
    serviceAccounts,
    authorizationModes: ['RBAC', 'AlwaysAllow'],
    priorityAndFairness: 'on',
  })
  const send = (path: string, init?: RequestInit) => server.fetch(new Request(`https://127.0.0.1:6443${path}`, init))
  return {
    get: async (path, headers = {}) => send(path, { headers }),
    json: async (path) => (await (await send(path)).json()) as JsonObject,
    async create(path, object) {
      const body = JSON.stringify(object)
      const response = await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      if (response.status !== 201) throw new Error(await response.text())
    },
    close,
  }
}

/** JSON text, which shows the order of members too. */
export const text = (value: Json | undefined) => JSON.stringify(value, undefined, 1)

/**
 * Replaces references to shared parameters by the parameters, and sorts the members of extensions, which the
 * reference sorts in some places.
 */
export function inlined(value: Json, shared: JsonObject): Json {
  if (Array.isArray(value)) return value.map((each) => inlined(each, shared))
  if (typeof value !== 'object' || value === null) return value
  const reference = value['$ref']
  const name = typeof reference === 'string' && reference.startsWith('#/parameters/') ? reference.slice('#/parameters/'.length) : undefined
  if (name !== undefined) return { ...(shared[name] as JsonObject), shared: true }
  const members = Object.entries(value).map(([key, member]): [string, Json] => [key, inlined(member, shared)])
  return Object.fromEntries('group' in value || 'rule' in value ? members.sort(([a], [b]) => (a < b ? -1 : 1)) : members)
}
