/** Name constraints on names that x509-limbo.test.ts does not have; expected as of crypto/x509 of Go 1.26. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constrainedName, nameConstraintsOf } from '../../../../../core/access/authn/certificate/name-constraints.ts'
import { readDer } from '../../../../../core/schema/formats/der.ts'

type Bytes = readonly number[]
const element = (tag: number, ...content: readonly Bytes[]): Bytes => [tag, content.flat().length, ...content.flat()]
const ascii = (text: string): Bytes => [...Buffer.from(text, 'latin1')]
const tags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87, directory: 0xa4 } as const
type Named = readonly [type: keyof typeof tags, value: string | Bytes]

const nameOf = ([type, value]: Named) => element(tags[type], typeof value === 'string' ? ascii(value) : value)
const subtrees = (tag: number, names: readonly Named[]) =>
  names.length === 0 ? [] : [element(tag, ...names.map((name) => element(0x30, nameOf(name))))]
const constraintsOf = (permitted: readonly Named[], excluded: readonly Named[] = []) =>
  nameConstraintsOf(readDer(Uint8Array.from(element(0x30, ...subtrees(0xa0, permitted), ...subtrees(0xa1, excluded)))))
const problemOf = (constraints: ReturnType<typeof constraintsOf>, name: Named) => {
  const { tag, content } = readDer(Uint8Array.from(nameOf(name)))
  return constrainedName(constraints, [{ tag, content }])
}

const local: Bytes = [10, 0, 0, 0, 255, 0, 0, 0]
const cases: readonly (readonly [constraint: Named, name: Named, matches: boolean])[] = [
  [['dns', 'example.com'], ['dns', 'EXAMPLE.com'], true],
  [['dns', 'example.com'], ['dns', 'a.b.example.com'], true],
  [['dns', 'example.com'], ['dns', 'notexample.com'], false],
  [['dns', '.example.com'], ['dns', 'example.com'], false],
  [['dns', '.example.com'], ['dns', 'a.example.com'], true],
  [['dns', ''], ['dns', 'anything'], true],
  [['email', 'example.com'], ['email', 'jane@example.com'], true],
  [['email', 'jane@example.com'], ['email', 'jane@EXAMPLE.com'], true],
  [['email', 'jane@example.com'], ['email', 'Jane@example.com'], false],
  [['uri', 'example.com'], ['uri', 'spiffe://example.com/ns/dev'], true],
  [['uri', '.example.com'], ['uri', 'https://a.example.com:8443/'], true],
  [['uri', 'example.com'], ['uri', 'spiffe://other.example/ns/dev'], false],
  [['ip', local], ['ip', [10, 1, 2, 3]], true],
  [['ip', local], ['ip', [11, 1, 2, 3]], false],
  [['ip', local], ['ip', [...ascii('0123456789'), 0, 0, 10, 0, 0, 0]], false],
]
for (const [constraint, name, matches] of cases)
  test(`${constraint} and ${name}`, () => {
    assert.equal(problemOf(constraintsOf([constraint]), name) === undefined, matches, 'permitted')
    assert.equal(problemOf(constraintsOf([], [constraint]), name) === undefined, !matches, 'excluded')
  })

test('an excluded host excludes the wildcards that may stand for it, and no others', () => {
  const constraints = constraintsOf([], [['dns', 'a.example.com']])
  const why = 'a root or intermediate certificate is not authorized to sign for this name: '
  assert.equal(problemOf(constraints, ['dns', '*.example.com']), `${why}DNS name "*.example.com" is excluded by constraint "a.example.com"`)
  assert.equal(problemOf(constraints, ['dns', '*.other.com']), undefined)
  assert.equal(problemOf(constraintsOf([['dns', 'a.example.com']]), ['dns', '*.example.com'])?.startsWith(why), true)
})

test('names that can not be compared are refused, names of other types are not constrained', () => {
  const constraints = constraintsOf([['dns', '']], [['uri', 'example.com']])
  for (const name of [
    ['dns', 'a..b'],
    ['dns', 'a b'],
    ['uri', 'https://10.0.0.1/'],
    ['uri', 'https://[::1]/'],
    ['uri', 'relative'],
    ['ip', [1, 2, 3]],
    ['email', 'nobody'],
  ] as const)
    assert.match(problemOf(constraints, name) ?? '', /cannot parse/, String(name))
  assert.equal(problemOf(constraints, ['ip', [1, 2, 3, 4]]), undefined)
  assert.equal(problemOf(constraints, ['email', 'jane@example.com']), undefined)
})

test('malformed constraints are refused, those of other types are reported', () => {
  for (const malformed of [['ip', [10, 0, 0, 0]] as const, ['ip', [10, 0, 0, 0, 255, 0, 255, 0]] as const, ['dns', 'a..b'] as const])
    assert.throws(() => constraintsOf([malformed]), /malformed certificate/)
  assert.throws(() => constraintsOf([]), /malformed certificate/)
  assert.equal(constraintsOf([['directory', element(0x30)]]).others, true)
  assert.equal(constraintsOf([['dns', 'a']]).others, false)
})
