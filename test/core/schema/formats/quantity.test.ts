import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DecodeError } from '../../../../core/schema/decode-error.ts'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantitySign,
  scaledQuantity,
  subtractQuantities,
} from '../../../../core/schema/formats/quantity.ts'
import fc from '../../../support/fast-check.ts'

describe('quantity', () => {
  it('is printed in canonical form', () => {
    const cases = [
      ['0', '0'],
      ['0m', '0'],
      ['00', '0'],
      ['-0', '0'],
      ['1', '1'],
      ['1000', '1k'],
      ['1000m', '1'],
      ['1500m', '1500m'],
      ['0.5', '500m'],
      ['.5', '500m'],
      ['1.5Gi', '1536Mi'],
      ['1024Ki', '1Mi'],
      ['1025Ki', '1025Ki'],
      ['0.5Ki', '512'],
      ['512Mi', '512Mi'],
      ['100Mi', '100Mi'],
      ['1Ei', '1Ei'],
      ['8Ei', '9223372036854775807'],
      ['0.1n', '1n'],
      ['-0.1n', '-1n'],
      ['1e3', '1e3'],
      ['12E2', '1200'],
      ['1e-3', '1e-3'],
      ['100000000000000000000', '100E'],
      ['1000E', '1000E'],
      ['-500m', '-500m'],
    ] as const
    for (const [given, written] of cases) assert.equal(canonicalQuantity(given), written, given)
  })

  it('refuses malformed quantities', () => {
    for (const text of ['', 'abc', '1.1.M', '1Kii', ' 1', '1 ', '0x10', '1+1.0', 'NaN', '9'.repeat(300)]) {
      assert.throws(() => parseQuantity(text), DecodeError, text)
    }
    assert.throws(() => parseQuantity('1Kib'), /quantities must match the regular expression/)
    assert.throws(() => parseQuantity('1mi'), /unable to parse quantity's suffix/)
    assert.throws(() => parseQuantity('1e999999999'), DecodeError)
  })

  it('compares and adds exactly', () => {
    const [half, mebi, big] = [parseQuantity('500m'), parseQuantity('1Mi'), parseQuantity('1e30')]
    assert.ok(compareQuantities(half, mebi) < 0)
    assert.ok(compareQuantities(big, mebi) > 0)
    assert.equal(compareQuantities(parseQuantity('1'), parseQuantity('1000m')), 0)
    assert.equal(formatQuantity(addQuantities(half, parseQuantity('0.6'))), '1100m')
    assert.equal(formatQuantity(addQuantities(parseQuantity('0'), mebi)), '1Mi')
    assert.equal(formatQuantity(subtractQuantities(mebi, parseQuantity('512Ki'))), '512Ki')
    assert.deepEqual([half, parseQuantity('0'), parseQuantity('-1')].map(quantitySign), [1, 0, -1])
    assert.equal(scaledQuantity(parseQuantity('1.1'), 0), 2n)
    assert.equal(scaledQuantity(parseQuantity('1.1'), -3), 1100n)
  })

  it('keeps its value, and its text once printed', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'e10')
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.option(fc.nat(99999)), suffix, (whole, fraction, unit) => {
        const text = `${whole}${fraction === null ? '' : `.${fraction}`}${unit}`
        const written = canonicalQuantity(text)
        assert.equal(canonicalQuantity(written), written)
        assert.equal(compareQuantities(parseQuantity(text), parseQuantity(written)), 0)
      }),
    )
  })
})
