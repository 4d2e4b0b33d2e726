/** ValidatingAdmissionPolicies, tested through requests. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import { assertFailure, configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { answers, configMaps, group, type Policies, rule, startPolicies } from './support.ts'

let server: Policies
beforeEach(async () => {
  server = await startPolicies()
})
afterEach(() => server.close())

const create = (name: string, data: { readonly [key: string]: string } = {}, metadata: object = {}) =>
  server.api.send('POST', `${configMaps}?dryRun=All`, configMap(name, data, metadata))

test('a policy is in force a moment after its binding, with the messages of kube-apiserver', async () => {
  await server.validating('short', { validations: [{ expression: 'size(object.metadata.name) < 5' }] })
  const refused = await answers(422, () => create('much-too-long'))
  const text = "ValidatingAdmissionPolicy 'short' with binding 'short' denied request: failed expression: size(object.metadata.name) < 5"
  const status = assertFailure(refused, 422, 'Invalid', `configmaps "much-too-long" is forbidden: ${text}`)
  assert.deepEqual(status.details, { name: 'much-too-long', kind: 'configmaps', causes: [{ message: text }] })
  assert.equal((await create('ok')).status, 201)
  await server.remove('short')
  await answers(201, () => create('much-too-long'))
})

const reasons = [
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', 422],
] as const
for (const [reason, code] of reasons) {
  test(`reason ${reason}, and messageExpression`, async () => {
    const messageExpression = "'no ' + object.metadata.name + ' ' + request.operation"
    await server.validating('says', { validations: [{ expression: 'false', messageExpression, message: 'fixed', reason }] })
    const refused = await answers(code, () => create('this'))
    assertFailure(refused, code, reason, /denied request: no this CREATE$/)
  })
}

test('an unusable messageExpression falls back to the message, then to the expression', async () => {
  for (const messageExpression of [
    "''",
    "'two\\nlines'",
    "'x'.replace('x', object.data.absent)",
    `[1, 2, 3, 4, 5, 6].map(i, '${'x'.repeat(1_000)}').join('')`,
  ]) {
    await server.validating('says', { validations: [{ expression: 'false', messageExpression, message: ' fixed ' }] })
    const refused = await answers(422, () => create('this'))
    assert.match(JSON.stringify(refused.body), /denied request: fixed"/, messageExpression)
  }
})

test('metrics of violations, warnings and errors', async () => {
  await server.validating('refuses', { validations: [{ expression: 'false' }] }, { validationActions: ['Deny', 'Audit'] })
  await answers(422, () => create('this'))
  await server.remove('refuses')
  await answers(201, () => create('this'))
  await server.validating('fails', { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.absent == 1' }] })
  const text = await eventually('the policy', async () => {
    await create('this')
    const { body } = await server.api.get('/metrics')
    return String(body).includes('policy="fails"') && String(body)
  })
  const line = (policy: string, error: string, action: string) =>
    assert.match(
      text,
      new RegExp(
        `^apiserver_validating_admission_policy_check_total\\{enforcement_action="${action}",error_type="${error}",policy="${policy}",policy_binding="${policy}"\\} [1-9]`,
        'm',
      ),
    )
  line('refuses', 'invalid_error', 'deny')
  line('refuses', 'invalid_error', 'audit')
  line('fails', 'invalid_error', 'allow')
  assert.match(text, /^apiserver_validating_admission_policy_check_duration_seconds_count\{[^}]*policy="fails"/m)
})

test('warnings', async () => {
  await server.validating('warns', { validations: [{ expression: 'false', message: 'beware' }] }, { validationActions: ['Warn', 'Audit'] })
  const warned = await answers(201, async () => {
    const answer = await create('this')
    return { ...answer, status: answer.headers.has('warning') ? answer.status : 0 }
  })
  assert.equal(
    warned.headers.get('warning'),
    `299 - "Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': beware"`,
  )
})

test('variables are lazy, can use each other and see the whole request', async () => {
  await server.validating('composed', {
    variables: [
      { name: 'absent', expression: 'object.data.absent' },
      { name: 'keys', expression: 'object.data.map(key, key)' },
      { name: 'count', expression: 'variables.keys.size()' },
      { name: 'team', expression: "namespaceObject.metadata.name + '/' + request.namespace + '/' + request.resource.resource" },
    ],
    matchConditions: [{ name: 'has-data', expression: "has(object.data) && request.userInfo.username != 'nobody'" }],
    validations: [
      { expression: "variables.count < 2 || variables.absent == 'x'" },
      { expression: "variables.team == 'default/default/configmaps'", messageExpression: 'variables.team' },
    ],
  })
  const refused = await answers(422, () => create('this', { a: '1', b: '2' }))
  assert.match(JSON.stringify(refused.body), /resulted in error: composited variable \\"absent\\" fails to evaluate: no such key: absent/)
  assert.equal((await create('this', { a: '1' })).status, 201, 'the failing variable is not used')
  assert.equal((await create('this')).status, 201, 'the condition is false')
})

test('failurePolicy Ignore: errors pass, violations do not', async () => {
  await server.validating('lenient', {
    failurePolicy: 'Ignore',
    validations: [{ expression: "object.data.absent == 'x'" }, { expression: "object.metadata.name != 'bad'" }],
  })
  await answers(422, () => create('bad'))
  assert.equal((await create('good')).status, 201)
})

test('failurePolicy Fail: errors refuse', async () => {
  await server.validating('strict', { validations: [{ expression: "object.data.absent == 'x'" }] })
  const refused = await answers(422, () => create('any', { a: 'b' }))
  assert.match(
    JSON.stringify(refused.body),
    /denied request: expression 'object.data.absent == 'x'' resulted in error: no such key: absent/,
  )
})

/** Nested loops over a list of ten. */
const loops = (depth: number): string => (depth === 0 ? 'true' : `[0,1,2,3,4,5,6,7,8,9].all(i${depth}, ${loops(depth - 1)})`)

