import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '../../../../core/answers/encode.ts'
import { parseJson } from '../../../../core/request/json.ts'
import { parseYaml } from '../../../../core/request/yaml.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { DecodeError, decode } from '../../../../core/schema/decode.ts'
import { hasEscapedName, hasLongInteger, parseExact, parseJsonText, printJson } from '../../../../core/schema/json/text.ts'
import type { Json, JsonObject, Message, Schema } from '../../../../core/schema/model.ts'
import { decodeProtobuf, encodeProtobuf } from '../../../../core/schema/protobuf/protobuf.ts'
import fc from '../../../support/fast-check.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => parseJson(bytes(text), { duplicates: true }).value

/** Integers around every boundary of representation. */
const integers = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 10n ** 15n, 10n ** 16n, 10n ** 18n, 2n ** 63n]
  .flatMap((at) => [at - 2n, at - 1n, at, at + 1n, -at - 1n, -at, -at + 1n])
  .filter((value) => BigInt.asIntN(64, value) === value)
const canonical = (value: bigint): Json => (Number.isSafeInteger(Number(value)) ? Number(value) : value)

test('64-bit integers are parsed and printed exactly', () => {
  for (const integer of integers) {
    const text = `{"a":[${integer}],"b":{"c":${integer}},"d":"${integer}"}`
    const value = read(text)
    assert.deepEqual(value, { a: [canonical(integer)], b: { c: canonical(integer) }, d: String(integer) })
    assert.equal(printJson(value), text)
    assert.equal(printJson(parseJsonText(text)), text)
    assert.deepEqual(parseYaml(bytes(`a: [${integer}]\n`), { duplicates: true }).value, { a: [canonical(integer)] })
  }
})

test('the exact parser agrees with JSON.parse, whatever the white space', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      const exact = parseExact(text)
      assert.equal(
        JSON.stringify(exact, (_, each) => (typeof each === 'bigint' ? Number(each) : each)),
        JSON.stringify(JSON.parse(text)),
      )
      assert.equal(printJson([exact, 2n ** 60n], 2), printJson([exact, 1234567], 2).replace('1234567', String(2n ** 60n)))
    }),
  )
  assert.equal(printJson({ a: 2n ** 60n, b: [], c: {}, d: undefined }, 2), `{\n  "a": ${2n ** 60n},\n  "b": [],\n  "c": {}\n}`)
  assert.equal(Object.getPrototypeOf(parseExact('{"__proto__":1}')), Object.prototype)
})

test('long integers are found at any place, and nothing else is mistaken for one', () => {
  for (let before = 0; before < 40; before++) {
    for (let digits = 1; digits < 40; digits++) {
      const text = `{"${'x'.repeat(before)}":-${'7'.repeat(digits)},"y":"${'8'.repeat(digits)}"}`
      assert.equal(hasLongInteger(text), digits >= 16, text)
    }
  }
  assert.equal(hasLongInteger(`{"digest":"sha256:${'0'.repeat(64)}"}`), false)
  assert.equal(hasLongInteger(`{"x":"${'1'.repeat(100)} ${'a1'.repeat(100)}","y":0.1}`), false)
})

test('numbers out of the range of a double are refused, not stored as null', () => {
  for (const text of ['1e400', '-1e400', '9'.repeat(400), `[{"a":1E+999}]`]) {
    assert.throws(() => read(text), /json: cannot unmarshal number .* into Go value of type float64/)
  }
})

test('names with escapes are read as they are written, whatever was read before', () => {
  const names = ['"', '\\', '\n', '\u0001', 'a', 'a"', 'a\\', 'a\\b', '\\"', ':']
  for (const first of ['0', '[]', '"x"', '{}']) {
    for (const before of names) {
      parseJsonText(`{"h":${first},${JSON.stringify(before)}:0}`)
      for (const name of names) {
        const text = `{"h":0, ${JSON.stringify(name)} : {"k":1}}`
        assert.deepEqual(parseJsonText(text), { h: 0, [name]: { k: 1 } })
        assert.deepEqual(parseJson(new TextEncoder().encode(text), { duplicates: true }), {
          value: { h: 0, [name]: { k: 1 } },
          duplicates: [],
        })
        assert.equal(hasEscapedName(text), JSON.stringify(name).includes('\\'))
      }
    }
  }
  assert.equal(hasEscapedName('{"a":"\\"b\\":","c":["\\\\", "\\n"]}'), false)
})

