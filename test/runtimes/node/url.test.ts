import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestUrl } from '../../../runtimes/node/http/url.ts'
import fc from '../../support/fast-check.ts'

test('is built from host and target by the URL standard', () => {
  const part = fc.array(
    fc.constantFrom(
      '/',
      '.',
      '..',
      'a',
      'Z',
      '%2e',
      '%41',
      '?',
      "'",
      '"',
      '[',
      '{',
      '|',
      '^',
      '`',
      '\\',
      ' ',
      '=',
      '&',
      '~',
      ':',
      '@',
      ';',
      'é',
      '!',
    ),
  )
  fc.assert(
    fc.property(part, fc.constantFrom('a', 'a:443', 'a:6443', '127.0.0.1:1', '[::1]:6443', 'A.b'), (parts, host) => {
      const target = `/${parts.join('')}`
      assert.equal(requestUrl(host, target), new URL(`https://${host}${target}`).href)
    }),
    { numRuns: 2000 },
  )
})

test('accepts the absolute form, and refuses invalid URLs', () => {
  assert.equal(requestUrl('a', 'https://b/c'), 'https://b/c')
  assert.equal(requestUrl('a', '*'), undefined)
  assert.equal(requestUrl('a b', '/'), undefined)
  assert.equal(requestUrl('a', 'file:///etc'), undefined)
})
