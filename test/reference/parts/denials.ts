/** Requests of users without rights: every verb of every kind and subresource, as a user, anonymously, and with an unknown token. */
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { objectOf, pathOf } from '../inputs/objects.ts'
import { answeredKinds, storedKinds, titleOf } from '../kinds.ts'
import { aliceToken } from '../ours.ts'

const tokens = { alice: aliceToken, anonymous: '', unknown: 'unknown-token' }

const documents = [
  '/',
  '/api',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/api/v1',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/logs',
  '/openapi/v2',
  '/openapi/v3',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/nothing',
  '/debug/pprof',
  '/apis/nothing.example.com/v1',
]

function* calls(): Generator<[kind: string, call: Call]> {
  for (const path of documents) {
    // Large documents that everyone may read are compared elsewhere.
    if (!path.startsWith('/openapi')) yield ['documents', get(path)]
    yield ['documents', send('POST', path, {})]
  }
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const object = objectOf(definition, 'denied')
    const collection = collectionPath(definition)
    const path = pathOf(definition, object)
    yield [kind, get(collection)]
    yield [kind, get(`${collection}?watch=1&timeoutSeconds=1`)]
    yield [kind, get(collection.replace('namespaces/default/', ''))]
    yield [kind, send('POST', collection, object)]
    yield [kind, { method: 'DELETE', path: collection }]
    yield [kind, get(path)]
    yield [kind, send('PUT', path, object)]
    yield [kind, { method: 'DELETE', path }]
    for (const type of ['application/merge-patch+json', 'application/apply-patch+yaml'])
      yield [kind, send('PATCH', path, {}, { 'content-type': type })]
    const names = [
      ...definition.subresources.map(({ name }) => name),
      ...(definition.status ? ['status'] : []),
      ...(definition.scale ? ['scale'] : []),
      'nothing',
    ]
    for (const each of names) {
      yield [kind, get(`${path}/${each}`)]
      yield [kind, send('POST', `${path}/${each}`, {})]
      yield [kind, send('PUT', `${path}/${each}`, {})]
    }
  }
  for (const definition of answeredKinds) {
    const path = collectionPath(definition)
    yield [titleOf(definition), send('POST', path, {})]
    yield [titleOf(definition), get(path)]
  }
  for (const header of ['user', 'group', 'uid', 'extra-a'])
    yield ['impersonation', get('/api/v1/namespaces/default/pods', { 'impersonate-user': 'x', [`impersonate-${header}`]: 'y' })]
}

function* scenes(): Generator<Scene> {
  for (const [who, token] of Object.entries(tokens))
    for (const [kind, call] of calls()) {
      const { method, path, headers = {} } = call
      yield { kind, at: `${who}: ${method} ${path} ${JSON.stringify(headers)}`, calls: [{ ...call, token }] }
    }
}

export const denials: Part = { name: 'denials', small: true, scenes }
