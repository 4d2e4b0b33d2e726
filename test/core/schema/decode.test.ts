import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalise, DecodeError, decode } from '../../../core/schema/decode.ts'
import { givenEmpties, givenEmpty, hasGivenEmpty, holdsEmpties } from '../../../core/schema/json/given-empty.ts'
import { clone } from '../../../core/schema/json/members.ts'
import {
  field,
  inline,
  intOrString,
  type Json,
  type JsonObject,
  list,
  map,
  message,
  quantity,
  string,
  time,
} from '../../../core/schema/model.ts'
import { decodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'
import fc from '../../support/fast-check.ts'
import { anyValue, Item, Meta, Spec, Thing } from './samples.ts'

const empty = { mandatory: '', port: 0, items: null, since: null, nested: {}, always: null }
const spec = (value: Json) => decode(Spec, value).value
const failure = (value: Json) => {
  try {
    decode(Thing, value, { root: true })
  } catch (error) {
    assert.ok(error instanceof DecodeError)
    return error.message
  }
  return assert.fail('nothing was thrown')
}

describe('decode', () => {
  it('writes required fields even when unset', () => {
    assert.deepEqual(spec({}), empty)
    assert.deepEqual(decode(Thing, {}).value, { metadata: {}, spec: empty })
  })

  it('drops zero values unless they are pointers or required', () => {
    const zero = { text: '', flag: false, size: 0, secret: '', data: {}, limits: {}, byName: {}, inlined: '', inlinedCount: 0, numbers: [] }
    assert.deepEqual(spec({ ...zero, optionalFlag: false, ratio: 0 }), { ...empty, optionalFlag: false, ratio: 0 })
  })

  it('counts empty lists and maps as absent, but remembers them through copies and further decoding', () => {
    const { value } = decode(Thing, { spec: { items: [], data: {}, byName: { a: {} }, limits: null }, metadata: { labels: {} } })
    assert.deepEqual(value, { metadata: {}, spec: { ...empty, byName: { a: { name: '' } } } })
    for (const object of [value, clone(value), canonicalise(Thing, { ...value }), canonicalise(Thing, value, { shares: true })]) {
      const [given, metadata] = [object['spec'] as JsonObject, object['metadata'] as JsonObject]
      assert.deepEqual(givenEmpties(given), { items: [], data: {} })
      assert.deepEqual(
        [givenEmpty(metadata, 'labels'), givenEmpty(metadata, 'annotations'), givenEmpties(object)],
        [{}, undefined, undefined],
      )
      assert.ok(hasGivenEmpty(object) && !hasGivenEmpty(given['byName'] as Json))
      assert.deepEqual(
        [true, false],
        [object, { spec: {} }].map((each) => holdsEmpties(canonicalise(Thing, each, { shares: true }))),
      )
      assert.equal(JSON.stringify(object), JSON.stringify(value))
    }
  })

  it('takes null for absent', () => {
    assert.deepEqual(spec({ text: null, mandatory: null, optionalFlag: null, optional: null, nested: null, extension: null }), empty)
  })

  it('reads null inside lists and maps as zero values', () => {
    const { items, byName, words } = spec({ items: [null], byName: { a: null }, words: [null, ['a', null]] })
    assert.deepEqual({ items, byName, words }, { items: [{ name: '' }], byName: { a: { name: '' } }, words: [null, ['a', '']] })
  })

  it('orders fields by schema, inlined fields in place, and map keys by text', () => {
    const { value } = decode(Thing, {
      spec: { extra: { b: [], a: ['x'] }, inlined: 'i', text: 't' },
      metadata: { labels: { z: '1', a: '2' }, name: 'n' },
      apiVersion: 'v1',
      kind: 'Thing',
    })
    assert.equal(
      JSON.stringify(value),
      '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"n","labels":{"a":"2","z":"1"}},' +
        '"spec":{"text":"t","mandatory":"","port":0,"items":null,"since":null,"nested":{},"always":null,"inlined":"i","extra":{"a":["x"],"b":[]}}}',
    )
  })

  it('puts kind and apiVersion first in a root message that declares neither', () => {
    const { value, unknown } = decode(Meta, { name: 'n', apiVersion: 'v1', kind: 'K' }, { root: true })
    assert.equal(JSON.stringify(value), '{"kind":"K","apiVersion":"v1","name":"n"}')
    assert.deepEqual(unknown, [])
    assert.deepEqual(decode(Meta, { kind: 'K' }).unknown, ['kind'])
  })

  it('normalises scalars', () => {
    const { amount, limits, since, until, renewed, timeout, secret } = spec({
      amount: '0.5',
      limits: { cpu: 1000, memory: '1024Ki' },
      since: '2024-01-02T03:04:05.678+01:00',
      until: '2024-02-29T00:00:00Z',
      renewed: '2024-01-02T03:04:05.678901Z',
      timeout: '90m',
      secret: 'AA\nB=',
    })
    assert.deepEqual(
      { amount, limits, since, until, renewed, timeout, secret },
      {
        amount: '500m',
        limits: { cpu: '1k', memory: '1Mi' },
        since: '2024-01-02T02:04:05Z',
        until: '2024-02-29T00:00:00Z',
        renewed: '2024-01-02T03:04:05.678901Z',
        timeout: '1h30m0s',
        secret: 'AAA=',
      },
    )
  })

  it('takes the zero time for unset', () => {
    assert.deepEqual(decode(Meta, { created: '0001-01-01T00:00:00Z' }).value, {})
    assert.equal(spec({ since: '0001-01-01T00:00:00Z' })['since'], null)
    const { value } = decode(Thing, { spec: { until: '0001-01-01T00:00:00Z' } })
    assert.equal((value['spec'] as JsonObject)['until'], null)
    assert.equal((canonicalise(Thing, value)['spec'] as JsonObject)['until'], null, 'kept in a canonical object')
    assert.ok(!('until' in spec({ until: null })))
  })

  it('collects unknown fields with their paths', () => {
    const { unknown } = decode(Thing, {
      spec: { items: [{ name: 'a' }, { foo: 1, children: [{ Bar: 2 }] }], byName: { x: { y: 1 } } },
      top: 1,
    })
    assert.deepEqual(unknown, ['spec.items[1].foo', 'spec.items[1].children[0].Bar', 'spec.byName.x.y', 'top'])
  })

  it('reports a bounded number of unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 1]))
    assert.equal(decode(Meta, many).unknown.length, 100)
  })

  it('names the field with the wrong type', () => {
    assert.equal(failure({ spec: { items: 'x' } }), 'json: cannot unmarshal string into Go struct field Spec.spec.items of type []v1.Item')
    assert.equal(
      failure({ spec: { items: [{ count: 1.5 }] } }),
      'json: cannot unmarshal number 1.5 into Go struct field Item.spec.items.count of type int32',
    )
    assert.equal(
      failure({ metadata: { labels: { a: 1 } } }),
      'json: cannot unmarshal number into Go struct field Meta.metadata.labels of type string',
    )
    assert.equal(
      failure({ metadata: { labels: [] } }),
      'json: cannot unmarshal array into Go struct field Meta.metadata.labels of type map[string]string',
    )
    assert.equal(failure({ metadata: 'x' }), 'json: cannot unmarshal string into Go struct field Thing.metadata of type v1.Meta')
    assert.equal(failure([]), 'json: cannot unmarshal array into Go value of type v1.Thing')
    assert.equal(
      failure({ spec: { size: 2 ** 64 } }),
      `json: cannot unmarshal number ${2 ** 64} into Go struct field Spec.spec.size of type int64`,
    )
    assert.equal(failure({ spec: { port: true } }), 'json: cannot unmarshal bool into Go struct field Spec.spec.port of type int32')
    assert.match(failure({ spec: { amount: '1x' } }), /^quantities must match the regular expression/)
    assert.equal(
      failure({ spec: { since: 'today' } }),
      'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
    )
    assert.equal(failure({ spec: { secret: 'A*==' } }), 'illegal base64 data at input byte 1')
    for (const text of ['YWI=x', 'YWI=YWI=', 'YQ==é'])
      assert.equal(failure({ spec: { secret: text } }), 'illegal base64 data at input byte 4')
  })

  it('keeps __proto__ as an ordinary key', () => {
    const text = '{"metadata":{"labels":{"__proto__":"x"}},"spec":{"extension":{"__proto__":{"a":1}}}}'
    const { value } = decode(Thing, JSON.parse(text) as Json)
    assert.ok(JSON.stringify(value).includes('"labels":{"__proto__":"x"}'))
    assert.ok(JSON.stringify(value).includes('"extension":{"__proto__":{"a":1}}'))
    assert.equal(({} as { a?: number }).a, undefined)
    assert.deepEqual(decode(Meta, JSON.parse('{"__proto__":1,"constructor":2}') as Json).unknown, ['__proto__', 'constructor'])
  })

  it('accepts deep values up to a limit', () => {
    const deep = (levels: number, open: string, close: string) => JSON.parse(open.repeat(levels) + close.repeat(levels)) as Json
    const nested = (levels: number) => JSON.parse(`${'{"children":['.repeat(levels)}${']}'.repeat(levels)}`) as Json
    assert.equal(JSON.stringify(decode(Item, nested(200)).value).split('children').length - 1, 199)
    assert.deepEqual(spec({ extension: deep(200, '[', ']') })['extension'], deep(200, '[', ']'))
    for (const value of [{ extension: deep(100_000, '[', ']') }, { items: [nested(100_000)] }, { extension: deepObject() }]) {
      assert.throws(() => spec(value), new DecodeError('exceeded max depth'))
    }
  })

  it('adds absent parts up to a limit', () => {
    const Things = message('Things', '', { things: field(1, list(Thing), '') })
    const things = (count: number) => ({ things: Array.from({ length: count }, () => ({})) })
    const options = { bounds: { maxFilled: 300 } }
    // Each item lacks metadata and spec, and the spec lacks one part.
    assert.equal(JSON.stringify(decode(Things, things(100), options).value).split('"spec"').length - 1, 100)
    const refusal = new DecodeError('exceeded 300 absent parts that are filled in')
    assert.throws(() => decode(Things, things(101), options), refusal)
    const body = Uint8Array.from({ length: 202 }, (_, at) => (at % 2 === 0 ? (1 << 3) | 2 : 0))
    assert.throws(() => decodeProtobuf(Things, body, options), refusal)
    // Stored objects are read regardless of the limit.
    assert.equal((decodeProtobuf(Things, body)['things'] as Json[]).length, 101)
  })

  it('decoding a canonical value gives the same value', () => {
    const noise = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>
    const given = anyValue(Spec, noise)
    let accepted = 0
    fc.assert(
      fc.property(given, (given) => {
        try {
          const { value } = decode(Spec, given)
          accepted++
          const written = JSON.stringify(value)
          assert.equal(JSON.stringify(canonicalise(Spec, value)), written)
          // Unset times that were given are shown as null, which a client that sends them back leaves out.
          const withoutUnset = written.replaceAll(/"(until|renewed)":null,/g, '')
          assert.equal(JSON.stringify(canonicalise(Spec, JSON.parse(written) as Json)), withoutUnset)
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error
        }
      }),
      { numRuns: 2000 },
    )
    assert.ok(accepted > 200, `only ${accepted} accepted`)
  })

  it('shares canonical values, and decodes others to the same', () => {
    const given = anyValue(Spec, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>)
    let accepted = 0
    fc.assert(
      fc.property(given, (given) => {
        const before = JSON.stringify(given)
        try {
          const { value } = decode(Spec, given)
          accepted++
          assert.equal(JSON.stringify(decode(Spec, given, { shares: true }).value), JSON.stringify(value))
          assert.equal(canonicalise(Spec, value, { shares: true }), value)
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error
          assert.throws(() => decode(Spec, given, { shares: true }), DecodeError)
        }
        assert.equal(JSON.stringify(given), before)
      }),
      { numRuns: 2000 },
    )
    assert.ok(accepted > 200, `only ${accepted} accepted`)
  })

  it('copies only the path to a part that is not canonical', () => {
    const given = {
      metadata: { name: 'a', labels: { a: '1' } },
      spec: spec({ nested: { name: 'b' }, items: [{ name: 'c' }, { name: 'd' }] }),
    }
    const canonical = decode(Thing, given, { root: true }).value
    const changed = { ...canonical, metadata: { ...(canonical['metadata'] as object), created: null } } as Json
    const result = canonicalise(Thing, changed, { root: true, shares: true })
    assert.deepEqual(result, canonical)
    assert.equal(result['spec'], canonical['spec'])
    assert.notEqual(result['metadata'], canonical['metadata'])
  })
})

