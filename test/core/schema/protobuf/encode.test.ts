/** The encoder reads JSON bytes: however a value is spelled, the protobuf is the same, and a decoder finds the value in it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { decode } from '../../../../core/schema/decode.ts'
import { parseExact, printJson } from '../../../../core/schema/json/text.ts'
import { any, bytes, field, int64, type Json, type JsonObject, type Message, message, string } from '../../../../core/schema/model.ts'
import { decodeProtobuf, encodeProtobuf, ProtobufEncoder } from '../../../../core/schema/protobuf/protobuf.ts'
import fc from '../../../support/fast-check.ts'
import { trials } from '../../../support/soak.ts'
import { anyValue, fullValue, Item, Spec, Thing } from '../samples.ts'

const hex = (given: Uint8Array) => Buffer.from(given).toString('hex')
// One for all: it must not carry anything from one value into the next.
const protobuf = new ProtobufEncoder()
const encoded = (schema: Message, json: string) => hex(protobuf.encode(schema, new TextEncoder().encode(json)))
const noise = fc.jsonValue({ maxDepth: 2 }).map((value) => parseExact(JSON.stringify(value)))

/** Choices, one after the other, from a fixed list. */
type Choose = (below: number) => number

/** Another spelling of a string: some characters are escaped. */
const respelledText = (text: string, choose: Choose) =>
  `"${[
    ...JSON.stringify(text)
      .slice(1, -1)
      .matchAll(/\\u[0-9a-f]{4}|\\.|[^\\]/gsu),
  ]
    .map(([each]) => (each.length === 1 && choose(4) === 0 ? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}` : each))
    .join('')}"`

