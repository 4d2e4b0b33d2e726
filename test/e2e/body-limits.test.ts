/** The bound of request bodies, from outside, for every kind of body: the largest is read, and a byte more is answered with 413. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { encodeEnvelope } from '../../core/schema/protobuf/protobuf.ts'
import { apiOf, assertFailure, configMap } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'

const limit = 3 * 1024 * 1024
const namespace = '/api/v1/namespaces/default'
const maps = `${namespace}/configmaps`
const deployment = '/apis/apps/v1/namespaces/default/deployments/web'

/** Content of a body, of at most so many bytes. */
type Content = (bytes: number) => Uint8Array

const utf8 = (text: string) => new TextEncoder().encode(text)
/** JSON may end with white space. */
const json =
  (value: unknown): Content =>
  (bytes) =>
    utf8(JSON.stringify(value).padEnd(bytes))
/** YAML may end with a comment. */
const yaml =
  (text: string): Content =>
  (bytes) =>
    utf8(`${text}\n# `.padEnd(bytes, 'x'))

/** A protobuf envelope that ends with an unknown field (100, length-delimited), whose length has four bytes in any case. */
const protobuf: Content = (bytes) => {
  const envelope = encodeEnvelope('v1', 'ConfigMap', new Uint8Array([0x0a, 0x07, 0x0a, 0x05, ...utf8('proto')]))
  const rest = bytes - envelope.length - 6
  const field = [0xa2, 0x06, ...[0, 7, 14].map((shift) => ((rest >> shift) & 0x7f) | 0x80), (rest >> 21) & 0x7f]
  return new Uint8Array([...envelope, ...field, ...new Uint8Array(rest)])
}

interface Row {
  readonly method: string
  readonly path: string
  readonly type: string
  readonly content: Content
  /** Status of the largest body. */
  readonly status: number
}

const kinds = { json: 'application/json', yaml: 'application/yaml', protobuf: 'application/vnd.kubernetes.protobuf' }
const patch = (kind: string, content: Content, status = 200): Row => ({
  method: 'PATCH',
  path: `${maps}/patched`,
  type: `application/${kind}`,
  content,
  status,
})
const post = (path: string, content: Content, type = kinds.json, status = 201): Row => ({ method: 'POST', path, type, content, status })
const review = (group: string, resource: string, spec: object): Row => post(`/apis/${group}/v1/${resource}`, json({ spec }))
const remove = (path: string, content: Content, type = kinds.json): Row => ({ method: 'DELETE', path, type, content, status: 200 })
const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'pods' }
const scale = { metadata: { name: 'web', namespace: 'default' }, spec: { replicas: 1 } }

const rows: { readonly [name: string]: Row } = {
  'JSON object': post(maps, json(configMap('json'))),
  'YAML object': post(maps, yaml('metadata: {name: yaml}'), kinds.yaml),
  'protobuf object': post(maps, protobuf, kinds.protobuf),
  update: { method: 'PUT', path: `${maps}/patched`, type: kinds.json, content: json(configMap('patched', { a: '1' })), status: 200 },
  'JSON patch': patch('json-patch+json', json([{ op: 'test', path: '/metadata/name', value: 'patched' }])),
  'merge patch': patch('merge-patch+json', json({ data: { b: '2' } })),
  'strategic merge patch': patch('strategic-merge-patch+json', json({ data: { c: '3' } })),
  'apply in YAML': {
    ...patch('apply-patch+yaml', yaml('{apiVersion: v1, kind: ConfigMap, metadata: {name: patched}, data: {d: "4"}}')),
    path: `${maps}/patched?fieldManager=test`,
  },
  'delete options': remove(`${maps}/removed`, json({ kind: 'DeleteOptions', apiVersion: 'v1' })),
  'delete options in YAML': remove(`${maps}/gone`, yaml('{kind: DeleteOptions, apiVersion: v1}'), kinds.yaml),
  'delete options of a collection': remove(`${maps}?labelSelector=none%3Dnone`, json({ kind: 'DeleteOptions', apiVersion: 'v1' })),
  'access review': review('authorization.k8s.io', 'subjectaccessreviews', { user: 'jane', resourceAttributes }),
  'access review of oneself': review('authorization.k8s.io', 'selfsubjectaccessreviews', { resourceAttributes }),
  'token review': review('authentication.k8s.io', 'tokenreviews', { token: 'none' }),
  'token request': post(`${namespace}/serviceaccounts/default/token`, json({ spec: {} })),
  scale: { method: 'PUT', path: `${deployment}/scale`, type: kinds.json, content: json(scale), status: 200 },
  // As in the reference, nothing is decompressed.
  'compressed object': {
    ...post(maps, () => gzipSync(JSON.stringify(configMap('gzip', { k: 'x'.repeat(10 * limit) }))), kinds.json),
    status: 400,
  },
  CBOR: { ...post(maps, json(configMap('cbor')), 'application/cbor'), status: 415 },
}

const tooLarge = `Request entity too large: limit is ${limit}`

describe('bodies', () => {
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon({ flags: ['--platform=kubernetes', '--data-dir=:memory:'] })
    const api = apiOf(daemon.fetch)
    for (const name of ['patched', 'removed', 'gone']) await api.create(maps, configMap(name))
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await api.create(deployment.slice(0, -4), { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } })
    await api.create(`${namespace}/serviceaccounts`, { metadata: { name: 'default' } }).catch(() => undefined)
  })
  after(() => daemon.stop('SIGKILL'))

  for (const [name, { method, path, type, content, status }] of Object.entries(rows))
    test(`${name}: ${limit} bytes are read, one more is not`, async () => {
      const send = async (body: Uint8Array) => {
        const headers = { 'content-type': type, ...(name === 'compressed object' && { 'content-encoding': 'gzip' }) }
        const response = await daemon.fetch(path, { method, body: body as BodyInit, headers })
        return { status: response.status, headers: response.headers, body: (await response.json()) as never }
      }
      const beyond = content(limit + 1)
      const larger = beyond.length > limit ? beyond : new Uint8Array(randomBytes(limit + 1))
      if (status !== 415) assertFailure(await send(larger), 413, 'RequestEntityTooLarge', tooLarge)
      const answer = await send(content(limit))
      assert.equal(answer.status, status, JSON.stringify(answer.body).slice(0, 500))
    })
})
