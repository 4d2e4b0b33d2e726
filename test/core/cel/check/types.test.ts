import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../../core/cel/environment.ts'
import { authorizerType, authorizerValues, resourceCheckType } from '../../../../core/cel/library/authorizer.ts'
import { jsonPatchType } from '../../../../core/cel/library/json-patch.ts'
import { celTypeOf } from '../../../../core/cel/schema-types.ts'
import { settled } from '../../../../core/cel/settled.ts'
import { boolType, dynType, intType, objectType, stringType } from '../../../../core/cel/types.ts'
import { CelError } from '../../../../core/cel/values/errors.ts'
import { toJson } from '../../../../core/cel/values/json.ts'
import { LazyObject } from '../../../../core/cel/values/values.ts'
import {
  any,
  bool,
  double,
  field,
  int64,
  intOrString,
  list,
  map,
  message,
  quantity,
  required,
  string,
  time,
  withFacets,
} from '../../../../core/schema/model.ts'

const port = message('Port', '', { name: required(0, string, ''), number: field(0, int64, '') })
const schema = message('Web', '', {
  metadata: field(0, message('Meta', '', { labels: field(0, map(string), '') }), ''),
  spec: field(
    0,
    message('Spec', '', {
      replicas: field(0, int64, ''),
      ratio: field(0, double, ''),
      active: field(0, bool, ''),
      since: field(0, time, ''),
      day: field(0, string, '', { format: 'date' }),
      data: field(0, string, '', { format: 'byte' }),
      wait: field(0, string, '', { format: 'duration' }),
      memory: field(0, quantity, ''),
      surge: field(0, intOrString, ''),
      raw: field(0, any, ''),
      'my-key': field(0, string, ''),
      namespace: field(0, string, ''),
      set: field(0, list(string, { listType: 'set' }), ''),
      ports: field(0, list(port, { listType: 'map', keys: ['name'] }), ''),
      plain: field(0, list(string), ''),
      template: field(0, withFacets(message('Embedded', '', { spec: field(0, map(string), '') }), { embeddedResource: true }), ''),
    }),
    '',
  ),
}).with({ open: true })
const self = celTypeOf(schema, { name: 'self', root: true })
assert.ok(self, 'a type')
const environment = createCelEnvironment({ variables: { self, oldSelf: self } })

const ports = [
  { name: 'a', number: 1 },
  { name: 'b', number: 2 },
]
const object = {
  apiVersion: 'example.com/v1',
  kind: 'Web',
  metadata: { name: 'web', labels: { a: 'b' } },
  spec: {
    replicas: 3,
    ratio: 1,
    active: true,
    since: '2024-01-01T00:00:00Z',
    day: '2024-01-02',
    data: 'aGk=',
    wait: '90s',
    memory: '1Gi',
    surge: '25%',
    raw: { x: 1 },
    'my-key': 'v',
    namespace: 'n',
    set: ['a', 'b'],
    ports,
    plain: ['a', 'b'],
    template: { apiVersion: 'v1', kind: 'T', metadata: { name: 't' }, spec: { k: 'v' } },
  },
}
const reordered = { ...object, spec: { ...object.spec, set: ['b', 'a'], ports: ports.toReversed(), plain: ['b', 'a'] } }

function evaluate(expression: string): unknown {
  const compiled = environment.compile(expression)
  if ('issues' in compiled) return compiled.issues
  const { value, error } = compiled.program.evaluate({ self: object, oldSelf: reordered })
  return error ?? toJson(value)
}

