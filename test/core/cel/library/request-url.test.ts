/** Results of url.ParseRequestURI of Go 1.26. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapedPath, requestUrl } from '../../../../core/cel/library/request-url.ts'
import { drained } from '../../../../core/cel/steps.ts'

const parts: readonly (readonly [text: string, scheme: string, host: string, path: string, query: string])[] = [
  ['https://user:pass@example.com:80/path?query=val#fragment', 'https', 'example.com:80', '/path', 'query=val#fragment'],
  ['/absolute-path', '', '', '/absolute-path', ''],
  ['//x/y', '', '', '//x/y', ''],
  ['http://[::1]:80/a', 'http', '[::1]:80', '/a', ''],
  ['mailto:a?b=c', 'mailto', '', '', 'b=c'],
  ['http://x/a#b(c)%41', 'http', 'x', '/a%23b%28c%29A', ''],
  ['http://x/a(b)%20c', 'http', 'x', '/a(b)%20c', ''],
  ['HTTP://x:/', 'http', 'x:', '/', ''],
  ['http://x/ä b', 'http', 'x', '/%C3%A4%20b', ''],
  ['*', '', '', '*', ''],
  ['/\ud800', '', '', '/%EF%BF%BD', ''],
  [`/a${'ä😀%C3%A4'.repeat(3_000)}`, '', '', `/a${'%C3%A4%F0%9F%98%80%C3%A4'.repeat(3_000)}`, ''],
]

const problems: readonly (readonly [text: string, problem: string])[] = [
  ['http://#%blah$#@', 'net/url: invalid userinfo'],
  ['https://a:b:c/', 'invalid port ":b:c" after host'],
  ['../relative-path', 'invalid URI for request'],
  ['1a:b', 'invalid URI for request'],
  ['a b', 'invalid URI for request'],
  ['', 'empty url'],
  [':x', 'missing protocol scheme'],
  ['http://[1.2.3.4]/', 'invalid IP-literal'],
  ['http://[::1', "missing ']' in host"],
  ['http://a b/', 'invalid character " " in host name'],
  ['http://a%20b/', 'invalid URL escape "%20"'],
  ['http://a/%zz', 'invalid URL escape "%zz"'],
  ['http://a/\n', 'net/url: invalid control character in URL'],
]

test('URLs have the same parts as in Go', () => {
  for (const [text, scheme, host, path, query] of parts) {
    const found = drained(requestUrl(text))
    assert.ok(typeof found !== 'string', text)
    assert.deepEqual({ ...found, path: drained(escapedPath(found.path)) }, { scheme, host, path, query }, text)
  }
})

test('invalid URLs are refused as in Go', () => {
  for (const [text, problem] of problems) assert.equal(drained(requestUrl(text)), problem, text)
})
