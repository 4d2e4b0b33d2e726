/** Numbers at the limits of 64-bit integers and doubles: the same verdicts and texts as kube-apiserver's, in JSON, YAML and applies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, definitionOf, newGroup, versionOf } from '../../../conformance/definitions.ts'
import { serverForTests } from '../../../support/in-process.ts'

const api = serverForTests()

const fields = {
  whole: { type: 'integer' },
  long: { type: 'integer', format: 'int64' },
  triple: { type: 'integer', multipleOf: 3 },
  small: { type: 'number', maximum: 1_000_000 },
  large: { type: 'number', minimum: 1e22 },
}
const spec = { type: 'object', properties: fields }
const openAPIV3Schema = { type: 'object', properties: { spec } }

/** What is stored; a text: the causes of a refusal. */
type Verdict = string | { readonly stored: string }

const is = (stored: string): Verdict => ({ stored })
const noInteger = (field: string) => `spec.${field}: Invalid value: "number": spec.${field} in body must be of type integer: "number"`
const noInt64 = 'spec.long: Invalid value: "float64": spec.long in body must be of type int64: "float64"'
const outOf = (field: string, format: string) =>
  `<nil>: Invalid value: "": Checked value must be of type integer ${format} in spec.${field}`
const plainly = '(default format)'

/** Verdicts of JSON; of YAML where they are others, because whole doubles are integers there. */
const rows: readonly (readonly [field: keyof typeof fields, value: string, json: Verdict, yaml?: Verdict])[] = [
  ['whole', '9007199254740993', is('9007199254740993')],
  ['whole', '9223372036854775807', is('9223372036854775807')],
  ['whole', '-9223372036854775808', is('-9223372036854775808')],
  ['whole', '-9223372036854775809', `${noInteger('whole')}, ${outOf('whole', plainly)}`],
  ['whole', '9223372036854775808', `${noInteger('whole')}, ${outOf('whole', plainly)}`],
  ['long', '-9223372036854775809', `${noInt64}, ${outOf('long', 'with format int64')}`],
  ['whole', '1e3', is('1000')],
  ['whole', '1e18', noInteger('whole'), is('1000000000000000000')],
  ['long', '1e18', noInt64, is('1000000000000000000')],
  ['whole', '9007199254740992.0', noInteger('whole'), is('9007199254740992')],
  ['whole', '1234567890.000001', outOf('whole', plainly)],
  ['triple', '9007199254740991', 'spec.triple: Invalid value: 9007199254740991: spec.triple in body should be a multiple of 3'],
  ['small', '2000000.5', 'spec.small: Invalid value: 2.0000005e+06: spec.small in body should be less than or equal to 1e+06'],
  ['small', '2000000', 'spec.small: Invalid value: 2000000: spec.small in body should be less than or equal to 1000000'],
  ['large', '-5', is('-5')],
  ['large', '0.5', 'spec.large: Invalid value: 0.5: spec.large in body should be greater than or equal to 1e+22'],
]

test('JSON, YAML and applies of numbers', async () => {
  const group = newGroup()
  await define(api, definitionOf(group, { versions: [versionOf('v1', { storage: true, schema: { openAPIV3Schema } })] }))
  const at = `/apis/${group}/v1/namespaces/default/widgets`

  async function verdictOf(method: string, path: string, type: string, body: string): Promise<Verdict> {
    const response = await api.fetch(`${path}${path.includes('?') ? '&' : '?'}dryRun=All`, {
      method,
      headers: { 'content-type': type },
      body,
    })
    const text = await response.text()
    if (response.status < 300) return is(/"spec":\{"\w+":([^}]*)\}/.exec(text)?.[1] ?? text)
    const { message } = JSON.parse(text) as { message: string }
    return message.replace(/^.*? is invalid: /, '').replace(/^\[(.*)\]$/, '$1')
  }

  for (const [field, value, json, yaml = json] of rows) {
    const body = `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"${field}":${value}}}`
    const lines = `apiVersion: ${group}/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  ${field}: ${value}\n`
    const title = `${field}: ${value}`
    assert.deepEqual(await verdictOf('POST', at, 'application/json', body), json, title)
    assert.deepEqual(await verdictOf('POST', at, 'application/yaml', lines), yaml, `${title} in YAML`)
    assert.deepEqual(await verdictOf('PATCH', `${at}/a?fieldManager=m`, 'application/apply-patch+yaml', body), yaml, `${title} applied`)
  }
})
