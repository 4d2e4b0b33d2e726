/**
 * Bodies of as many parts as their size has room for, with the daemon's own plugins: items without members and maps of short keys, in every list and
 * map of every kind. A part counts as 32 bytes; more than 100,000 are refused.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ResourceDefinition } from '../../core/resources/definition.ts'
import type { JsonObject } from '../../core/schema/model.ts'
import { faultsOf, type Prepare } from '../support/growth.ts'
import { collectionPath, minimalObject } from '../support/minimal-objects.ts'
import { denseInputs } from '../support/schema-inputs.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench(true)
})
after(() => bench.close())

const all = () => [...bench.definitions, ...bench.reviews]
const isStored = ({ storageKey }: ResourceDefinition) => storageKey !== ''
const minimal = (definition: ResourceDefinition) => (isStored(definition) ? minimalObject(definition) : { spec: {} }) as JsonObject

test('created, in every list and map', async () => {
  let tried = 0
  function* works(): Generator<[string, Prepare]> {
    const seen = new Set<never>()
    for (const definition of all())
      for (const { name, make } of denseInputs(definition.schema, minimal(definition), seen)) {
        tried++
        const path = `${collectionPath(definition)}${isStored(definition) ? '?dryRun=All' : ''}`
        yield [
          `${path} ${name}`,
          (bytes) => {
            const body = JSON.stringify(make(bytes))
            return { bytes, work: () => bench.send('POST', path, body) }
          },
        ]
      }
  }
  assert.deepEqual(await faultsOf(works()), [])
  assert.ok(tried > 350, `${tried} inputs`)
})
