/** Documents of many large definitions are made in slices: other requests are answered meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenApiV2 } from '../../../../core/meta/openapi/v2.ts'
import { createServedSwagger } from '../../../../core/meta/openapi/v2-served.ts'
import { createOpenApiV3 } from '../../../../core/meta/openapi/v3.ts'
import { createServedOpenApi } from '../../../../core/meta/openapi/v3-served.ts'
import { createServedGroups } from '../../../../core/meta/served.ts'
import { customResourceRows } from '../../../../core/resources/apiextensions/custom-resource.ts'
import { longestPause } from '../../../support/pauses.ts'
import { trials } from '../../../support/soak.ts'
import { builtin, clockAt, get, logger, pauses, platform, serving } from '../fixtures.ts'

const count = trials(150, 300)
const fields = 1_000

/** A definition of some 100 KB, as the larger ones of public projects. */
function large(index: number) {
  const name = `large${index}`
  const description = 'What this field is for, and which values it may have.'
  const property = (at: number) => [`field${at}`, { type: 'string', description, maxLength: 63, enum: ['a', 'b'] }] as const
  const spec = { type: 'object', properties: Object.fromEntries(Array.from({ length: fields }, (_, at) => property(at))) }
  return customResourceRows({
    spec: {
      group: 'large.example.com',
      scope: 'Namespaced',
      names: { plural: name, singular: name, kind: `Large${index}`, listKind: `Large${index}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  }).map(({ row }) => row)
}

const options = {
  served: createServedGroups(serving([...builtin, ...Array.from({ length: count }, (_, index) => large(index)).flat()]), platform),
  ...{ platform, pauses, enums: true, others: {}, info: { title: 'Test', version: 'v1.36.0' } },
}
const v2 = () => createOpenApiV2([createServedSwagger(options)], clockAt(0), pauses, logger)
const v3 = () => createOpenApiV3([createServedOpenApi(options, clockAt(0))], clockAt(0), pauses, logger)

/** Processor time includes what the collector of garbage takes beside other processes: the least of several looks counts. */
const maxLooks = 3

for (const [make, path, accept] of [
  [v2, '/openapi/v2', 'application/json'],
  [v2, '/openapi/v2', 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'],
  [v3, '/openapi/v3/apis/large.example.com/v1', 'application/json'],
  [v3, '/openapi/v3/apis/large.example.com/v1', 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'],
] as const)
  test(`${path} as ${accept}`, async () => {
    let least = Number.POSITIVE_INFINITY
    for (let looks = 0; looks < maxLooks && least >= 250; looks++) {
      const api = make()
      const pause = await longestPause(async () => {
        const response = await get(api, path, { accept })
        assert.equal(response.status, 200)
        const size = (await response.arrayBuffer()).byteLength
        assert.ok(size > 10_000_000, `${size} bytes`)
      })
      least = Math.min(least, pause)
    }
    assert.ok(least < 250, `the thread was held for ${Math.round(least)} ms`)
  })
