/** Requests and answers in CBOR (KEP-4222): `recorded.json` has what kube-apiserver 1.36.2 answers with the gate CBORServingAndStorage. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeCbor } from '../../../core/schema/cbor/decode.ts'
import { encodeCbor } from '../../../core/schema/cbor/encode.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { smallDefinition } from '../../conformance/definitions.ts'
import { serverForTests, startInProcess } from '../../support/in-process.ts'
import { root } from '../../support/root.ts'
import { answerOf, type Recorded, type Send } from './cbor-exchange.ts'

const recordedIn = (file: string) => JSON.parse(readFileSync(join(root, 'test/core/verbs', file), 'utf8')) as Recorded[]
const gate = { CBORServingAndStorage: true }
const cbor = 'application/cbor'
const hex = (value: JsonObject) => Buffer.from(encodeCbor(value, 'given')).toString('hex')
const widgets = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'ws.probe.io' },
  spec: {
    group: 'probe.io',
    scope: 'Namespaced',
    names: { plural: 'ws', kind: 'W' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  n: { type: 'integer' },
                  f: { type: 'number' },
                  s: { type: 'string' },
                  d: { type: 'string', format: 'date-time' },
                  b: { type: 'string', format: 'byte' },
                  x: { 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { n: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}
const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definitionOf = (versions: readonly string[]) => smallDefinition('example.com', 'Thing', { versions, openAPIV3Schema })
const things = '/apis/example.com/v1/namespaces/default/things'
const thing = (name: string) => ({ kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name }, spec: { a: 1, b: [1.5, 'ü', null] } })

async function define(send: Send, definition: { readonly metadata: { readonly name: string } }): Promise<void> {
  await send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  })
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=1&fieldSelector=metadata.name%3D${definition.metadata.name}`
  const reader = ((await send(path, {})).body as ReadableStream<Uint8Array>).getReader()
  for (let seen = ''; !/"type":"Established","status":"True"|"status":"True"[^}]*"type":"Established"/.test(seen); ) {
    const { value } = await reader.read()
    seen += new TextDecoder().decode(value)
  }
  await reader.cancel()
}

describe('CBOR on the wire', () => {
  const { fetch: send } = serverForTests({ platform: 'kubernetes', featureGates: gate })

  async function compare(recorded: readonly Recorded[]): Promise<void> {
    for (const request of recorded) {
      const { method, path, type, accept, body, answer } = request
      assert.deepEqual(await answerOf(send, request), answer, `${method} ${path} ${type ?? ''} ${accept ?? ''} ${body ?? ''}`)
    }
  }

  it('recorded answers', async () => {
    const recorded = recordedIn('cbor-recorded.json')
    assert.ok(recorded.length > 80)
    await compare(recorded)
  })

  it('recorded answers of custom resources', async () => {
    const recorded = recordedIn('cbor-recorded-custom.json')
    assert.ok(recorded.length > 25)
    await define(send, widgets)
    await compare(recorded)
  })

  it('long lists have the objects of short ones, bytes among them', async () => {
    const secrets = '/api/v1/namespaces/default/secrets'
    for (let index = 0; index < 40; index++) {
      const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: `long-${index}` }, data: { a: 'AQI=' } }
      await answerOf(send, { method: 'POST', path: secrets, type: cbor, body: hex(secret) })
    }
    for (const accept of [cbor, `${cbor};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`]) {
      const response = await send(secrets, { headers: { accept } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const list = decodeCbor(bytes)
      const { items } = list as unknown as { items: JsonObject[] }
      assert.equal(items.filter(({ metadata }) => String((metadata as JsonObject)['name']).startsWith('long-')).length, 40)
      if (accept !== cbor) assert.ok(Buffer.from(bytes).equals(encodeCbor(list, 'given')), 'with a definite length, as in the reference')
      // Bytes, not text, in the tag of base64.
      assert.equal(Buffer.from(bytes).includes(Buffer.from('d6420102', 'hex')), accept === cbor)
    }
  })
})

describe('CBOR in storage', () => {
  for (const versions of [['v1'], ['v1', 'v2']])
    it(`custom resources in ${versions.join(' and ')}: a server without the gate reads them, and writes JSON`, async (t) => {
      const store = memoryStore()
      const withGate = await startInProcess({ store, featureGates: gate }, t)
      await define(withGate.fetch, definitionOf(versions))
      const created = await answerOf(withGate.fetch, { method: 'POST', path: things, type: cbor, accept: cbor, body: hex(thing('a')) })
      assert.equal(created.status, 201, created.items.join())
      const stored = async () => {
        const { items } = await store.list({ prefix: '/registry/example.com/things/' })
        return (items[0] as { value: Uint8Array }).value
      }
      assert.equal(
        Buffer.from(await stored())
          .toString('hex')
          .slice(0, 6),
        'd9d9f7',
      )
      await withGate.close()
      const { fetch: send } = await startInProcess({ store }, t)
      const path = things.replace('v1', versions.at(-1) as string)
      const read = await answerOf(send, { method: 'GET', path: `${path}/a` })
      assert.equal(read.status, 200, read.items.join())
      assert.deepEqual((JSON.parse(read.items[0] as string) as JsonObject)['spec'], thing('a').spec)
      const body = Buffer.from('{"spec":{"c":2}}').toString('hex')
      assert.equal((await answerOf(send, { method: 'PATCH', path: `${things}/a`, type: 'application/merge-patch+json', body })).status, 200)
      assert.equal(String.fromCharCode((await stored())[0] as number), '{')
    })
})
