/** Our OpenAPI documents and those of the reference, whole: only descriptions differ, and with them the names of shared parameters. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '../../../core/schema/model.ts'
import { fact, withoutDescriptions } from './facts.ts'
import { inlined, type Ours, startOurs, text } from './in-process.ts'

let ours: Ours
before(async () => {
  ours = await startOurs()
})
after(() => ours.close())

const v3 = fact('openapi-v3')
const names = Object.keys(v3)

test('the index of OpenAPI v3 lists the same documents', async () => {
  assert.deepEqual(Object.keys((await ours.json('/openapi/v3'))['paths'] ?? {}), names)
})

for (const name of names) {
  test(`OpenAPI v3 ${name}`, async () => {
    const { paths: theirPaths, components: theirComponents, ...their } = withoutDescriptions(v3[name] ?? {}) as JsonObject
    const { paths, components, ...others } = withoutDescriptions(await ours.json(`/openapi/v3/${name}`)) as JsonObject
    assert.deepEqual(others, their)
    assert.equal(text(paths), text(theirPaths))
    assert.equal(text(components), text(theirComponents))
  })
}

test('OpenAPI v2', async () => {
  const parts = (document: JsonObject) => {
    const { parameters, paths, ...others } = withoutDescriptions(document) as { [name: string]: JsonObject }
    return { others, parameters: new Set(Object.values(parameters ?? {}).map(text)), paths: inlined(paths ?? {}, parameters ?? {}) }
  }
  const their = parts(fact('openapi-v2'))
  const own = parts(await ours.json('/openapi/v2'))
  assert.equal(text(own.others), text(their.others))
  assert.equal(text(own.paths), text(their.paths))
  assert.deepEqual(own.parameters, their.parameters)
})
