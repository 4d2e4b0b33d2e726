/** Texts for everything that reads texts of clients: bodies, selectors, queries, headers, formats. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encode } from '../../core/answers/encode.ts'
import { LinkRewriter } from '../../core/outgoing/forwarding/html-links.ts'
import { createPlatform } from '../../core/platform.ts'
import { parseAccept } from '../../core/request/accept.ts'
import { decodeContinue } from '../../core/request/continue-token.ts'
import { parseFieldSelector } from '../../core/request/field-selector.ts'
import { parseJson } from '../../core/request/json.ts'
import { parseLabelSelector } from '../../core/request/label-selector.ts'
import { parseYaml } from '../../core/request/yaml.ts'
import { ControllerRevision } from '../../core/resources/apps/controllerrevision.ts'
import { pods } from '../../core/resources/core/pod.ts'
import { formats } from '../../core/schema/formats/formats.ts'
import { settle } from '../../core/schema/go/spelled-number.ts'
import type { Message } from '../../core/schema/model.ts'
import { openapiFormat } from '../../core/schema/openapi/formats.ts'
import { decodeEnvelope, decodeProtobuf } from '../../core/schema/protobuf/protobuf.ts'
import { faultsOf, type Prepare } from '../support/growth.ts'
import { long, units } from '../support/schema-inputs.ts'
import { soak } from '../support/soak.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const platform = createPlatform()
const encoder = new TextEncoder()
const strict = { duplicates: true }

/** What reads texts of clients; failures are answers as well. */
const readers: { readonly [name: string]: (text: string) => unknown } = {
  JSON: (text) => parseJson(encoder.encode(text), strict),
  'JSON that is not UTF-8': (text) => parseJson(encoder.encode(JSON.stringify(text)).fill(0xe2, 1, -1), strict),
  'JSON keys': (text) => parseJson(encoder.encode(`{${JSON.stringify(text)}:{${'"a":1,'.repeat(1000)}"a":1}}`), strict),
  'JSON with a long integer': (text) => parseJson(encoder.encode(`{"a":9007199254740993,"b":${JSON.stringify(text)}}`), strict),
  'JSON lists of long integers': (text) =>
    parseJson(encoder.encode(`[${`${JSON.stringify(text.slice(0, 9))},9007199254740993,`.repeat(text.length / 20)}1]`), strict),
  'JSON lists of fractions': (text) =>
    parseJson(encoder.encode(`{"spec":[${`${JSON.stringify(text.slice(0, 9))},1.0,`.repeat(text.length / 14)}1]}`), {
      ...strict,
      settle: (value) => settle(value, pods.schema),
    }),
  'raw extensions': (text) =>
    parseJson(encoder.encode(`{"data": {"a" : ${JSON.stringify(text)}}}`), { duplicates: true, schema: ControllerRevision }),
  YAML: (text) => parseYaml(encoder.encode(text), strict),
  'YAML lists': (text) => parseYaml(encoder.encode(`[${text}]`), strict),
  'YAML output': (text) => encode({ value: { kind: '', apiVersion: '', text } as never, schema: undefined }, 'yaml', false),
  protobuf: (text) => decodeProtobuf(pods.schema as Message, encoder.encode(text)),
  'protobuf envelopes': (text) => decodeEnvelope(encoder.encode(`k8s\0${text}`)),
  'label selectors': (text) => parseLabelSelector(text),
  'field selectors': (text) => parseFieldSelector(text),
  'continue tokens': (text) => decodeContinue(text, platform),
  'Accept headers': (text) => parseAccept(text),
  'HTML of backends': (text) => new LinkRewriter((link) => link).push(text),
  ...Object.fromEntries(Object.entries(formats).map(([name, format]) => [`format ${name}`, format])),
  ...Object.fromEntries(
    ['duration', 'email', 'hostname', 'uri', 'mac', 'rgbcolor', 'date-time', 'isbn', 'creditcard', 'byte', 'cidr', 'ipv6'].map((name) => [
      `OpenAPI format ${name}`,
      (text: string) => openapiFormat(name)?.(text),
    ]),
  ),
}
const more = [
  '<<: *a\n',
  'a: b\n',
  '- ""\n',
  '&a ',
  '<a ',
  '<a x="',
  '\n\x02',
  '\x0a\x80',
  '[',
  '- - ',
  '!!str ',
  '? ',
  '| \n',
  '"\\n',
  "''",
  '# \n',
  '1.5,',
  'null,',
]
const withPairs = soak ? [...more, ...units.flatMap((unit) => [unit, ...units.map((other) => unit + other)])] : [...units, ...more]

