import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStatusz } from '../../../core/meta/statusz.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Clock } from '../../../core/ports.ts'
import { startCore } from '../../support/core-server.ts'

const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '35',
  gitVersion: 'v1.36.0',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: 'node20',
  compiler: '',
  platform: '',
}
const paths = ['/metrics', '/healthz', '/healthz/ping', '/openapi/v3', '/.well-known/x', '/apis', '/statusz']

let now = Date.UTC(2026, 10, 2, 3, 4, 5)
const clock = { now: () => now, monotonic: () => now } as Clock
const statusz = createStatusz({ platform: createPlatform('kubernetes'), clock, version, paths })
now += 3_723_000

function ask(accept?: string, query = '') {
  const url = new URL(`http://server/statusz${query}`)
  return statusz({
    request: new Request(url, { headers: accept === undefined ? {} : { accept } }),
    path: url.pathname,
    query: url.searchParams,
  })
}

test('text by default', async () => {
  for (const accept of [undefined, '*/*', 'application/json, */*', 'text/plain']) {
    const answer = ask(accept)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    const text = await answer.text()
    assert.match(text, /^\napiserver statusz\nWarning: This endpoint is not meant to be machine parseable/)
    assert.match(text, /\nStarted: Mon Nov {2}2 03:04:05 UTC 2026\nUp: 1 hr 02 min 03 sec\n/)
    assert.match(text, /\nBinary version: 1\.36\.0\nEmulation version: 1\.35\nPaths: \/healthz \/metrics \/statusz\n$/)
  }
})

const asked = (version: string, type = 'json') => `application/${type};v=${version};g=config.k8s.io;as=Statusz`

test('a Statusz object when Accept names the kind', async () => {
  const answer = ask(asked('v1beta1'))
  assert.equal(answer.headers.get('warning'), null)
  assert.equal(answer.headers.get('content-type'), 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz')
  assert.deepEqual(await answer.json(), {
    kind: 'Statusz',
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'apiserver' },
    startTime: '2026-11-02T03:04:05Z',
    uptimeSeconds: 3723,
    goVersion: 'node20',
    binaryVersion: '1.36.0',
    emulationVersion: '1.35',
    paths: ['/healthz', '/metrics', '/statusz'],
  })
  assert.match(await ask(asked('v1beta1'), '?pretty=true').text(), /^\{\n {2}"kind": "Statusz",\n/)
  assert.match(await ask(asked('v1beta1', 'yaml')).text(), /^apiVersion: config\.k8s\.io\/v1beta1$/m)
  assert.match(ask(asked('v1alpha1')).headers.get('warning') ?? '', /deprecated/)
})

test('other media types are not acceptable', () => {
  for (const accept of ['application/json', asked('v1'), asked('v1beta1').replace('Statusz', 'Flagz'), 'image/png']) {
    assert.throws(() => ask(accept), { message: /only the following media types are accepted/ }, accept)
  }
})

test('the server serves it while its gate is enabled', async () => {
  for (const [on, status] of [
    [true, 200],
    [false, 404],
  ] as const) {
    const server = await startCore({ gates: { enabled: (gate) => on || gate !== 'ComponentStatusz' } })
    assert.equal((await server.fetch(new Request('http://server/statusz'))).status, status)
    await server.close()
  }
})
