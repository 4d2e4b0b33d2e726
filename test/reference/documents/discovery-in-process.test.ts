/** Our discovery documents and those of the reference, whole. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fact } from './facts.ts'
import { type Ours, startOurs, text } from './in-process.ts'

let ours: Ours
before(async () => {
  ours = await startOurs()
})
after(() => ours.close())

const aggregated = (version: string) => ({ accept: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList` })

for (const [name, their] of Object.entries(fact('discovery'))) {
  const [path = '', kind] = name.split(' ')
  // The index lists health checks of parts that are not built yet; `/api` has the address of the server.
  if (!path.startsWith('/api') || name === '/api') continue
  test(`discovery ${name}`, async () => {
    const response = await ours.get(path, kind === undefined ? {} : aggregated('v2'))
    assert.equal(text(await response.json()), text(their))
  })
}

test('the beta version of aggregated discovery is gone', async () => {
  assert.equal((await ours.get('/apis', aggregated('v2beta1'))).status, 406)
})