test('cost limits per expression and per policy', async () => {
  const refusal = async (text: string) =>
    assert.match(
      JSON.stringify(
        await eventually(text, async () => {
          const { body } = await create('any')
          return JSON.stringify(body).includes(text) && body
        }),
      ),
      /"code":422/,
    )
  await server.validating('dear', { validations: [{ expression: loops(6) }] })
  await refusal('resulted in error: operation cancelled: actual cost limit exceeded')
  await server.validating('dear', { validations: Array.from({ length: 40 }, () => ({ expression: loops(5) })) })
  await refusal('denied request: validation failed due to running out of cost budget, no further validation rules will be run')
  await server.validating('dear', { validations: Array.from({ length: 10 }, () => ({ expression: loops(4) })) })
  await answers(201, () => create('any'))
})

test('authorizer, missing params, oldObject, deletes', async () => {
  await server.validating('asks', {
    validations: [
      { expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'", message: 'kept' },
      { expression: "request.operation != 'CREATE' || oldObject == null" },
      { expression: "authorizer.group('').resource('configmaps').namespace(request.namespace).check('get').allowed()" },
      { expression: "authorizer.requestResource.check('create').allowed()" },
      { expression: "!authorizer.serviceAccount('default', 'x').path('/healthz').check('get').errored()" },
    ],
  })
  await server.api.create(configMaps, configMap('kept'))
  await server.api.create(configMaps, configMap('goes'))
  const refused = await answers(422, () => server.api.delete(`${configMaps}/kept?dryRun=All`))
  assertFailure(refused, 422, 'Invalid', /denied request: kept$/)
  assert.equal((await server.api.delete(`${configMaps}/goes`)).status, 200)
})

test('rules: exclusions, resource names, scope, object and namespace selectors', async () => {
  const matchConstraints = {
    resourceRules: [rule({ scope: 'Namespaced' })],
    excludeResourceRules: [rule({ resourceNames: ['excluded'] })],
    objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
  }
  await server.validating('some', { matchConstraints, validations: [{ expression: 'false' }] })
  await answers(422, () => create('any'))
  assert.equal((await create('excluded')).status, 201)
  assert.equal((await create('labelled', {}, { labels: { free: 'yes' } })).status, 201)
  const elsewhere = await server.api.send('POST', '/api/v1/namespaces/kube-public/configmaps?dryRun=All', configMap('any'))
  assert.notEqual(elsewhere.status, 422)
})

test('policies do not apply to policies', async () => {
  const matchConstraints = { resourceRules: [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] })] }
  await server.validating('all', { matchConstraints, validations: [{ expression: 'false' }] })
  await answers(422, () => create('any'))
  const review = await server.api.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
  assert.equal(review.status, 201)
})

