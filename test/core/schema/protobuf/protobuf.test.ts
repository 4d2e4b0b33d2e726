import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { DecodeError, decode } from '../../../../core/schema/decode.ts'
import { parseExact, printJson } from '../../../../core/schema/json/text.ts'
import type { JsonObject } from '../../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf, isEnvelope } from '../../../../core/schema/protobuf/protobuf.ts'
import fc from '../../../support/fast-check.ts'
import { trials } from '../../../support/soak.ts'
import { anyValue, fullValue, Item, Spec, Thing } from '../samples.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
/** Parsed as by the server: integers beyond 2^53 are bigints. */
const noise = fc.jsonValue({ maxDepth: 2 }).map((value) => parseExact(JSON.stringify(value)))

describe('protobuf', () => {
  it('writes fields in the wire format', () => {
    assert.equal(
      hex(encodeProtobuf(Item, { name: 'a', limit: 0, children: [{ name: '' }] })),
      ['0a0161', '1000', '1800', '2204', '0a00', '1000'].join(''),
    )
    assert.equal(hex(encodeProtobuf(Item, { name: '', count: -1 })), `0a00 10${'ff'.repeat(9)}01`.replace(' ', ''))
  })

  it('keeps times that are present and unset, which leaders send', () => {
    const { schema } = builtInResources.find(({ kind }) => kind === 'Lease')!
    const spec = { holderIdentity: 'h', acquireTime: null }
    const written = encodeProtobuf(schema, { spec })
    assert.ok(hex(written).endsWith('0a0168 1a00'.replace(' ', '')), hex(written))
    assert.deepEqual(decodeProtobuf(schema, written)['spec'], spec)
    assert.deepEqual(decodeProtobuf(schema, encodeProtobuf(schema, { spec: { holderIdentity: 'h' } }))['spec'], { holderIdentity: 'h' })
  })

  it('sorts the keys of maps by their bytes', () => {
    const keys = ['\u{1f600}', '\uffee', 'b', 'a', 'aa', 'é']
    const written = encodeProtobuf(Spec, { extra: Object.fromEntries(keys.map((key) => [key, []])) })
    const at = keys.map((key) => Buffer.from(written).indexOf(Buffer.concat([Buffer.from([10, Buffer.byteLength(key)]), Buffer.from(key)])))
    const expected = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(
      [...keys].sort((a, b) => (at[keys.indexOf(a)] as number) - (at[keys.indexOf(b)] as number)),
      expected,
    )
  })

  it('round trip of every field of every built-in kind', () => {
    const resources = builtInResources
    assert.ok(resources.length > 60)
    for (const { kind, version, schema } of resources) {
      const { value, unknown } = decode(schema, fullValue(schema) as JsonObject)
      assert.deepEqual(unknown, [])
      const back = decodeProtobuf(schema, encodeProtobuf(schema, value))
      assert.equal(printJson(back), printJson(value), `${kind} ${version}`)
    }
  })

  it('round trip of any value, except for what the wire format can not distinguish', () => {
    let accepted = 0
    fc.assert(
      fc.property(anyValue(Thing, noise), (given) => {
        let value: JsonObject
        try {
          value = decode(Thing, given).value
        } catch {
          return
        }
        accepted++
        // On the wire an empty list is absent, null bytes are empty, and a lone surrogate is U+FFFD.
        const once = decodeProtobuf(Thing, encodeProtobuf(Thing, value))
        assert.equal(printJson(decodeProtobuf(Thing, encodeProtobuf(Thing, once))), printJson(once))
      }),
      { numRuns: trials(500, 200_000) },
    )
    assert.ok(accepted > 100)
  })

  it('skips unknown fields', () => {
    assert.deepEqual(decodeProtobuf(Item, bytes('0a0161 f80105 fa0103616263 f9010000000000000000 fd0100000000 fb01 0801 fc01')), {
      name: 'a',
    })
  })

  it('accepts packed numbers', () => {
    assert.deepEqual(decodeProtobuf(Spec, bytes('ca01 03 01ac02'))['numbers'], [1, 300])
  })

  it('refuses malformed bytes', () => {
    const malformed = [
      '0a05 61', // longer than what is left
      '0affffffff0f', // much longer
      '0a', // no length
      '08', // no value
      '0801', // wrong wire type
      `10${'ff'.repeat(11)}01`, // overlong varint
      'ffffffffffffffffffff01', // overlong tag
      '0e00', // wire type 6
      '00', // field 0
      '220a 0a00', // child past the end
      '2202 0a05 6162636465', // field past its message
      '0b', // group without end
      `${'0b'.repeat(50_000)}`, // endless groups
    ]
    for (const text of malformed) assert.throws(() => decodeProtobuf(Item, bytes(text)), DecodeError, text)
    assert.throws(() => decodeProtobuf(Spec, bytes('a201 03 0a017b')), /not JSON/)
    assert.throws(() => decodeProtobuf(Spec, bytes('7202 08ff')), DecodeError)
    assert.throws(() => decodeProtobuf(Spec, bytes('720a 08ffffffffffffffff7f')), DecodeError)
  })

  it('bounds depth', () => {
    const nested = (levels: number) => {
      let parts: number[] = []
      for (let i = 0; i < levels; i++) {
        const length: number[] = []
        for (let rest = parts.length; ; rest >>>= 7) {
          if (rest < 128) {
            length.push(rest)
            break
          }
          length.push((rest & 127) | 128)
        }
        parts = [0x22, ...length, ...parts]
      }
      return new Uint8Array(parts)
    }
    assert.equal(JSON.stringify(decodeProtobuf(Item, nested(200))).split('children').length, 201)
    assert.throws(() => decodeProtobuf(Item, nested(5000)), new DecodeError('exceeded max depth'))
  })

  it('any input is decoded or refused with a DecodeError', () => {
    const valid = encodeProtobuf(Thing, decode(Thing, fullValue(Thing)).value)
    const damaged = fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(valid.length)).map(([at, byte, length]) => {
      const copy = valid.slice(0, Math.max(length, at + 1))
      copy[at] = byte
      return copy
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), (input) => {
        try {
          decodeProtobuf(Thing, input)
          decodeEnvelope(input)
        } catch (error) {
          assert.ok(error instanceof DecodeError, String(error))
        }
      }),
      { numRuns: trials(2_000, 1_000_000) },
    )
  })
})

describe('envelope', () => {
  it('an envelope carries apiVersion, kind and the bytes', () => {
    const framed = encodeEnvelope('v1', 'Thing', new Uint8Array([1, 2]))
    assert.equal(hex(framed), '6b387300' + '0a0b0a027631120554' + '68696e67' + '12020102' + '1a002200')
    assert.ok(isEnvelope(framed))
    const { apiVersion, kind, raw } = decodeEnvelope(framed)
    assert.deepEqual([apiVersion, kind, hex(raw)], ['v1', 'Thing', '0102'])
  })

  it('refuses bytes that are no envelope', () => {
    for (const text of ['', '6b3873', '7b7d', '6b387300 0a05', '6b387300 0801'])
      assert.throws(() => decodeEnvelope(bytes(text)), DecodeError, text)
  })
})
