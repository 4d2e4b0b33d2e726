/** Every text of the comparison in every format, with the verdicts of kube-openapi. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapiFormat } from '../../../../core/schema/openapi/formats.ts'
import { formatTexts, textsOfFormats } from '../../../reference/inputs/format-texts.ts'

for (const [format, good] of Object.entries(textsOfFormats))
  test(`format ${format}`, () => {
    const isOf = openapiFormat(format)
    assert.ok(isOf)
    const found = formatTexts.filter(isOf)
    assert.deepEqual(
      found.filter((text) => !good.includes(text)),
      [],
      'accepted although the reference refuses them',
    )
    assert.deepEqual(
      good.filter((text) => !found.includes(text)),
      [],
      'refused although the reference accepts them',
    )
  })

test('dashes in the name of a format do not count', () => {
  assert.equal(openapiFormat('date-time')?.('2020-01-01t00:00:00z'), true)
  assert.equal(openapiFormat('u-r-i')?.('a'), false)
  assert.equal(openapiFormat('uri-reference'), undefined)
})
