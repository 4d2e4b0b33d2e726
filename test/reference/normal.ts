/** Answers without what must differ between two servers, or between two runs. */
import type { Json, JsonObject } from '../../core/schema/model.ts'
import type { Answer } from './exchange.ts'

/** An answer that can be compared and kept. */
export interface Normal {
  readonly code: number
  readonly headers: { readonly [name: string]: readonly string[] }
  /** How the body is written: `compact`, `indented` or `text`, with `newline` when it ends with one. */
  readonly layout: string
  /** A JSON value, a list of values when there are several (a watch), or the text. */
  readonly body: Json
}

/** Headers of the connection, not of the answer. */
const ofTransport = new Set(['date', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'])
/** Headers with values of the server's own. */
const onlyPresent = new Set(['audit-id', 'etag', 'last-modified', 'x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'])

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g
/** Moments this close to the run are the server's; others are a request's. */
const recent = 2 * 86_400_000

/** Texts that a server makes up, and what stands for them. */
const replacements: readonly (readonly [RegExp, string | ((found: string, fraction?: string) => string)])[] = [
  [uid, '<uid>'],
  [
    moment,
    (found, fraction) =>
      Math.abs(Date.parse(found) - Date.now()) < recent ? (fraction === undefined ? '<time>' : `<time.${fraction.length - 1}>`) : found,
  ],
  [/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>'],
  // Types of rules in definitions are numbered at random.
  [/\bselfType\d+/g, 'selfType'],
  // Names that were generated from the suite's prefixes, in refusals.
  [/([Mm]ade[ ._:-]?)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1<random>'],
  [
    /in record \(\d+\)|in the precondition \(\d+\)|(?<=ResourceVersion in object meta: )\d+/g,
    (found) => found.replace(/\d+/, '<revision>'),
  ],
  // In texts that quote an object.
  [/resourceVersion\\*":\\*"[1-9]\d*/g, (found) => found.replace(/\d+$/, '<revision>')],
  // Places in sources: builds without -trimpath name more of the path than releases do.
  [/"k8s\.io\/(apimachinery|apiserver)\/(?=pkg\/)/g, '"'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '<token>'],
  // The second range is the network address of a ServiceCIDR of this suite, which dry runs answer with while it exists.
  [/\b(10\.0\.0\.\d+|192\.0\.2\.0)\b(?!\/)/g, '<address>'],
  [/\bport (3[012]\d{3})\b/g, 'port <node port>'],
]

/** Members with values that a server makes up. */
const members: { readonly [name: string]: (value: Json) => Json } = {
  resourceVersion: (value) => (typeof value === 'string' && /^[1-9]\d*$/.test(value) && value.length < 12 ? '<revision>' : value),
  continue: (value) => (value === '' ? value : '<continue>'),
  nodePort: (value) => (typeof value === 'number' && value >= 30_000 && value <= 32_767 ? '<node port>' : value),
  // The day on which the server began to track legacy tokens.
  since: (value) => (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? '<day>' : value),
  healthCheckNodePort: (value) => (typeof value === 'number' && value >= 30_000 && value <= 32_767 ? '<node port>' : value),
}

function cleared(text: string, own: readonly (readonly [string, string])[]): string {
  let result = text
  for (const [from, to] of own) if (result.includes(from)) result = result.replaceAll(from, to)
  for (const [pattern, to] of replacements) result = result.replaceAll(pattern, to as string)
  return result
}

/** The suffix of names that the server generated. */
function generated(value: JsonObject): readonly (readonly [string, string])[] {
  const { metadata } = value
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return []
  const { generateName, name } = metadata
  if (typeof generateName !== 'string' || typeof name !== 'string' || generateName === '' || !name.startsWith(generateName)) return []
  return [[name, `${generateName}<random>`]]
}

function clearedValue(value: Json, own: readonly (readonly [string, string])[]): Json {
  if (typeof value === 'string') return cleared(value, own)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => clearedValue(each, own))
  const result: JsonObject = {}
  const all = [...own, ...generated(value)]
  for (const [name, member] of Object.entries(value)) {
    const clear = Object.hasOwn(members, name) ? members[name] : undefined
    result[cleared(name, all)] = clear ? clear(clearedValue(member, all)) : clearedValue(member, all)
  }
  return value['kind'] === 'Table' ? withoutAges(result) : result
}

const age = /^(\d+[smhdy])+( ago)?$|^<(invalid|unknown)>$/
/** Cells with the time since an event: they grow while the suite runs. */
function withoutAges(table: JsonObject): JsonObject {
  const rows = Array.isArray(table['rows']) ? table['rows'] : []
  const clear = (cell: Json) => (typeof cell === 'string' && age.test(cell) ? '<age>' : cell)
  return { ...table, rows: rows.map((row) => ({ ...(row as JsonObject), cells: ((row as JsonObject)['cells'] as Json[]).map(clear) })) }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** JSON values of a watch, one on each line. */
function values(text: string): Json {
  const lines = text.split('\n').filter((line) => line !== '')
  const events = lines.map(parsed)
  return events.includes(undefined) ? text : (events as Json[])
}

function layoutOf(text: string): string {
  const form = /^[[{]\n/.test(text) ? 'indented' : /^[[{]/.test(text) ? 'compact' : 'text'
  return `${form}${text.endsWith('\n') ? ' newline' : ''}${/\\u00(3c|3e|26)/i.test(text) ? ' escaped' : ''}`
}

/** `own`: texts of this server (its address, ids of this run) and what stands for them. */
export function normalOf({ status, headers, body }: Answer, own: readonly (readonly [string, string])[] = []): Normal {
  const kept: { [name: string]: string[] } = {}
  for (const [name, value] of headers) {
    if (ofTransport.has(name)) continue
    kept[name] ??= []
    // A list in one field is the same as one of several fields (RFC 9110 5.2).
    if (name === 'vary') kept[name].push(...value.split(', '))
    else kept[name].push(onlyPresent.has(name) ? (own.find(([text]) => text === value)?.[1] ?? 'present') : cleared(value, own))
  }
  for (const list of Object.values(kept)) list.sort()
  const text = textOf(body.toString(), kept['content-type'])
  const sorted = Object.fromEntries(Object.entries(kept).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { code: status, headers: sorted, layout: layoutOf(text), body: clearedValue(parsed(text) ?? values(text), own) }
}

/**
 * The text of a body. In YAML, revisions and ages are cleared, and the quotes that some uids need. Protobuf is not looked into: it holds revisions and
 * times in bytes; other suites compare it with JSON.
 */
export function textOf(text: string, types: readonly string[] = []): string {
  const is = (part: string) => types.some((type) => type.includes(part))
  if (is('protobuf') || is('cbor')) return '<binary>'
  if (!is('yaml')) return text
  const plain = text.replaceAll(/resourceVersion: "[1-9]\d*"/g, 'resourceVersion: <revision>').replaceAll(/uid: "([^"]*)"/g, 'uid: $1')
  return plain.includes('\nkind: Table\n') ? plain.replaceAll(/^ {2}- (\d+[smhdy])+$/gm, '  - <age>') : plain
}