function deepObject(): Json {
  let value: Json = 1
  for (let i = 0; i < 100_000; i++) value = { a: value }
  return value
}

it('type errors name inlined structs and named types as Go does', () => {
  const Source = message('Source', '', { path: field(1, string, ''), at: field(2, time, ''), port: field(3, intOrString, '') })
  const Holder = message('Holder', '', { disk: field(1, Source, ''), modes: field(2, list(string), '', { goType: 'v1.Mode' }) })
  const Part = message('Part', '', { name: field(1, string, ''), holder: inline(2, Holder) })
  const Whole = message('Whole', '', { parts: field(1, list(Part), ''), limits: field(2, map(quantity), '', { goType: 'v1.Limits' }) })
  for (const [value, text] of [
    [{ parts: [{ disk: 7 }] }, 'number into Go struct field Part.parts.Holder.disk of type v1.Source'],
    [{ parts: [{ disk: { path: 7 } }] }, 'number into Go struct field Source.parts.Holder.disk.path of type string'],
    [{ parts: [{ disk: { at: 7 } }] }, 'number into Go struct field Source.parts.Holder.disk.at of type string'],
    [{ parts: [{ disk: { port: {} } }] }, 'object into Go struct field Source.parts.Holder.disk.port of type int32'],
    [{ parts: [{ modes: 7 }] }, 'number into Go struct field Part.parts.Holder.modes of type []v1.Mode'],
    [{ parts: [{ modes: [7] }] }, 'number into Go struct field Part.parts.Holder.modes of type v1.Mode'],
    [{ limits: [] }, 'array into Go struct field Whole.limits of type v1.Limits'],
  ] as const)
    assert.throws(() => decode(Whole, value as unknown as Json), { message: `json: cannot unmarshal ${text}` })
  assert.deepEqual(decode(Whole, { parts: [{ other: 7 }] }).unknown, ['parts[0].other'])
})
