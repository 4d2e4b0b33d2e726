import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DecodeError } from '../../../../core/schema/decode-error.ts'
import { canonicalBase64, decodeBase64, encodeBase64 } from '../../../../core/schema/formats/base64.ts'
import { formatDuration, parseDuration } from '../../../../core/schema/formats/duration.ts'
import { canonicalTime, formatTime, parseTime } from '../../../../core/schema/formats/time.ts'
import fc from '../../../support/fast-check.ts'

describe('times', () => {
  it('agree with Date on every day of years 1 to 9999', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          const text = `${date.toISOString().slice(0, 19)}Z`
          assert.equal(parseTime(text)?.seconds, Math.floor(date.getTime() / 1000))
          assert.equal(canonicalTime(text, 'time'), text)
          assert.equal(formatTime({ seconds: Math.floor(date.getTime() / 1000), nanos: 0 }, 'time'), text)
        },
      ),
    )
  })

  it('are normalised to UTC', () => {
    assert.equal(canonicalTime('2024-03-01T01:00:00+02:00', 'time'), '2024-02-29T23:00:00Z')
    assert.equal(canonicalTime('2024-03-01T01:00:00.999999999Z', 'time'), '2024-03-01T01:00:00Z')
    assert.equal(canonicalTime('2024-03-01T01:00:00.120000-00:30', 'microTime'), '2024-03-01T01:30:00.120000Z')
  })

  it('are refused when they are no dates', () => {
    for (const text of [
      '',
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2024-13-01T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01',
      '2024-01-01 00:00:00Z',
      '9999-12-31T23:59:59-01:00',
    ]) {
      assert.throws(() => canonicalTime(text, 'time'), DecodeError, text)
    }
    assert.throws(
      () => canonicalTime('2024-01-01T00:00:00Z', 'microTime'),
      new DecodeError('parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'),
    )
  })
})

describe('durations', () => {
  it('are printed as in Go', () => {
    const cases = [
      ['0', '0s'],
      ['1ns', '1ns'],
      ['1500us', '1.5ms'],
      ['90s', '1m30s'],
      ['3600s', '1h0m0s'],
      ['-1.5h', '-1h30m0s'],
      ['1h2m3.5s', '1h2m3.5s'],
      ['.5s', '500ms'],
    ] as const
    for (const [given, written] of cases) assert.equal(formatDuration(parseDuration(given)), written)
  })

  it('are refused without a unit, and on overflow', () => {
    assert.throws(() => parseDuration('5'), new DecodeError('time: missing unit in duration "5"'))
    for (const text of ['', 's', '-', '.s', '1x', '9999999999h']) assert.throws(() => parseDuration(text), DecodeError, text)
  })
})

describe('base64', () => {
  it('base64 of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        assert.equal(encodeBase64(bytes), text)
        assert.deepEqual(decodeBase64(text), bytes)
        assert.equal(canonicalBase64(text), text)
      }),
    )
  })

  it('ignores line breaks and unused bits, and refuses other characters', () => {
    assert.equal(canonicalBase64('AA\r\nAA'), 'AAAA')
    assert.equal(canonicalBase64('AB=='), 'AA==')
    for (const text of ['A', 'AAA', 'AA=A', '====', 'AA-_', 'é===']) assert.throws(() => canonicalBase64(text), DecodeError, text)
  })
})