test('lone surrogates become U+FFFD, as in Go', () => {
  assert.deepEqual(read('{"a\\ud800":["\\uD83D\\uDE00","\\ude00\\ud83d","\\uDFFFx","\\\\ud800"]}'), {
    'a\ufffd': ['\u{1f600}', '\ufffd\ufffd', '\ufffdx', '\\ud800'],
  })
  assert.throws(() => parseYaml(bytes('a: "\\ud800"\n'), { duplicates: true }), /invalid Unicode character escape code/)
})

interface IntegerField {
  readonly path: string
  put(value: Json): Json
}

/** Paths of 64-bit integers in a schema; recursion ends at a repeated message. */
function integerFields(schema: Schema, path: string, put: (value: Json) => Json, above: readonly Schema[] = []): IntegerField[] {
  if (schema.type === 'int64') return [{ path, put }]
  if (schema.type === 'list') return integerFields(schema.items, `${path}[]`, (value) => put([value]), above)
  if (schema.type === 'map') return integerFields(schema.values, `${path}{}`, (value) => put({ key: value }), above)
  if (schema.type !== 'message' || above.includes(schema)) return []
  return [...schema.json].flatMap(([name, field]) =>
    integerFields(field.schema, `${path}.${name}`, (value) => put({ [name]: value }), [...above, schema]),
  )
}

const at = (value: Json, path: string): Json =>
  path
    .replaceAll('[]', '.0')
    .replaceAll('{}', '.key')
    .split('.')
    .slice(1)
    .reduce<Json>((object, name) => (object as JsonObject)[name] ?? null, value)

test('every 64-bit integer of every kind survives JSON, YAML and protobuf', () => {
  let tried = 0
  for (const { kind, apiVersion, schema, found } of allPlaces()) {
    for (const { path, put } of found) {
      for (const integer of integers) {
        const given = read(printJson({ kind, apiVersion, ...(put(canonical(integer)) as JsonObject) }))
        const { value } = decode(schema, given, { root: true })
        const expected = integer === 0n ? [0, null] : [canonical(integer)]
        const check = (form: string, object: Json) =>
          assert.ok(expected.includes(at(object, path) as never), `${kind}${path} ${integer} ${form}: ${at(object, path)}`)
        check('decoded', value)
        const encodable = { value: value as never, schema: undefined }
        const written = (format: 'json' | 'yaml', pretty: boolean) => encode(encodable, format, pretty)
        check('JSON', read(new TextDecoder().decode(written('json', false))))
        check('pretty JSON', read(new TextDecoder().decode(written('json', true))))
        check('protobuf', decodeProtobuf(schema, encodeProtobuf(schema, value)))
        if (Math.abs(Number(integer)) > 2 ** 52) check('YAML', parseYaml(written('yaml', false), { duplicates: true }).value)
        tried++
      }
      for (const wrong of [`${2n ** 63n}`, `${-(2n ** 63n) - 1n}`, '1e19', '1.5']) {
        const given = read(printJson({ kind, apiVersion, ...(put('here') as JsonObject) }).replace('"here"', wrong))
        assert.throws(() => decode(schema, given, { root: true }), DecodeError, `${kind}${path} ${wrong}`)
      }
    }
  }
  assert.ok(tried > 4000, `${tried}`)
})

function* allPlaces() {
  const seen = new Set<string>()
  for (const { kind, group, version, schema } of builtInResources) {
    const found = integerFields(schema as Message, '', (value) => value).filter(({ path }) => {
      // Pod templates are part of many kinds; one is enough.
      const shared = path.replace(/^.*(\.template\.spec\.|\.metadata\.)/, '$1')
      if (shared !== path && seen.has(shared)) return false
      seen.add(shared)
      return true
    })
    yield { kind, apiVersion: `${group}/${version}`, schema: schema as Message, found }
  }
}
