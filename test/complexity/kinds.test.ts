/** Large values in every place of every kind: created, updated, and sent as protobuf. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiVersionOf } from '../../core/resources/definition.ts'
import { decode } from '../../core/schema/decode.ts'
import type { JsonObject } from '../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeObject } from '../../core/schema/protobuf/protobuf.ts'
import { faultsOf, ofText, type Prepare } from '../support/growth.ts'
import { collectionPath, minimalObject } from '../support/minimal-objects.ts'
import { schemaInputs, units } from '../support/schema-inputs.ts'
import { soak } from '../support/soak.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const texts = soak ? units : [',', 'a.']
const isTried = (name: string) => !/ long "/.test(name) || texts.some((unit) => name.endsWith(` long ${JSON.stringify(unit)}`))

/** All inputs of all kinds that the test tells for; each declared field once. */
function* inputs(wanted: (name: string) => boolean) {
  const seen = new Set<never>()
  for (const definition of bench.definitions) {
    const path = collectionPath(definition)
    const minimal = minimalObject(definition) as JsonObject
    for (const { name, make } of schemaInputs(definition.schema, minimal, seen))
      if (wanted(name)) yield { name: `${path} ${name}`, path, definition, make }
  }
}

test('created', async () => {
  let tried = 0
  function* works(): Generator<[string, Prepare]> {
    for (const { name, path, make } of inputs(isTried)) {
      tried++
      yield [name, (bytes) => ofText(JSON.stringify(make(bytes)), (body) => bench.send('POST', `${path}?dryRun=All`, body))]
    }
  }
  assert.deepEqual(await faultsOf(works()), [])
  assert.ok(tried > 3_000, `${tried} inputs`)
})

const isShape = (name: string) => / (wide|repeated|names|deep|wide everywhere)$/.test(name)

test('updated: each item is changed, moved or removed', async () => {
  let tried = 0
  function* works(): Generator<[string, Prepare]> {
    for (const { name, path, make } of inputs((each) => (soak ? isShape(each) : / wide$/.test(each))))
      yield [
        name,
        async (bytes) => {
          // Two updates read about so many bytes together: two bodies, and what is stored twice.
          const larger = bytes / 2.5
          const smaller = larger / 2
          const old = make(larger)
          const { name: objectName } = old['metadata'] as { name: string }
          const own = `${path}/${objectName}`
          await bench.send('DELETE', `${own}?gracePeriodSeconds=0`)
          const stored = JSON.stringify(old)
          const { status } = await bench.send('POST', path, stored)
          if (status !== 201) return { bytes: 0, work: () => {} }
          tried++
          const bodies = [make(larger, 1_000), make(smaller, 3)].map((each) => JSON.stringify(each))
          const work = async () => {
            for (const body of bodies) await bench.send('PUT', `${own}?dryRun=All`, body)
          }
          // An update reads its body and what is stored.
          return { bytes: bodies.join('').length + bodies.length * stored.length, work }
        },
      ]
  }
  assert.deepEqual(await faultsOf(works()), [])
  assert.ok(tried > 100, `${tried} inputs`)
})

const protobuf = 'application/vnd.kubernetes.protobuf'

test('sent as protobuf', async () => {
  let tried = 0
  function* works(): Generator<[string, Prepare]> {
    for (const { name, path, definition, make } of inputs((each) => (soak ? isShape(each) : / (wide|names)$/.test(each))))
      yield [
        name,
        (bytes) => {
          tried++
          const { value } = decode(definition.schema, make(bytes), { root: true })
          const write = () => encodeObject(apiVersionOf(definition), definition.kind, definition.schema, value)
          const body = write()
          const sent = () => bench.send('POST', `${path}?dryRun=All`, body, { 'content-type': protobuf })
          // What follows the decoder takes the same time for each encoding.
          const transcoded = () => [write(), decodeProtobuf(definition.schema, decodeEnvelope(body).raw)]
          return { bytes: body.length, work: soak ? sent : transcoded }
        },
      ]
  }
  assert.deepEqual(await faultsOf(works()), [])
  assert.ok(tried > 300, `${tried} inputs`)
})
