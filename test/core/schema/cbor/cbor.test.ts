/**
 * CBOR, as kube-apiserver's serializer reads and writes it (apimachinery 1.36, runtime/serializer/cbor with fxamacker/cbor). `cbor.tsv` has recorded rows
 * of a fuzz: `d` (decode), bytes, and JSON or an error; `e` (encode), JSON and bytes.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeCbor } from '../../../../core/schema/cbor/decode.ts'
import { diagnose } from '../../../../core/schema/cbor/diagnostic.ts'
import { encodeCbor } from '../../../../core/schema/cbor/encode.ts'
import { DecodeError } from '../../../../core/schema/decode.ts'
import { parseJsonText } from '../../../../core/schema/json/text.ts'
import { bytes as base64, double, field, map, message } from '../../../../core/schema/model.ts'
import { root } from '../../../support/root.ts'

const recorded = readFileSync(join(root, 'test/core/schema/cbor/cbor.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => row.split('\t') as [kind: string, given: string, result: string])
const errorMark = 'error: '

const fromHex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const magic = 'd9d9f7'

describe('CBOR', () => {
  it('recorded values', () => {
    const values = recorded.filter(([kind, , result]) => kind === 'd' && !result.startsWith(errorMark))
    assert.ok(values.length > 100)
    for (const [, hex, json] of values) assert.deepEqual(decodeCbor(fromHex(hex)), parseJsonText(json), hex)
  })

  it('recorded errors', () => {
    const errors = recorded.filter(([, , result]) => result.startsWith(errorMark))
    assert.ok(errors.length > 100)
    for (const [, hex, result] of errors)
      assert.throws(
        () => decodeCbor(fromHex(hex)),
        (error) => error instanceof DecodeError && error.message === result.slice(errorMark.length),
        `${hex} ${result}`,
      )
  })

  it('recorded bytes', () => {
    const encoded = recorded.filter(([kind]) => kind === 'e')
    assert.ok(encoded.length > 50)
    for (const [, json, hex] of encoded) assert.equal(toHex(encodeCbor(parseJsonText(json), 'deterministic')), magic + hex, json)
  })

  it('bytes and floats of a schema have their own forms', () => {
    const schema = message('Example', '', { data: field(1, map(base64), ''), share: field(2, double, '') })
    assert.equal(
      toHex(encodeCbor({ data: { a: 'AQI=' }, share: 1 }, 'given', schema)),
      `${magic}a2 4464617461 a14161d6420102 457368617265 f93c00`.replaceAll(' ', ''),
    )
  })

  it('integers of more than 64 bits are floats', () => {
    assert.equal(
      toHex(encodeCbor(parseJsonText('[18446744073709551615,9223372036854775807]'), 'given')),
      `${magic}82fa5f8000001b7fffffffffffffff`,
    )
  })

  it('errors show bytes in diagnostic notation', () => {
    const shown = (hex: string, max = 100) => diagnose(fromHex(hex), max)
    assert.equal(
      shown('d9d9f7 a2 4161 4196 6162 83 fb3ff199999999999a f6 d6420102'),
      "55799({'a': h'96', \"b\": [1.1, null, 22('\\u0001\\u0002')]})",
    )
    assert.equal(shown('9f 20 f5 ff'), '[_ -1, true]')
    assert.ok(shown(`99 1000 ${'01'.repeat(4096)}`).length < 110)
  })

  it('depth and counts of hostile input are bounded, and nothing recurses', () => {
    const nested = (depth: number, head: number) => new Uint8Array(depth + 1).fill(head).fill(0xf6, depth)
    const fails = (bytes: Uint8Array, message: string) => assert.throws(() => decodeCbor(bytes), { name: 'DecodeError', message })
    fails(nested(10_001, 0x81), 'cbor: exceeded max nested level 10000')
    fails(nested(10_002, 0xc4), 'cbor: exceeded max nested level 10000')
    fails(nested(2_000_000, 0x81), 'cbor: exceeded max nested level 10000')
    fails(nested(1001, 0x81), 'exceeded max depth')
    fails(fromHex('9a 80000000'), 'cbor: exceeded max number of elements 2147483647 for CBOR array')
    fails(fromHex('9b ffffffffffffffff'), 'cbor: array length 18446744073709551615 is too large, it would cause integer overflow')
    fails(fromHex('bb 0000000000200001'), 'cbor: exceeded max number of key-value pairs 2097152 for CBOR map')
    fails(fromHex('9a 7fffffff'), 'unexpected EOF')
    fails(fromHex('5b 7fffffffffffffff'), 'unexpected EOF')
    fails(fromHex('5b 8000000000000000'), 'cbor: byte string length 9223372036854775808 is too large, causing integer overflow')
    fails(new Uint8Array(0), 'EOF')
    assert.equal(JSON.stringify(decodeCbor(nested(1000, 0x81))).length, 2004)
  })

  it('members are those of a map, whatever they are called', () => {
    const value = decodeCbor(encodeCbor(parseJsonText('{"__proto__":1,"constructor":{"a":2}}'), 'given'))
    assert.equal(JSON.stringify(value), '{"__proto__":1,"constructor":{"a":2}}')
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})
