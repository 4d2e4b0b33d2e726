/** Mode Node in a server: a node may read what the pods bound to it use. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Authenticator } from '../../../../core/access/authn/authenticator.ts'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { userOf } from './attributes.ts'

const byHeader: Authenticator = { name: 'header', authenticate: async (request) => ({ user: userOf(request.headers.get('who') ?? '') }) }
const root = { who: 'root+system:masters' }
const node = (name: string) => ({ who: `system:node:${name}+system:nodes` })
const secrets = '/api/v1/namespaces/default/secrets'
const pods = '/api/v1/namespaces/default/pods'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess({ authorizationModes: ['Node', 'RBAC'], authenticators: [byHeader], controllers: ['serviceaccount'] })
  api = running.api
  for (const name of ['early', 'late', 'other']) await write('POST', secrets, { metadata: { name } })
  await write('POST', pods, pod('first', 'n1', 'early'))
})
after(() => running.close())

async function write(method: string, path: string, body: object): Promise<void> {
  const answer = await api.send(method, path, body, root)
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
}

const pod = (name: string, nodeName: string, secretName: string) => ({
  metadata: { name },
  spec: {
    nodeName,
    containers: [{ name: 'main', image: 'example/main' }],
    volumes: [{ name: 's', secret: { secretName } }],
  },
})

const statusOf = async (who: string, name: string) => (await api.get(`${secrets}/${name}`, node(who))).status
const until = (expected: number, who: string, name: string) =>
  eventually(`${name} answers ${expected} to ${who}`, async () => (await statusOf(who, name)) === expected)

test('the first request of a node waits for the graph', async () => {
  assert.equal(await statusOf('n1', 'early'), 200)
  assert.equal(await statusOf('n2', 'early'), 403)
})

test('a node may read objects used by its pods, as long as the pods exist', async () => {
  assert.equal(await statusOf('n1', 'late'), 403)
  await write('POST', pods, pod('second', 'n1', 'late'))
  await until(200, 'n1', 'late')
  assert.equal(await statusOf('n2', 'late'), 403)
  await write('DELETE', `${pods}/second`, { gracePeriodSeconds: 0 })
  await until(403, 'n1', 'late')
})

test('a node lists only its own pods', async () => {
  const mine = await api.get<{ items: { metadata: { name: string } }[] } & object>(
    '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1',
    node('n1'),
  )
  assert.equal(mine.status, 200)
  assert.deepEqual(
    mine.body.items.map(({ metadata }) => metadata.name),
    ['first'],
  )
  const refusal = /can only list\/watch pods with spec.nodeName field selector/
  assertFailure(await api.get('/api/v1/pods?fieldSelector=spec.nodeName%3Dn2', node('n1')), 403, 'Forbidden', refusal)
  assertFailure(await api.get('/api/v1/pods', node('n1')), 403, 'Forbidden', refusal)
  assertFailure(await api.get(`${pods}/first?fieldSelector=spec.nodeName%3Dn2`, node('n2')), 403, 'Forbidden', /no relationship found/)
})

test('access reviews honour selectors', async () => {
  const review = async (selectors: object, verb = 'list') => {
    const spec = { user: 'system:node:n1', groups: ['system:nodes'], resourceAttributes: { verb, resource: 'pods', ...selectors } }
    return api.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec }, root)
  }
  const requirement = (operator: string, ...values: string[]) => ({ key: 'spec.nodeName', operator, values })
  const field = (...requirements: object[]) => ({ fieldSelector: { requirements } })
  const allowed = async (selectors: object) => (await review(selectors)).body.status
  assert.deepEqual(await allowed(field(requirement('In', 'n1'))), { allowed: true })
  assert.deepEqual(await allowed({ fieldSelector: { rawSelector: 'spec.nodeName=n1' } }), { allowed: true })
  assert.equal((await allowed(field(requirement('In', 'n2'))))?.['allowed'], false)
  assert.equal((await allowed(field(requirement('NotIn', 'n1'))))?.['allowed'], false)
  assert.deepEqual(await allowed(field(requirement('In', 'n1'), requirement('Near', 'x'))), {
    allowed: true,
    evaluationError: 'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
  })
  const ignored = 'spec.resourceAttributes.fieldSelector ignored due to parse error'
  assert.equal((await allowed(field(requirement('In', 'n1', 'n2'))))?.['evaluationError'], ignored)
  assert.equal((await allowed({ fieldSelector: { rawSelector: 'spec.nodeName' } }))?.['evaluationError'], ignored)
  const label = (key: string, operator: string, values: string[] = []) => ({ labelSelector: { requirements: [{ key, operator, values }] } })
  assert.equal((await allowed(label('a', 'Exists')))?.['evaluationError'], undefined)
  const path = 'spec.resourceAttributes'
  const faults: [object, RegExp][] = [
    [{ fieldSelector: {} }, new RegExp(`${path}.fieldSelector.requirements: Required value: when ${path}.fieldSelector is specified`)],
    [
      { fieldSelector: { rawSelector: 'a=b', ...field(requirement('In', 'a')).fieldSelector } },
      /rawSelector: Invalid value: "a=b": may not/,
    ],
    [field(requirement('In')), /requirements\[0\].values: Required value: must be specified when `operator` is 'In' or 'NotIn'/],
    [field(requirement('Exists', 'x')), /requirements\[0\].values: Forbidden: may not be specified/],
    [field({ operator: 'In', values: ['x'] }), /requirements\[0\].key: Required value: must be specified/],
    [label('a b', 'Exists'), /labelSelector.requirements\[0\].key: Invalid value: "a b"/],
    [label('a', 'In', ['-']), /labelSelector.requirements\[0\].values\[0\]: Invalid value: "-"/],
  ]
  for (const [selectors, text] of faults) assertFailure(await review(selectors), 422, 'Invalid', text)
})
