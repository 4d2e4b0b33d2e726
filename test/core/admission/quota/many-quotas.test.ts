/** A namespace with many quotas: a write is checked against all of them and charged to them in slices, and so are they counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../../support/in-process.ts'
import { longestPause } from '../../../support/pauses.ts'
import { eventually } from '../../../support/wait.ts'

const count = 500
/** Milliseconds. Without slices it was 150 and more. */
const limit = 75
const home = '/api/v1/namespaces/default'

/** Pauses of several looks: the least counts, because collections of garbage and other processes disturb single ones. */
async function pausesOf(work: (look: number) => Promise<unknown>): Promise<readonly number[]> {
  const pauses: number[] = []
  while (pauses.length < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= limit)
    pauses.push(Math.round(await longestPause(() => work(pauses.length))))
  return pauses
}

test(`beside ${count} quotas in its namespace`, async (t) => {
  const { api } = await startInProcess({ controllers: ['resourcequota'], admissionPlugins: { disable: ['ServiceAccount'] } }, t)
  const uses = async (secrets: string) => {
    const { items } = await api.list(`${home}/resourcequotas`)
    return items.every(({ status }) => (status?.['used'] as { readonly secrets?: string } | undefined)?.secrets === secrets)
  }
  const spec = { hard: { secrets: '100' } }
  for (let index = 0; index < count; index++) await api.create(`${home}/resourcequotas`, { metadata: { name: `q${index}` }, spec })
  await eventually('a first count', () => uses('0'))

  await t.test('a create holds the thread for short', async (t) => {
    const pauses = await pausesOf((look) => api.create(`${home}/secrets`, { metadata: { name: `s${look}` } }))
    t.diagnostic(`${pauses.join(', ')} ms`)
    assert.ok(Math.min(...pauses) < limit, `held the thread for ${pauses.join(', ')} ms`)
    assert.equal(await uses(`${pauses.length}`), true, 'all quotas are charged')
  })

  await t.test('a count after a deletion does, too', async (t) => {
    const pauses = await pausesOf(async () => {
      const { items } = await api.list(`${home}/secrets`)
      await api.delete(`${home}/secrets/${items[0]?.metadata.name}`)
      await eventually('the count', () => uses(`${items.length - 1}`))
      await api.create(`${home}/secrets`, { metadata: { generateName: 's-' } })
    })
    t.diagnostic(`${pauses.join(', ')} ms`)
    assert.ok(Math.min(...pauses) < limit, `held the thread for ${pauses.join(', ')} ms`)
  })
})