/** Units that are numbered where they have a `#`, so that no two are equal. */
const numbered = [
  'a#,',
  '!a#,',
  'a#=b,',
  'a!=b#,',
  'a#!=b,',
  'a#=',
  'a in (b#),',
  'a#: b\n',
  '- &a# b\n',
  '<a#>;q=0.#,',
  '&a#=b',
  '{"a#":',
  '"a#":1,',
]
/** A text of a unit, of about so many characters. */
function textOf(unit: string, length: number): string {
  if (!unit.includes('#')) return long(unit, length)
  const parts: string[] = []
  for (let left = length; left > 0; left -= (parts.at(-1) as string).length) parts.push(unit.replace('#', `${parts.length}`))
  return parts.join('')
}

const attempt = (read: (text: string) => unknown, text: string) => {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

for (const [name, read] of Object.entries(readers)) {
  test(`texts for ${name}`, async () => {
    const works = [...withPairs, ...numbered].map((unit): [string, Prepare] => [
      JSON.stringify(unit),
      (bytes) => {
        const text = `${textOf(unit, bytes)}!`
        return { bytes, work: () => attempt(read, text) }
      },
    ])
    assert.deepEqual(await faultsOf(works), [])
  })
}

const configMaps = '/api/v1/namespaces/default/configmaps'
/** Characters that a header may hold. */
const sendable = (text: string) => text.replace(/[^\x20-\x7e]/g, '~')

const headers = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'user-agent',
  'origin',
  'if-none-match',
  'audit-id',
  'traceparent',
]
const headerUnits = [
  ...units,
  ...numbered,
  'gzip;q=0.',
  'application/json;',
  'a=b;',
  'application/json,',
  'Bearer ',
  'a.',
  'eyJ',
  '"a",',
  '00-',
]

for (const name of headers)
  test(`header ${name}`, async () => {
    const works = headerUnits.flatMap((unit) =>
      [configMaps, '/openapi/v2', '/apis'].map((path): [string, Prepare] => [
        `${name} ${path} ${JSON.stringify(unit)}`,
        (bytes) => {
          const value = sendable(textOf(unit, bytes))
          return { bytes, work: () => bench.send('GET', path, undefined, { [name]: value }) }
        },
      ]),
    )
    assert.deepEqual(await faultsOf(works), [])
  })

const parameters = ['labelSelector', 'fieldSelector', 'continue', 'resourceVersion', 'limit', 'timeout', 'fieldManager', 'a']

test('queries and paths', async () => {
  const requests: { [name: string]: (text: string) => string } = {
    ...Object.fromEntries(parameters.map((name) => [name, (text: string) => `${configMaps}?${name}=${encodeURIComponent(text)}`])),
    'many parameters': (text) => `${configMaps}?${`${encodeURIComponent(text.slice(0, 3))}&`.repeat(text.length / 4)}`,
    name: (text) => `${configMaps}/${encodeURIComponent(text)}`,
    path: (text) => `/apis/${text.replace(/[^\x21-\x7e]|[?#]/g, '/')}`,
    escapes: (text) => `/apis/${encodeURIComponent(text)}`,
  }
  const works = Object.entries(requests).flatMap(([name, make]) =>
    [...units, ...numbered].map((unit): [string, Prepare] => [
      `${name} ${JSON.stringify(unit)}`,
      (bytes) => {
        const path = make(textOf(unit, bytes))
        return { bytes: path.length, work: () => bench.send('GET', path) }
      },
    ]),
  )
  assert.deepEqual(await faultsOf(works), [])
})
