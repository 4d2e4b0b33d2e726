import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoot } from '../../../core/meta/root.ts'
import { createServedGroups } from '../../../core/meta/served.ts'
import { versionResponse } from '../../../core/meta/version.ts'
import { platform, serving, widget } from './fixtures.ts'

test('the root lists known paths, sorted and indented', async () => {
  const served = serving([widget('v1')])
  const root = createRoot([createServedGroups(served, platform)], ['/version', '/healthz'])
  assert.equal(
    await root().text(),
    `{
  "paths": [
    "/api",
    "/apis",
    "/apis/",
    "/apis/shop.example.com",
    "/apis/shop.example.com/v1",
    "/healthz",
    "/version"
  ]
}`,
  )
  assert.equal(root().headers.get('content-type'), 'application/json')
  assert.equal(root(404).status, 404)
  served.set([])
  assert.deepEqual(await root().json(), { paths: ['/api', '/apis', '/apis/', '/healthz', '/version'] })
})

test('the version is indented JSON in a fixed order, without unknown fields', async () => {
  const response = versionResponse({
    platform: 'linux/amd64',
    compiler: 'c',
    goVersion: 'g',
    buildDate: 'b',
    gitTreeState: 'clean',
    gitCommit: 'abc',
    gitVersion: 'v1.36.0',
    minor: '36',
    major: '1',
    emulationMajor: '1',
  })
  assert.equal(
    await response.text(),
    `{
  "major": "1",
  "minor": "36",
  "emulationMajor": "1",
  "gitVersion": "v1.36.0",
  "gitCommit": "abc",
  "gitTreeState": "clean",
  "buildDate": "b",
  "goVersion": "g",
  "compiler": "c",
  "platform": "linux/amd64"
}`,
  )
})
