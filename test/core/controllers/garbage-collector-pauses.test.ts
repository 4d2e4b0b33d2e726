/** Objects with many owners, and owners with many dependents, hold the thread for short: the collector asks and writes in slices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap } from '../../support/api.ts'
import { longestPause } from '../../support/pauses.ts'
import { eventually } from '../../support/wait.ts'
import { configMaps, start } from './support.ts'

/** Milliseconds. Without slices it was a second and more. */
const limit = 250
const controllers = ['garbage-collector'] as const

/** The shortest of several looks, which other processes and collections of garbage disturb. */
async function shortest(look: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let looks = 0; looks < 3 && least >= limit; looks++) least = Math.min(least, await look())
  return least
}

test('an object that names 20,000 owners, none of which exists', async (t) => {
  const server = await start(t, { controllers })
  const ownerReferences = Array.from({ length: 20_000 }, (_, at) => ({ apiVersion: 'v1', kind: 'Pod', name: `a${at}`, uid: `u${at}` }))
  const pause = await shortest(() =>
    longestPause(async () => {
      const { status } = await server.send('POST', configMaps, configMap('owned', {}, { ownerReferences }))
      assert.equal(status, 201)
      await eventually('the object is collected', async () => (await server.get(`${configMaps}/owned`)).status === 404)
    }),
  )
  t.diagnostic(`${Math.round(pause)} ms`)
  assert.ok(pause < limit, `held the thread for ${Math.round(pause)} ms`)
})

for (const propagationPolicy of ['Background', 'Foreground', 'Orphan'] as const)
  test(`an owner with 4,000 dependents, deleted with the policy ${propagationPolicy}`, async (t) => {
    const server = await start(t, { controllers })
    const left = async () => {
      const { items, metadata } = await server.list(`${configMaps}?labelSelector=dependent&limit=1`)
      const [first] = items
      return {
        count: items.length + (metadata.continue === undefined ? 0 : 1),
        owned: first !== undefined && 'ownerReferences' in first.metadata,
      }
    }
    const pause = await shortest(async () => {
      const { metadata } = await server.create(configMaps, configMap('owner'))
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true }
      for (let at = 0; at < 4_000; at++)
        await server.create(configMaps, configMap(`d${at}`, {}, { labels: { dependent: '' }, ownerReferences: [owner] }))
      const pause = await longestPause(async () => {
        await server.remove(`${configMaps}/owner`, propagationPolicy)
        await eventually('the owner is gone', async () => (await server.get(`${configMaps}/owner`)).status === 404)
        if (propagationPolicy !== 'Orphan') await eventually('its dependents are gone', async () => (await left()).count === 0)
      })
      if (propagationPolicy === 'Orphan') {
        assert.equal((await left()).owned, false)
        await server.delete(`${configMaps}?labelSelector=dependent`)
      }
      return pause
    })
    t.diagnostic(`${Math.round(pause)} ms`)
    assert.ok(pause < limit, `held the thread for ${Math.round(pause)} ms`)
  })
