/** What a watch sends before any change, by its options. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { configMap } from '../../../support/api.ts'
import { within } from '../../../support/wait.ts'
import { readWatch } from '../../../support/watch-reader.ts'
import { configMaps, start } from '../../controllers/support.ts'

const partial = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`

async function watched(t: TestContext, query: string, accept = 'application/json') {
  const server = await start(t, { controllers: [] })
  await server.create(configMaps, configMap('a'))
  const response = await within('the answer', server.fetch(`${configMaps}?watch=1&${query}`, { headers: { accept } }))
  assert.equal(response.status, 200)
  const reader = readWatch(response.body!, () => {}, accept)
  t.after(() => reader.close())
  return { server, reader }
}

test('without initial events a watch without resourceVersion starts from now', async (t) => {
  for (const from of ['', '&resourceVersion=0']) {
    const { server, reader } = await watched(t, `sendInitialEvents=false&resourceVersionMatch=NotOlderThan${from}`)
    await server.create(configMaps, configMap('b'))
    assert.equal((await reader.object()).object.metadata?.name, 'b')
  }
})

test('a state that the store has not reached is an error event, not an error answer', async (t) => {
  const { reader } = await watched(t, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999999')
  const event = await reader.next()
  assert(event?.type === 'ERROR', JSON.stringify(event))
  assert.match(event.object.message ?? '', /^Timeout: Too large resource version: 99999999999, current: \d+$/)
  assert.equal(await reader.next(), undefined)
})

test('a watch as a list of metadata ends with its first event, which is no list', async (t) => {
  const { reader } = await watched(t, '', partial('PartialObjectMetadataList'))
  assert.equal(await reader.next(), undefined)
})

test('a watch whose time is over before it begins has an error event, or none if it starts from a revision', async (t) => {
  // Seconds are multiplied to nanoseconds of 64 bits.
  for (const seconds of ['-1', '9223372037', '9223372036854775807']) {
    const { reader } = await watched(t, `timeoutSeconds=${seconds}`)
    const event = await reader.next()
    assert(event?.type === 'ERROR', JSON.stringify(event))
    assert.deepEqual([event.object.message, event.object.reason, event.object.code], ['context deadline exceeded', 'InternalError', 500])
    assert.equal(await reader.next(), undefined)
    const later = await watched(t, `timeoutSeconds=${seconds}&resourceVersion=1`)
    assert.equal(await later.reader.next(), undefined)
  }
  const { server, reader } = await watched(t, 'timeoutSeconds=-9223372036854775808&resourceVersion=1')
  await reader.object()
  await server.create(configMaps, configMap('b'))
  assert.equal((await reader.object()).object.metadata?.name, 'b', '0: no limit of its own')
})
