import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestInfo } from '../../../core/request/info.ts'
import { rootUrl } from '../../support/root.ts'

/** As the examples say it. */
function described(method: string, target: string): string {
  const { pathname, searchParams } = new URL(target, 'http://x')
  const info = requestInfo(method, pathname, searchParams)
  if (info.malformed) return 'malformed'
  const { verb, resource, group, name, namespace, subresource, parts } = info
  const facts = [
    `${verb} ${[resource, group].filter(Boolean).join('.')}`.trim(),
    name && `name ${name}`,
    namespace && `namespace ${namespace}`,
    subresource && `subresource ${subresource}`,
    parts.length > 3 && `parts ${parts.join('/')}`,
  ]
  return facts.filter(Boolean).join(', ')
}

test('the examples in request/info.ts are true', () => {
  const text = readFileSync(new URL('core/request/info.ts', rootUrl), 'utf8')
  const rows = [...text.matchAll(/^ \* {5}([A-Z]+) +(\/\S+) +(.+)$/gm)].map(([, method = '', target = '', said = '']) => ({
    target: `${method} ${target}`,
    // What is said besides is in words.
    said: said.replace(/:.*|, of all namespaces|\s\(.*/, ''),
    found: described(method, target),
  }))
  assert.ok(rows.length > 15)
  assert.deepEqual(
    rows.filter(({ said, found }) => said !== found),
    [],
  )
})
