/** Bytes as lists of numbers, as Go's decoder takes them: in objects, and in the patches of webhooks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReview, readResponse } from '../../../core/admission/webhooks/response.ts'
import { createPlatform } from '../../../core/platform.ts'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [] })

const secret = (value: string) => `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"k":${value}}}`
const secrets = '/api/v1/namespaces/default/secrets?dryRun=All'
const create = (value: string) => api.send('POST', secrets, secret(value))

test('data of a Secret', async () => {
  for (const [value, stored] of Object.entries({ '[91,123]': 'W3s=', '[]': '', '[97,null]': 'YQA=', '"W3s="': 'W3s=' })) {
    const { status, body } = await create(value)
    assert.deepEqual([status, body.data?.['k']], [201, stored], value)
  }
  for (const value of ['[256]', '[-1]', '[1.5]', '[1.0]', '["x"]', '[true]', '[[1]]', '1', '{}'])
    assert.equal((await create(value)).status, 400, value)
  const { body } = await api.send<{ message: string }>('POST', secrets, secret('[91,300]'))
  const why = 'json: cannot unmarshal number 300 into Go struct field Secret.data of type uint8'
  assert.equal(body.message, `Secret in version "v1" cannot be handled as a Secret: ${why}`)
})

test('the patch of a mutating webhook', () => {
  const expected = { uid: 'u', version: 'v1', mutating: true } as const
  const platform = createPlatform('kubernetes')
  const patchOf = (patch: string) => {
    const response = `{"uid":"u","allowed":true,"patchType":"JSONPatch","patch":${patch}}`
    const text = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":${response}}`
    return readResponse(parseReview(text, expected, platform), expected, platform).patch
  }
  const bytes = JSON.stringify([...new TextEncoder().encode('[{"op":"remove","path":"/x"}]')])
  assert.equal(patchOf(bytes), '[{"op":"remove","path":"/x"}]')
  assert.equal(patchOf('"bnVsbA=="'), 'null')
  assert.throws(() => patchOf('[300]'), /cannot unmarshal number 300/)
})