const rows: readonly (readonly [expression: string, result: unknown])[] = [
  ["self.apiVersion == 'example.com/v1' && self.kind == 'Web' && self.metadata.name == 'web'", true],
  ['has(self.metadata.generateName)', false],
  ['self.spec.replicas + 1', 4],
  ['self.spec.ratio / 2.0', 0.5],
  ['type(self.spec.ratio) == double && type(self.spec.replicas) == int && type(self.spec.since) == google.protobuf.Timestamp', true],
  ["self.spec.since < timestamp('2024-02-01T00:00:00Z') && self.spec.day.getDate() == 2", true],
  ["self.spec.data == b'hi' && self.spec.wait == duration('1m30s')", true],
  ["quantity(self.spec.memory).isGreaterThan(quantity('1G'))", true],
  ["type(self.spec.surge) == string ? self.spec.surge == '25%' : self.spec.surge == 1", true],
  ["self.spec.my__dash__key == 'v' && self.spec.__namespace__ == 'n'", true],
  ['self.spec.set == oldSelf.spec.set && self.spec.ports == oldSelf.spec.ports', true],
  ['self.spec.plain == oldSelf.spec.plain', false],
  ['self.spec.set == self.spec.plain', true],
  ["(self.spec.set + ['c', 'a']).size()", 3],
  ['self.spec.ports + oldSelf.spec.ports == self.spec.ports', true],
  ["self.spec.template.metadata.name == 't' && self.spec.template.kind == 'T' && self.spec.template.spec['k'] == 'v'", true],
  ["self.spec.ports.filter(p, p.name == 'a').map(p, p.number)", [1]],
  ['self == self && self != oldSelf', true],
  ['dyn(self).spec.replicas == 3 && dyn(self.spec).ratio == 1', true],
  ["has(self.spec.ports) && self.metadata.?generateName.orValue('none') == 'none'", true],
]

test('objects have the types declared in their schema', () => {
  for (const [expression, result] of rows) assert.deepEqual(evaluate(expression), result, expression)
})

