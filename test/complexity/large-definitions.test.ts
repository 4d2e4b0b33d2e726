/** Definitions of custom resources as large as bodies may be: they are validated in parts, between which others are answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'

const times = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join(',')
const rule = `${'true&&'.repeat(1_500)}true`

/** Schemas of some 0.9 MiB, and milliseconds of processor time that none of their parts may take. */
const schemas: { readonly [name: string]: readonly [schema: string, limit: number] } = {
  'long rules': [`{"type":"object","x-kubernetes-validations":[${times(100, () => `{"rule":"${rule}"}`)}]}`, 250],
  'many properties': [`{"type":"object","properties":{${times(40_000, (index) => `"${index.toString(36)}":{"type":"string"}`)}}}`, 250],
}

for (const [name, [schema, limit]] of Object.entries(schemas))
  test(`a definition with ${name}`, async (t) => {
    const versions = `[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]`
    const names = '{"plural":"widgets","kind":"Widget"}'
    const spec = `{"group":"example.com","scope":"Namespaced","names":${names},"versions":${versions}}`
    const body = `{"metadata":{"name":"widgets.example.com"},"spec":${spec}}`
    const pauses: number[] = []
    // The least counts: collections of garbage and other processes disturb single looks.
    for (let look = 0; look < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= limit; look++)
      pauses.push(
        await longestPause(async () => {
          const response = await api.fetch(definitions, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
          assert.equal(response.status, 201, (await response.text()).slice(0, 300))
        }),
      )
    t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms for ${(body.length / 2 ** 20).toFixed(2)} MiB`)
    assert.ok(Math.min(...pauses) < limit, `${pauses.map(Math.round).join(', ')} ms`)
  })