/** Another spelling of a JSON value: other order of members, white space, escapes. */
function respelled(value: Json, choose: Choose): string {
  const space = () => [' ', '\n\t', '', '', '', ''][choose(6)] as string
  if (typeof value === 'string') return respelledText(value, choose)
  if (Array.isArray(value)) return `[${space()}${value.map((item) => respelled(item, choose)).join(`${space()},${space()}`)}${space()}]`
  if (typeof value !== 'object' || value === null) return printJson(value)
  const names = Object.keys(value)
  for (let at = names.length - 1; at > 0; at--) {
    const other = choose(at + 1)
    ;[names[at], names[other]] = [names[other] as string, names[at] as string]
  }
  const members = names.map((name) => `${respelledText(name, choose)}${space()}:${space()}${respelled(value[name] as Json, choose)}`)
  return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`
}

function chooser(numbers: readonly number[]): Choose {
  let at = 0
  return (below) => (numbers[at++ % numbers.length] as number) % below
}

/** Without parts that can be any JSON, whose text is part of the protobuf. */
function withoutAny(value: JsonObject): JsonObject {
  const { extension: _extension, always: _always, ...spec } = (value['spec'] ?? {}) as JsonObject
  return { ...value, spec }
}

/** Undefined for noise. */
function canonicalSpec(spec: Json): JsonObject | undefined {
  try {
    return decode(Thing, { spec }).value['spec'] as JsonObject | undefined
  } catch {
    return undefined
  }
}

describe('JSON to protobuf', () => {
  it('is the same for an object that has parts in common with those before', () => {
    fc.assert(
      fc.property(
        fc.array(anyValue(Spec, noise), { minLength: 2, maxLength: 4 }),
        fc.array(fc.nat(1_000), { minLength: 20 }),
        (given, numbers) => {
          const specs = given.map((spec) => canonicalSpec(spec))
          const choose = chooser(numbers)
          const one = new ProtobufEncoder()
          for (let object = 0; object < 30; object++) {
            const members = [...Spec.json].map(([name]) => [name, specs[choose(specs.length)]?.[name]])
            const spec = Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject
            const json = new TextEncoder().encode(printJson({ spec }))
            assert.equal(hex(one.encode(Thing, json)), hex(new ProtobufEncoder().encode(Thing, json)))
          }
        },
      ),
      { numRuns: trials(50, 2_000) },
    )
  })

  it('does not depend on the spelling', () => {
    let compared = 0
    fc.assert(
      fc.property(anyValue(Thing, noise), fc.array(fc.nat(1_000), { minLength: 1, maxLength: 50 }), (given, numbers) => {
        let value: JsonObject
        try {
          value = withoutAny(decode(Thing, given).value)
        } catch {
          return
        }
        compared++
        // Lone surrogates are replaced when a text becomes bytes.
        const plain = parseExact(Buffer.from(printJson(value)).toString()) as JsonObject
        const other = respelled(plain, chooser(numbers))
        assert.equal(encoded(Thing, other), hex(encodeProtobuf(Thing, plain)), other)
      }),
      { numRuns: trials(2_000, 1_000_000) },
    )
    assert.ok(compared > 500)
  })

  it('has every field of every built-in kind, in any order of members', () => {
    for (const { kind, version, schema } of builtInResources) {
      const { value } = decode(schema, fullValue(schema) as JsonObject)
      const other = respelled(value, (below) => below - 1)
      assert.equal(printJson(decodeProtobuf(schema, protobuf.encode(schema, Buffer.from(other)))), printJson(value), `${kind} ${version}`)
    }
  })

  it('reads what other writers may have stored: unknown members, null, repeated names', () => {
    const expected = encoded(Item, '{"name":"a","count":2}')
    for (const json of [
      '{"name":"a","count":2,"unknown":{"deep":["]","}",{"\\"":null}]}}',
      '{"x":"\\"}","name":"a","limit":null,"children":null,"count":2}',
      '{"count":1,"name":"b","name":"a","count":2}',
      '{"n\\u0061me":"a","count":2}',
      '{"count":7,"name":"a","count":null,"count":2}',
      ' { "name" : "a" , "count" : 2 } ',
    ])
      assert.equal(encoded(Item, json), expected, json)
    assert.equal(encoded(Item, 'null'), encoded(Item, '{}'))
    assert.equal(encoded(Thing, '{"spec":null}'), encoded(Thing, '{}'))
  })

  it('sorts maps by the bytes of their keys, of which the last of equal ones counts', () => {
    const sorted = encoded(Spec, '{"limits":{"":"1","a":"2","aa":"3","b":"4"}}')
    assert.equal(encoded(Spec, '{"limits":{"b":"9","aa":"3","a":"2","b":"4","":"1"}}'), sorted)
    const long = 'k'.repeat(200)
    assert.equal(encoded(Spec, `{"limits":{"l":"1","${long}":"2"}}`), encoded(Spec, `{"limits":{"${long}":"2","l":"1"}}`))
  })

  const Values = message('Values', '', {
    text: field(1, string, ''),
    number: field(2, int64, ''),
    free: field(3, any, ''),
    secret: field(4, bytes, ''),
  })
  const read = (json: string) => decodeProtobuf(Values, protobuf.encode(Values, Buffer.from(json)))

  it('texts of any length', () => {
    for (const length of [0, 1, 62, 63, 64, 65, 127, 128, 16_383, 16_384, 300_000])
      for (const unit of ['a', 'é', '\u2028', '😀', '"', '\\', '\n']) {
        const text = unit.repeat(length)
        assert.equal(read(JSON.stringify({ text }))['text'] ?? '', text)
      }
    assert.equal(read('{"text":"\\ud800"}')['text'], '\ufffd')
  })

  it('integers of 64 bits', () => {
    for (const number of ['0', '-1', '999999999999999', '1000000000000000', '9223372036854775807', '-9223372036854775808'])
      assert.equal(printJson(read(`{"number":${number}}`)['number'] ?? 0), number)
  })

  it('keeps the text of values of any form, and prints what is spelled in another way', () => {
    for (const [given, kept] of [
      ['{"f:a":{"k:{\\"x\\":1}":{}}}', '{"f:a":{"k:{\\"x\\":1}":{}}}'],
      ['{"\\u003c":"\\u2028"}', '{"<":"\u2028"}'],
      ['[1,null,"]"]', '[1,null,"]"]'],
    ])
      assert.ok(Buffer.from(protobuf.encode(Values, Buffer.from(`{"free":${given}}`))).includes(kept as string), given)
  })
})