const refused: readonly (readonly [expression: string, issues: string])[] = [
  ['self.foo', "ERROR: <input>:1:5: undefined field 'foo'\n | self.foo\n | ....^"],
  ['self.spec.raw', "ERROR: <input>:1:10: undefined field 'raw'\n | self.spec.raw\n | .........^"],
  ['self.metadata.labels', "ERROR: <input>:1:14: undefined field 'labels'\n | self.metadata.labels\n | .............^"],
  ['size(foo)', "ERROR: <input>:1:6: undeclared reference to 'foo' (in container '')\n | size(foo)\n | .....^"],
  ['self.spec.replicas > 1.5', null as never],
  [
    'self.spec.replicas + 1.5',
    "ERROR: <input>:1:20: found no matching overload for '_+_' applied to '(int, double)'\n | self.spec.replicas + 1.5\n | ...................^",
  ],
  [
    'self.spec.active.foo()',
    "ERROR: <input>:1:21: undeclared reference to 'foo' (in container '')\n | self.spec.active.foo()\n | ....................^",
  ],
  [
    'self.spec.replicas.all(x, true)',
    "ERROR: <input>:1:10: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.spec.replicas.all(x, true)\n | .........^",
  ],
  ['self.kind.name', "ERROR: <input>:1:10: type 'string' does not support field selection\n | self.kind.name\n | .........^"],
  ['self.kind &&\n\ttrue', "ERROR: <input>:1:5: expected type 'bool' but found 'string'\n | self.kind &&\n | ....^"],
  ["'é' + 1", "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'\n | 'é' + 1\n | .．..^"],
  ["timestamp('x')", "ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('x')\n | ..........^"],
  ["duration('x')", "ERROR: <input>:1:10: invalid duration argument\n | duration('x')\n | .........^"],
  ['[1].map(1, 2)', 'ERROR: <input>:1:9: argument is not an identifier\n | [1].map(1, 2)\n | ........^'],
  ['[1].all(1, true)', 'ERROR: <input>:1:9: argument must be a simple name\n | [1].all(1, true)\n | ........^'],
  ['has(self)', 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^'],
  ['[1].all(a, a, true)', 'ERROR: <input>:1:12: duplicate variable name: a\n | [1].all(a, a, true)\n | ...........^'],
  ['for', 'ERROR: <input>:1:1: reserved identifier: for\n | for\n | ^'],
  ['99999999999999999999', 'ERROR: <input>:1:1: invalid int literal\n | 99999999999999999999\n | ^'],
  ["{'a': 1, 'b': 'c'}", "ERROR: <input>:1:15: expected type 'int' but found 'string'\n | {'a': 1, 'b': 'c'}\n | ..............^"],
  ['self.kind) ', "ERROR: <input>:1:10: Syntax error: extraneous input ')' expecting <EOF>\n | self.kind) \n | .........^"],
]

test('messages and positions of compile errors match kube-apiserver', () => {
  for (const [expression, issues] of refused) {
    if (issues === null) assert.equal(evaluate(expression), true, expression)
    else assert.equal(evaluate(expression), `compilation failed: ${issues}`, expression)
  }
  assert.deepEqual(environment.compile('1', { result: [boolType] }), { issues: 'must evaluate to bool but got int' })
  assert.deepEqual(environment.compile('1', { result: [boolType, stringType] }), {
    issues: 'must evaluate to one of [bool string] but got int',
  })
})

test('objects constructed by an expression', () => {
  const spec = objectType('Object.spec', { replicas: { ...dynType } })
  const mutation = createCelEnvironment({ variables: {}, types: [objectType('Object', { spec }), spec, jsonPatchType] })
  const made = (expression: string) => {
    const compiled = mutation.compile(expression)
    if ('issues' in compiled) return compiled.issues
    const { value, error } = compiled.program.evaluate({})
    return error ?? toJson(value)
  }
  assert.deepEqual(made('Object{spec: Object.spec{replicas: 3}}'), { spec: { replicas: 3 } })
  assert.deepEqual(made('Object{?spec: optional.none()}'), {})
  assert.deepEqual(made("[JSONPatch{op: 'add', path: '/a', value: {'b': 1}}]"), [{ op: 'add', path: '/a', value: { b: 1 } }])
  assert.match(String(made('Object{spec: 1}')), /expected type of field 'spec' is 'Object.spec' but provided type is 'int'/)
  assert.match(String(made('Object{colour: 1}')), /undefined field 'colour'/)
  assert.match(String(made('Other{a: 1}')), /undeclared reference to 'Other'/)
})

test('asynchronous authorizer checks', async () => {
  const authorized = createCelEnvironment({ variables: { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType } })
  const compiled = authorized.compile(
    "authorizer.serviceAccount('dev', 'robot').group('apps').resource('deployments').namespace('dev').check('create').allowed() && authorizer.requestResource.check('get').reason() == 'get pods' && authorizer.path('/healthz').check('get').errored()",
  )
  assert.ok('program' in compiled, 'issues' in compiled ? compiled.issues : '')
  const asked: string[] = []
  const values = authorizerValues(
    async ({ verb, resource, path, serviceAccount }) => {
      asked.push(`${verb} ${path ?? resource}${serviceAccount ? ` as ${serviceAccount.namespace}/${serviceAccount.name}` : ''}`)
      if (path !== undefined) throw new Error('no answer')
      return { allowed: true, reason: `${verb} ${resource}` }
    },
    { resource: 'pods' },
  )
  const { value, error } = await settled(() => compiled.program.evaluate(values, { costLimit: 2_000_000 }))
  assert.deepEqual([value, error], [true, undefined])
  assert.deepEqual(asked, ['create deployments as dev/robot', 'get pods', 'get /healthz'])
  const limited = await settled(() => compiled.program.evaluate(values, { costLimit: 400_000 }))
  assert.match(limited.error ?? '', /actual cost limit exceeded/)
})

test('lazy fields are computed once', () => {
  const variables = objectType('Variables', { big: intType, broken: boolType, unused: intType })
  const compiled = createCelEnvironment({ variables: { variables } }).compile(
    'variables.big > 1 && variables.big < 9 && (variables.broken || variables.big == 3) && (variables.broken || true)',
  )
  assert.ok('program' in compiled, 'an expression')
  const computed: string[] = []
  const lazy = new LazyObject(variables, (name) => {
    computed.push(name)
    if (name === 'broken') throw new CelError('no such key: x')
    return 3
  })
  assert.equal(compiled.program.evaluate({ variables: lazy }).value, true)
  assert.deepEqual(computed, ['big', 'broken'])
})

test('values other than maps have no entries', () => {
  const compiled = createCelEnvironment({ variables: { x: dynType } }).compile('[1].transformMapEntry(i, v, x)')
  assert.ok('program' in compiled, 'an expression')
  for (const x of [null, 1, 'text', [1]]) assert.match(compiled.program.evaluate({ x }).error ?? '', /^no such overload/)
  assert.equal(compiled.program.evaluate({ x: { a: 1 } }).error, undefined)
})