const definition = smallDefinition('example.com', 'Limit', {
  openAPIV3Schema: { type: 'object', properties: { most: { type: 'integer' } } },
})

test('custom resources as params: by name, by selector, missing, and of a kind that is not served', async () => {
  const paramKind = { apiVersion: 'example.com/v1', kind: 'Limit' }
  const validations = [{ expression: 'size(object.data) <= params.most', messageExpression: "'at most ' + string(params.most)" }]
  const name = 'limited'
  const paramRef = { name: 'small', parameterNotFoundAction: 'Deny' }
  await server.validating(name, { paramKind, validations }, { paramRef })
  const unknown = await answers(422, () => create('any'))
  assertFailure(
    unknown,
    422,
    'Invalid',
    `configmaps "any" is forbidden: ValidatingAdmissionPolicy 'limited' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
  )
  await server.api.create(definitionsPath, definition)
  const limits = '/apis/example.com/v1/namespaces/default/limits'
  const missing = await answers(422, async () => {
    const answer = await create('any')
    return { ...answer, status: JSON.stringify(answer.body).includes('no params') ? answer.status : 0 }
  })
  assert.match(
    JSON.stringify(missing.body),
    /'limited' with binding 'limited' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction/,
  )
  const limit = (each: string, most: number) => ({
    kind: 'Limit',
    apiVersion: 'example.com/v1',
    metadata: { name: each, labels: { tier: 'a' } },
    most,
  })
  await server.api.create(limits, limit('small', 1))
  await answers(201, () => create('any', { a: '' }))
  assertFailure(await create('any', { a: '', b: '' }), 422, 'Invalid', /denied request: at most 1$/)
  await server.put(limits, { ...limit('large', 2) })
  await server.validating(
    name,
    { paramKind, validations },
    { paramRef: { selector: { matchLabels: { tier: 'a' } }, parameterNotFoundAction: 'Allow' } },
  )
  assertFailure(await create('any', { a: '', b: '' }), 422, 'Invalid', /denied request: at most 1$/)
  await server.api.delete(`${limits}/small`)
  await answers(201, () => create('any', { a: '', b: '' }))
  assertFailure(await create('any', { a: '', b: '', c: '' }), 422, 'Invalid', /denied request: at most 2$/)
  await server.api.delete(`${limits}/large`)
  await answers(201, () => create('any', { a: '', b: '', c: '' }))
})

test('a policy is in force on every server of a cluster, including one that starts later', async (t) => {
  const store = memoryStore()
  const open = async () => (await startInProcess({ store, controllers: [] }, t)).api
  const [first, second] = [await open(), await open()]
  const spec = { matchConstraints: { resourceRules: [rule()] }, validations: [{ expression: 'false' }] }
  await first.create(`${group}/validatingadmissionpolicies`, { metadata: { name: 'no' }, spec })
  await first.create(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'no' },
    spec: { policyName: 'no', validationActions: ['Deny'] },
  })
  await answers(422, () => second.send('POST', `${configMaps}?dryRun=All`, configMap('any')))
  const late = await open()
  assert.equal((await late.send('POST', configMaps, configMap('any'))).status, 422, 'from its first request on')
})
