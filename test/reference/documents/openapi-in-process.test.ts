/** Our OpenAPI documents and those of the reference, whole: only descriptions differ, and with them the names of shared parameters. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { AssembledServer } from '../../../core/assembly/server.ts'
import type { ServiceAccountKeys } from '../../../core/bootstrap/service-accounts.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { startCore } from '../../support/core-server.ts'
import { fact, withoutDescriptions } from './facts.ts'

let server: AssembledServer
const url = 'https://127.0.0.1:6443'

before(async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const issuer = 'https://kubernetes.default.svc'
  const serviceAccounts: ServiceAccountKeys = { signingKey: key, verificationKeys: [key], issuers: [issuer], audiences: [issuer] }
  server = await startCore({ platform: createPlatform('kubernetes'), serviceAccounts })
})
after(() => server.close())

const ours = async (path: string) => (await (await server.fetch(new Request(`${url}${path}`))).json()) as JsonObject

/** JSON text, which shows the order of members too. */
const text = (value: Json | undefined) => JSON.stringify(value, undefined, 1)

const v3 = fact('openapi-v3')
const names = Object.keys(v3)

test('the index of OpenAPI v3 lists the same documents', async () => {
  assert.deepEqual(Object.keys((await ours('/openapi/v3'))['paths'] ?? {}), names)
})

for (const name of names) {
  test(`OpenAPI v3 ${name}`, async () => {
    const { paths: theirPaths, components: theirComponents, ...their } = withoutDescriptions(v3[name] ?? {}) as JsonObject
    const { paths, components, ...others } = withoutDescriptions(await ours(`/openapi/v3/${name}`)) as JsonObject
    assert.deepEqual(others, their)
    assert.equal(text(paths), text(theirPaths))
    assert.equal(text(components), text(theirComponents))
  })
}

/** Replaces references to shared parameters by the parameters, and sorts kinds, which one group of the reference has in another order. */
function inlined(value: Json, shared: JsonObject): Json {
  if (Array.isArray(value)) return value.map((each) => inlined(each, shared))
  if (typeof value !== 'object' || value === null) return value
  const reference = value['$ref']
  const name = typeof reference === 'string' && reference.startsWith('#/parameters/') ? reference.slice('#/parameters/'.length) : undefined
  if (name !== undefined) return { ...(shared[name] as JsonObject), shared: true }
  const members = Object.entries(value).map(([key, member]): [string, Json] => [key, inlined(member, shared)])
  return Object.fromEntries('kind' in value && 'group' in value ? members.sort(([a], [b]) => (a < b ? -1 : 1)) : members)
}

test('OpenAPI v2', async () => {
  const parts = (document: JsonObject) => {
    const { parameters, paths, ...others } = withoutDescriptions(document) as { [name: string]: JsonObject }
    return { others, parameters: new Set(Object.values(parameters ?? {}).map(text)), paths: inlined(paths ?? {}, parameters ?? {}) }
  }
  const their = parts(fact('openapi-v2'))
  const own = parts(await ours('/openapi/v2'))
  assert.equal(text(own.others), text(their.others))
  assert.equal(text(own.paths), text(their.paths))
  assert.deepEqual(own.parameters, their.parameters)
})
