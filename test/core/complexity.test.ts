/**
 * Finds work that grows faster than its input: large values in every place of every kind, and texts for every parser. With
 * APISERVER_SOAK=1 for larger inputs and more texts.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultAdmissionPlugins } from '../../core/admission/plugins/index.ts'
import { createPlatform } from '../../core/platform.ts'
import { parseAccept } from '../../core/request/accept.ts'
import { parseFieldSelector } from '../../core/request/field-selector.ts'
import { parseJson } from '../../core/request/json.ts'
import { parseLabelSelector } from '../../core/request/label-selector.ts'
import { parseYaml } from '../../core/request/yaml.ts'
import { ControllerRevision } from '../../core/resources/apps/controllerrevision.ts'
import { bind } from '../../core/resources/bind.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { encode } from '../../core/respond/encode.ts'
import { formats } from '../../core/schema/formats.ts'
import { openapiFormat } from '../../core/schema/openapi-formats.ts'
import type { ApiServer } from '../../core/server.ts'
import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { processorTime } from '../support/cost.ts'
import { collectionPath, minimalObject } from '../support/minimal-objects.ts'
import { long, schemaInputs, units } from '../support/schema-inputs.ts'

const soak = process.env['APISERVER_SOAK'] === '1'
/** Bytes of the first input; one that takes long is tried with four times as many. */
const size = (soak ? 256 : 24) * 1024
/** Milliseconds of processor time below which nothing is judged. */
const floor = soak ? 250 : 60
/** Four times the input may take so many times as long: 4 when it is linear, 16 when it is quadratic. */
const mostGrowth = 9

/** What grows too fast; undefined: nothing. */
async function growth(work: (bytes: number) => unknown): Promise<string | undefined> {
  const cost = async (bytes: number) => (await processorTime(() => work(bytes))).milliseconds
  if ((await cost(size)) < floor) return undefined
  const best = async (bytes: number) => Math.min(await cost(bytes), await cost(bytes), await cost(bytes))
  const [small, large] = [await best(size), await best(4 * size)]
  return large > floor && large > mostGrowth * small
    ? `${Math.round(small)} ms, with four times as much ${Math.round(large)} ms`
    : undefined
}

const platform = createPlatform()
const definitions = builtInResources.filter(({ storageKey }) => storageKey !== '').map((definition) => bind(definition, platform))

let server: ApiServer
before(async () => {
  const disable = defaultAdmissionPlugins
  server = await createApiServer({
    store: memoryStore(),
    controllers: [],
    runtimeConfig: { 'api/all': true },
    admissionPlugins: { disable },
  })
})
after(() => server.close())

/** Posts an object without storing it. Answers are of bounded size, and no failure is one of the server's. */
async function post(path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await server.fetch(new Request(`http://in-process${path}?dryRun=All`, { method: 'POST', body, headers }))
  const text = await response.text()
  assert.ok(response.status < 500, `${response.status}: ${text.slice(0, 300)}`)
  assert.ok(response.status < 300 || text.length < 512 * 1024, `${text.length} characters`)
}

const texts = soak ? units : [',', 'a.']
const isTried = (name: string) => !/ long "/.test(name) || texts.some((unit) => name.endsWith(` long ${JSON.stringify(unit)}`))

test('large values in every place of every kind', async () => {
  const faults: string[] = []
  const seen = new Set<never>()
  let tried = 0
  for (const definition of definitions) {
    const path = collectionPath(definition)
    for (const { name, make } of schemaInputs(definition.schema, minimalObject(definition) as never, seen)) {
      if (!isTried(name)) continue
      tried++
      try {
        const fault = await growth((bytes) => post(path, JSON.stringify(make(bytes))))
        if (fault) faults.push(`${path} ${name}: ${fault}`)
      } catch (error) {
        faults.push(`${path} ${name}: ${(error as Error).message}`)
      }
    }
  }
  assert.ok(tried > 3_000, `${tried} inputs`)
  assert.deepEqual(faults, [])
})

const encoder = new TextEncoder()
/** What reads texts of clients; failures are answers as well. */
const readers: { readonly [name: string]: (text: string) => unknown } = {
  JSON: (text) => parseJson(encoder.encode(text), { duplicates: true }),
  'JSON keys': (text) => parseJson(encoder.encode(`{${JSON.stringify(text)}:{${'"a":1,'.repeat(1000)}"a":1}}`), { duplicates: true }),
  'JSON with a long integer': (text) =>
    parseJson(encoder.encode(`{"a":9007199254740993,"b":${JSON.stringify(text)}}`), { duplicates: true }),
  'JSON lists of long integers': (text) =>
    parseJson(encoder.encode(`[${`${JSON.stringify(text.slice(0, 9))},9007199254740993,`.repeat(text.length / 20)}1]`), {
      duplicates: true,
    }),
  'raw extensions': (text) =>
    parseJson(encoder.encode(`{"data": {"a" : ${JSON.stringify(text)}}}`), { duplicates: true, schema: ControllerRevision }),
  YAML: (text) => parseYaml(encoder.encode(text), { duplicates: true }),
  'YAML lists': (text) => parseYaml(encoder.encode(`[${text}]`), { duplicates: true }),
  'YAML output': (text) => encode({ value: { kind: '', apiVersion: '', text } as never, schema: undefined }, 'yaml', false),
  'label selectors': (text) => parseLabelSelector(text),
  'field selectors': (text) => parseFieldSelector(text),
  'Accept headers': (text) => parseAccept(text),
  ...Object.fromEntries(Object.entries(formats).map(([name, format]) => [`format ${name}`, format])),
  ...Object.fromEntries(
    ['duration', 'email', 'hostname', 'uri', 'mac', 'rgbcolor', 'date-time', 'isbn', 'creditcard', 'byte', 'cidr', 'ipv6'].map((name) => [
      `OpenAPI format ${name}`,
      (text: string) => openapiFormat(name)?.(text),
    ]),
  ),
}
const withPairs = soak
  ? units.flatMap((unit) => [unit, ...units.map((other) => unit + other)])
  : [...units, '<<: *a\n', 'a: b\n', '- ""\n', '&a ']

for (const [name, read] of Object.entries(readers)) {
  test(`texts for ${name}`, async () => {
    const faults: string[] = []
    for (const unit of withPairs) {
      const fault = await growth((bytes) => {
        try {
          return read(`${long(unit, bytes)}!`)
        } catch {
          return undefined
        }
      })
      if (fault) faults.push(`${JSON.stringify(unit)}: ${fault}`)
    }
    assert.deepEqual(faults, [])
  })
}
