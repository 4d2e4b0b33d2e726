/** Formats of texts in custom resources: each text is tried in a list of every format. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { chooser } from '../inputs/chooser.ts'
import { formatTexts, textsOfFormats } from '../inputs/format-texts.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'formats.example.com'
const name = `formatteds.${group}`
const collection = `/apis/${group}/v1/namespaces/default/formatteds`

/** Besides those with tests: other spellings, and names that are ignored. */
const formats = [...Object.keys(textsOfFormats), 'password', 'date-time', 'u-r-i', 'uri-reference', 'int32', 'ipv-4']

const properties = Object.fromEntries(formats.map((format, index) => [`f${index}`, { type: 'array', items: { type: 'string', format } }]))

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'formatteds', singular: 'formatted', kind: 'Formatted', listKind: 'FormattedList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
  },
}

/** Texts in one object: errors of a list come in its order, those of fields do not. */
const perRequest = 20

const removal: Call = { method: 'DELETE', path: `${definitions}/${name}` }
const isGone: Call = { ...get(`${definitions}/${name}`), until: 404 }

/** Texts made of others: their parts, joined, repeated, and with characters that formats speak of. */
function textsOf(seed: number): readonly string[] {
  if (seed === 0) return formatTexts
  const { below, pick } = chooser(seed, 0)
  const part = () => {
    const text = pick(formatTexts)
    const at = below(text.length + 1)
    return text.slice(at, at + 1 + below(text.length))
  }
  const made = () =>
    pick([part, () => `${part()}${pick(separators)}${part()}`, () => pick(formatTexts).replace(part(), pick(separators))])()
  return [...new Set(Array.from({ length: formatTexts.length }, made))]
}

const separators = ['', ' ', '-', ':', '.', '/', '@', '%', '+', '0', '1', 'Z', 'T', 'e', '\u00e9', '[', ']', '::', '\u0000', '\n']

function* scenes(seed: number): Generator<Scene> {
  const tried = textsOf(seed)
  yield { kind: 'definition', at: 'warnings', calls: [send('POST', `${definitions}?dryRun=All`, { ...definition, metadata: { name } })] }
  const object = { kind: 'Formatted', apiVersion: `${group}/v1`, metadata: { name: 'a' } }
  for (const [index, format] of formats.entries())
    for (let from = 0; from < tried.length; from += perRequest) {
      const texts = tried.slice(from, from + perRequest)
      const calls = [send('POST', `${collection}?dryRun=All`, { ...object, [`f${index}`]: texts })]
      yield { kind: 'custom resources', at: `${format}: texts from ${from}`, calls }
    }
}

export const textFormats: Part = {
  name: 'formats',
  small: true,
  seeded: true,
  before: () => [removal, isGone, send('POST', definitions, definition), { ...get(collection), until: 200 }],
  scenes,
  after: () => [removal],
}
