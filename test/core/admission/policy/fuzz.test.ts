/** Policies with random expressions: outcomes agree with kube-apiserver, and an object passes only if the expression is true. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import { boolType } from '../../../../core/cel/types.ts'
import { createPolicyCompiler, variableType } from '../../../../core/resources/admissionregistration/policy-compiler.ts'
import { type Answer, configMap } from '../../../support/api.ts'
import { type RandomNumbers, randomNumbers } from '../../../support/random.ts'
import { progress, trials } from '../../../support/soak.ts'
import { eventually } from '../../../support/wait.ts'
import { configMaps, startPolicies } from './support.ts'

const values = [
  'object',
  'oldObject',
  'object.data',
  'object.data.a',
  'object.data.absent',
  'object.metadata.labels',
  'object.metadata.name',
  'request.name',
  'request.options',
  'request.userInfo.groups',
  'namespaceObject.metadata.labels',
  'variables.v',
  'variables.w',
  'null',
  "'text'",
  "''",
  '-1',
  '9223372036854775807',
  '1.5',
  '[]',
  '[1, 2, 3]',
  "{'a': 1, '__proto__': 2}",
  "duration('1h')",
  'optional.none()',
  "authorizer.group('').resource('pods')",
  "authorizer.path('/x').check('get').allowed()",
]
const operators = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in']
const calls = [
  'size()',
  'string()',
  "matches('^(a|aa)+$')",
  "split('')",
  "replace('a', 'aa')",
  'lowerAscii()',
  "orValue('x')",
  'isSorted()',
  "find('[0-9]+')",
]
const functions = ['size', 'string', 'int', 'double', 'type', 'dyn', 'has', 'bool', 'quantity', 'ip', 'url']

function expression(random: RandomNumbers, depth: number): string {
  const next = () => expression(random, depth - 1)
  // Most types are only known at run time.
  if (depth === 0) return random.chance(0.9) ? `dyn(${random.pick(values)})` : random.pick(values)
  switch (random.integer(9)) {
    case 0:
      return `(${next()} ${random.pick(operators)} ${next()})`
    case 1:
      return `${random.pick(functions)}(${next()})`
    case 2:
      return `${next()}.${random.pick(calls)}`
    case 3:
      return `(${next()} == true ? ${next()} : ${next()})`
    case 4:
      return `${next()}.${random.pick(['all', 'exists', 'map', 'filter'])}(x, ${random.chance(0.5) ? 'x == x' : next()})`
    case 5:
      return `${next()}[${next()}]`
    case 6:
      return `[${next()}, ${next()}]`
    case 7:
      return `!(${next()} == ${next()})`
    default:
      return `dyn(${random.pick(values)})`
  }
}

const isRefusal = ({ status, body }: Answer<unknown>) => status === 422 && (body as Status).reason === 'Invalid'
const given = configMap('fuzzed', { a: 'aaa1' }, { labels: { app: 'x' } })

test('validations: an error or a result other than true is a violation, never a server error', async () => {
  const server = await startPolicies()
  const random = randomNumbers(1618)
  let evaluated = 0
  const count = trials(150, 5_000)
  const say = progress('validations', count)
  for (let trial = 0; trial < count; trial++) {
    say(trial, () => `${evaluated} evaluated`)
    const text = `dyn(${expression(random, 2)}) ${random.pick(['==', '!=', 'in', '<'])} ${random.pick(['true', 'dyn(1)', expression(random, 2)])}`
    const variables = [
      { name: 'v', expression: random.pick(['object.data', "'v'", 'object.data.absent', '[1, 2]']) },
      { name: 'w', expression: 'dyn(variables.v)' },
    ]
    const compiler = createPolicyCompiler()
    const scope = { authorizer: true }
    for (const each of variables) {
      const compiled = compiler.compile(each.expression, { ...scope, variables: compiler.variables })
      compiler.declare(each.name, variableType(compiled))
    }
    const compiled = compiler.compile(text, { ...scope, variables: compiler.variables }, [boolType])
    const marker = `marker-${trial}`
    const spec = {
      matchConstraints: { resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] },
      variables,
      validations: [{ expression: 'false', message: marker }, { expression: text }],
    }
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
    if ('issues' in compiled) {
      const refused = await server.api.send('POST', `${path}?dryRun=All`, { metadata: { name: 'other' }, spec })
      assert.ok(isRefusal(refused), `${text}: ${JSON.stringify(refused.body)}`)
      continue
    }
    await server.validating('fuzz', spec, { validationActions: ['Warn'] })
    const answer = await eventually(text, async () => {
      const each = await server.api.send('POST', `${configMaps}?dryRun=All`, given)
      assert.equal(each.status, 201, `${text}: ${JSON.stringify(each.body)}`)
      return each.headers.get('warning')?.includes(marker) && each
    })
    const violated = answer.headers.get('warning')?.match(/299 - "Validation failed/g)?.length === 2
    // The evaluation here lacks the request context, so that only a result of true is certain.
    if (/variables|request|namespace|authorizer|managedFields/.test(text)) continue
    const { value } = compiled.program.evaluate({ object: answer.body, oldObject: null })
    assert.equal(violated, value !== true, `${text}: ${answer.headers.get('warning')}`)
    evaluated++
  }
  assert.ok(evaluated > 5, `${evaluated} expressions ran`)
  await server.close()
})

const members = [
  "metadata: Object.metadata{labels: {'a': %}}",
  'data: %',
  "data: {'k': %}",
  'metadata: %',
  'metadata: Object.metadata{finalizers: [%]}',
  'kind: %',
]
const paths = ['/data', '/data/k', '/metadata/labels/a', '/metadata', '', '/', '/data/-', '/kind', '/metadata/labels/0']

test('mutations: the object stays one of its kind, or the request is refused', async () => {
  const server = await startPolicies()
  const random = randomNumbers(2718)
  const allowed = new Set([201, 403, 422, 500, 400])
  const count = trials(120, 4_000)
  const say = progress('mutations', count)
  for (let trial = 0; trial < count; trial++) {
    say(trial)
    const inner = expression(random, 2)
    const operation = () =>
      `JSONPatch{op: '${random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'no'])}', path: '${random.pick(paths)}', from: '${random.pick(paths)}', value: ${expression(random, 1)}}`
    const mutation = random.chance(0.5)
      ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression: `Object{${random.pick(members).replace('%', () => inner)}}` } }
      : { patchType: 'JSONPatch', jsonPatch: { expression: `[${operation()}, ${operation()}]` } }
    const variables = [
      { name: 'v', expression: 'object.data' },
      { name: 'w', expression: "'w'" },
    ]
    const marker = {
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'trial': '${trial}'}}]` },
    }
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
    const spec = {
      failurePolicy: random.pick(['Fail', 'Ignore']),
      reinvocationPolicy: random.pick(['Never', 'IfNeeded']),
      matchConstraints: { resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] },
      variables,
      mutations: [mutation, marker],
    }
    const probe = await server.api.send('POST', `${path}?dryRun=All`, { metadata: { name: 'other' }, spec })
    if (probe.status !== 201) {
      assert.ok(isRefusal(probe), `${JSON.stringify(mutation)}: ${JSON.stringify(probe.body)}`)
      continue
    }
    await server.mutating(`fuzz-${trial}`, spec)
    const answer = await eventually(JSON.stringify(mutation), async () => {
      const each = await server.api.send('POST', `${configMaps}?dryRun=All`, given)
      return (each.status !== 201 || each.body.metadata.annotations?.['trial'] === String(trial)) && each
    })
    const told = JSON.stringify([mutation, answer.body])
    assert.ok(allowed.has(answer.status), told)
    if (answer.status === 201) assert.deepEqual([answer.body.kind, answer.body.metadata.name], ['ConfigMap', 'fuzzed'], told)
    else assert.doesNotMatch((answer.body as unknown as Status).message ?? '', /panic/, told)
    await server.api.delete(`/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/fuzz-${trial}`)
    await server.api.delete(`${path}/fuzz-${trial}`)
    await eventually(
      'no policy',
      async () => (await server.api.send('POST', `${configMaps}?dryRun=All`, given)).body.metadata.annotations === undefined,
    )
  }
  await server.close()
})
