/**
 * A suite as users write it: 2,000 tests, with a fork of a prepared server for each. `BUNDLE` is the URL of the test server; the last line of the output
 * says which processor time the process took, in seconds.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

const { startTestServer } = await import(process.env['BUNDLE'])

describe('a fork for each test', () => {
  let prepared
  before(async () => {
    prepared = await startTestServer()
    await prepared.objects('v1', 'ConfigMap').create({ metadata: { name: 'settings' }, data: { level: 'info' } })
  })
  after(() => prepared.close())

  for (let number = 0; number < 2_000; number++)
    test(`test ${number}`, async () => {
      const server = await prepared.fork()
      const maps = server.objects('v1', 'ConfigMap')
      await maps.patch('settings', { data: { test: String(number) } })
      assert.deepEqual((await maps.get('settings')).data, { level: 'info', test: String(number) })
      await server.close()
    })
})

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1e6)
})
