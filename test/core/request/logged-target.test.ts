import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestInfo } from '../../../core/request/info.ts'
import { loggedTarget } from '../../../core/request/logged-target.ts'
import { splitTarget } from '../../../core/request/target.ts'

test('only the values of parameters of the API are logged', () => {
  const rows: readonly (readonly [target: string, logged: string])[] = [
    ['/api/v1/pods', '/api/v1/pods'],
    ['/api/v1/pods?limit=500&labelSelector=a%3Db', '/api/v1/pods?limit=500&labelSelector=a%3Db'],
    ['/api/v1/pods?token=s&limit=5', '/api/v1/pods?token=REDACTED&limit=5'],
    ['/api/v1/pods?s', '/api/v1/pods?REDACTED'],
    ['/api/v1/pods?watch', '/api/v1/pods?watch'],
    ['/api/v1/pods?limi%74=s', '/api/v1/pods?limi%74=REDACTED'],
    ['/api/v1/pods?a=b=s&&=s', '/api/v1/pods?a=REDACTED&REDACTED&=REDACTED'],
    ['/api/v1/pods?limit=5;token=s', '/api/v1/pods?REDACTED'],
    ['/api/v1/pods?limit=5?token=s', '/api/v1/pods?REDACTED'],
    ['/api/v1/namespaces/a/pods/b/exec?command=s&stdin=true', '/api/v1/namespaces/a/pods/b/exec?command=REDACTED&stdin=true'],
    ['/api/v1/namespaces/a/services/b/proxy/c?limit=s', '/api/v1/namespaces/a/services/b/proxy/c?REDACTED'],
    ['/api/v1/proxy/namespaces/a/services/b/c?limit=s', '/api/v1/proxy/namespaces/a/services/b/c?REDACTED'],
  ]
  for (const [target, logged] of rows) {
    const request = new Request(`http://x${target}`)
    const { path, query } = splitTarget(target)
    assert.equal(loggedTarget(request, requestInfo('GET', path, query)), logged, target)
  }
})
