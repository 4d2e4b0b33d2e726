import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveContent } from '../../../../core/meta/openapi/serve-content.ts'

const document = { bytes: new TextEncoder().encode('0123456789'), hash: 'AB' }
const modified = Date.parse('2026-01-01T00:00:00.400Z')
const ask = (headers: Record<string, string>, tagged?: true) =>
  serveContent(new Request('http://x/', { headers }), document, { headers: { 'Content-Type': 'a/b' }, modified, ...(tagged && { tagged }) })

test('the whole content, with its time and without a tag of its own', async () => {
  const answer = ask({})
  assert.deepEqual(Object.fromEntries(answer.headers), {
    'accept-ranges': 'bytes',
    'content-type': 'a/b',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
  })
  assert.equal(await answer.text(), '0123456789')
  assert.equal(ask({}, true).headers.get('etag'), '"AB"')
})

test('content that the client has is not sent again', () => {
  const at = (text: string) => ({ 'If-Modified-Since': text })
  const cases: readonly (readonly [Record<string, string>, number])[] = [
    [at('Thu, 01 Jan 2026 00:00:00 GMT'), 304],
    [at('Wed, 31 Dec 2025 23:59:59 GMT'), 200],
    [at('yesterday'), 200],
    [{ 'If-None-Match': '"AB"' }, 304],
    [{ 'If-None-Match': '"CD"', ...at('Thu, 01 Jan 2026 00:00:00 GMT') }, 200],
  ]
  for (const [headers, status] of cases) assert.equal(ask(headers, true).status, status, JSON.stringify(headers))
})

test('parts of the content', async () => {
  const cases: readonly (readonly [string, number, string, string | null])[] = [
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, 'invalid range: failed to overlap\n', 'bytes */10'],
    ['bytes=4-2', 416, 'invalid range: failed to overlap\n', 'bytes */10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ]
  for (const [range, status, text, content] of cases) {
    const answer = ask({ Range: range })
    assert.deepEqual([answer.status, await answer.text(), answer.headers.get('content-range')], [status, text, content], range)
  }
  assert.equal(ask({ Range: 'bytes=2-4', 'If-Range': '"AB"' }, true).status, 200)
})
