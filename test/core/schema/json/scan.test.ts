/**
 * Everything that looks for structure in JSON bytes, beside a parser: the names that are searched for stand at every position, as names,
 * values and parts of strings, plain and escaped, repeated, and nested.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownMetadata, ownMetadataBytes } from '../../../../core/answers/partial.ts'
import { withoutSchemas } from '../../../../core/controllers/custom-resources/without-schemas.ts'
import { createCodec } from '../../../../core/objects/storage/codec.ts'
import { createRawCodec } from '../../../../core/objects/storage/raw-codec.ts'
import { hasMetadata, metadataFinder, withoutManagedFields } from '../../../../core/objects/storage/served-metadata.ts'
import { type ApiObject, apiVersionOf } from '../../../../core/resources/definition.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { concatenate } from '../../../../core/schema/bytes.ts'
import { Name, textAt, Values } from '../../../../core/schema/json/scan.ts'
import { parseJsonText } from '../../../../core/schema/json/text.ts'
import { sourcesBelow } from '../../../architecture/graph.ts'
import { randomNumbers } from '../../../support/random.ts'
import { progress, trials } from '../../../support/soak.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const random = randomNumbers(2_701)
const { chance, integer, pick } = random

const searched = [
  'kind apiVersion metadata labels managedFields ownerReferences deletionTimestamp spec versions schema openAPIV3Schema name'.split(' '),
].flat()
const texts = [
  ...searched,
  ...searched.map((name) => `"${name}":{`),
  '',
  '\\',
  '"',
  '\\"',
  '}',
  '{',
  ']',
  '[',
  ',',
  ':',
  'é\u2028',
  '😀',
  '\u0001',
  '\\u0022',
]

/** The engine's parser, or our own for what some engines misread. */
const parse = (text: string): ReturnType<typeof JSON.parse> => parseJsonText(text)

const space = () => (chance(0.1) ? pick([' ', '\n', '\r\n\t ', '  ']) : '')
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((each) => [random.next(), each] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, each]) => each)

/** A string as JSON; now and then some of its characters are escaped. */
function string(value: string): string {
  const text = JSON.stringify(value)
  if (!chance(0.1) || value === '') return text
  const at = integer(value.length)
  return JSON.stringify(value.slice(0, at)).slice(0, -1) + escaped(value.charAt(at)) + JSON.stringify(value.slice(at + 1)).slice(1)
}

const scalar = () => pick([() => string(pick(texts)), () => pick(['0', '-1.5e3', 'true', 'false', 'null'])])()

function value(depth: number): string {
  if (depth === 0 || chance(0.4)) return scalar()
  if (chance(0.3)) return list(Array.from({ length: integer(4) }, () => value(depth - 1)))
  return object(Array.from({ length: integer(5) }, () => [pick(texts), value(depth - 1)]))
}

const joined = (open: string, items: readonly string[], close: string) =>
  open + space() + items.join(`${space()},${space()}`) + space() + close
const list = (items: readonly string[]) => joined('[', items, ']')
const object = (members: readonly (readonly [name: string, value: string])[]) =>
  joined(
    '{',
    members.map(([name, text]) => `${string(name)}${space()}:${space()}${text}`),
    '}',
  )

/** The wanted members among others, in any order; some twice. */
function around(wanted: { readonly [name: string]: () => string }, repeats = 0.1, depth = 2): string {
  const own = Object.entries(wanted).flatMap(([name, make]) =>
    chance(repeats) ? [[name, make()] as const, [name, make()] as const] : [[name, make()] as const],
  )
  const others = Array.from({ length: integer(4) }, () => [pick(texts.filter((text) => !(text in wanted))), value(depth)] as const)
  return object(shuffled([...own, ...others]))
}

const schemas = () => around({ openAPIV3Schema: () => (chance(0.8) ? object([['openAPIV3Schema', value(3)]]) : value(1)) })
const version = () => (chance(0.9) ? around({ schema: () => (chance(0.9) ? schemas() : scalar()) }) : value(2))
const definition = () =>
  around({ spec: () => around({ versions: () => list(Array.from({ length: integer(4) }, version)) }), metadata: () => value(3) })

type Members = { [name: string]: unknown }
const isObject = (found: unknown): found is Members => typeof found === 'object' && found !== null && !Array.isArray(found)

/** As `withoutSchemas`, on the parsed object. */
function outlined(found: unknown): unknown {
  const versions = isObject(found) && isObject(found['spec']) ? found['spec']['versions'] : undefined
  for (const each of Array.isArray(versions) ? versions : [])
    if (isObject(each) && isObject(each['schema']) && isObject(each['schema']['openAPIV3Schema'])) each['schema']['openAPIV3Schema'] = {}
  return found
}

const rounds = trials(3_000, 3_000_000)

test('members and items, one after the other', () => {
  const said = progress('members and items', rounds)
  for (let round = 0; round < rounds; round++) {
    const json = value(4)
    const bytes = encoder.encode(` ${json}`)
    const parsed: unknown = parse(json)
    if (typeof parsed !== 'object' || parsed === null) continue
    const values = new Values(bytes, 1)
    const found: [string, unknown][] = []
    const names = texts.map((text) => new Name(text))
    while (values.next()) {
      const own = names.filter((name) => values.is(name)).map(({ text }) => text)
      if (!Array.isArray(parsed)) assert.equal(own.length, 1, json)
      found.push([own[0] ?? '', parse(decoder.decode(bytes.subarray(values.start, values.end)))])
    }
    assert.equal(values.closed, bytes.length, json)
    assert.deepEqual(Array.isArray(parsed) ? found.map(([, item]) => item) : Object.fromEntries(found), parsed)
    const cut = new Values(bytes.subarray(0, 1 + integer(bytes.length - 1)), 1)
    while (cut.next());
    assert.equal(cut.closed, 0, 'truncated bytes have no end')
    said(round + 1)
  }
})

test('definitions without their schemas', () => {
  const said = progress('definitions', rounds)
  for (let round = 0; round < rounds; round++) {
    const json = definition()
    assert.deepEqual(parse(withoutSchemas(encoder.encode(json))), outlined(parse(json)), json)
    said(round + 1)
  }
})

const widget = builtInResources.find(({ kind }) => kind === 'ConfigMap')!
const find = metadataFinder(widget)
const codec = createCodec(widget)
const raw = createRawCodec()
const metadataOf = () =>
  around({
    name: () => '"n"',
    ...(chance(0.5) && { labels: () => object(Array.from({ length: integer(3) }, () => [pick(texts), string(pick(texts))])) }),
    ...(chance(0.5) && { managedFields: () => list([value(3), value(3)]) }),
    ...(chance(0.3) && { ownerReferences: () => list([value(2)]) }),
    ...(chance(0.3) && { deletionTimestamp: () => '"2026-01-01T00:00:00Z"' }),
  })

test('metadata, labels and managed fields of served objects', () => {
  const said = progress('metadata', rounds)
  const names = [new Name('ownerReferences'), new Name('deletionTimestamp')]
  for (let round = 0; round < rounds; round++) {
    const metadata = metadataOf()
    const others = around({ data: () => object([[pick(texts), string(pick(texts))]]) })
      .trim()
      .slice(1)
    const json = `{"kind":"ConfigMap","apiVersion":"${apiVersionOf(widget)}","metadata":{"resourceVersion":"1",${metadata.trim().slice(1)},${others}`
    let parsed: ApiObject
    try {
      parsed = parse(json) as ApiObject
    } catch {
      continue // Nothing followed a comma.
    }
    if (parse(`{${others}`).metadata !== undefined || 'kind' in parse(`{${others}`)) continue
    const bytes = encoder.encode(json)
    assert.deepEqual(codec.labels(bytes), parsed.metadata.labels ?? {}, json)
    assert.equal(
      hasMetadata(bytes, names),
      names.some(({ text }) => text in parsed.metadata),
      json,
    )
    const place = find(bytes)
    if (place === undefined) {
      assert.ok(metadata.split(/managed|\\u/).length > 2, `repeated managed fields only: ${json}`)
      continue
    }
    assert.deepEqual(parse(decoder.decode(bytes.subarray(place.start, place.end))), parsed.metadata)
    const { managedFields: _managed, ...kept } = parsed.metadata
    assert.deepEqual(parse(withoutManagedFields(bytes, place)), { ...parsed, metadata: kept })
    said(round + 1)
  }
})

/** As selectors read a field of a parsed object. */
function textOf(found: unknown, path: readonly string[]): string {
  let at = found
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return ''
    at = at[name]
  }
  return at === null || at === undefined || typeof at === 'object' ? '' : String(at)
}

test('scalars at a path', () => {
  const said = progress('scalars', rounds)
  const path = ['spec', 'versions', 'name']
  let found = 0
  for (let round = 0; round < rounds; round++) {
    const inner = () => (chance(0.8) ? around({ name: () => (chance(0.8) ? scalar() : value(1)) }) : value(1))
    const json = around({ spec: () => (chance(0.9) ? around({ versions: inner }) : value(2)), metadata: () => value(2) }).trim()
    const names = path.slice(0, 1 + integer(path.length))
    const expected = textOf(parse(json), names)
    assert.equal(
      textAt(
        encoder.encode(json),
        names.map((name) => new Name(name)),
      ),
      expected,
      json,
    )
    if (expected !== '') found++
    said(round + 1)
  }
  assert.ok(found > rounds / 10, `${found} of ${rounds} were found`)
  const big = [new Name('n')]
  for (const number of ['9007199254740993', '-0', '1e3', '1.50', '-12']) {
    const expected = String(parse(`{"n":${number}}`)['n'])
    assert.equal(textAt(encoder.encode(`{"n":${number}}`), big), expected)
  }
})

const field = 'deprecated.deployment.rollback.to'
const definitionWithFields = { fieldAnnotations: [field, 'other'] }
const annotationTexts = [field, `"${field}":`, `\\"${field}\\":""`, 'annotations', '"annotations":{', ...texts]

test('annotations that are fields in another version', () => {
  const said = progress('annotations', rounds)
  let without = 0
  for (let round = 0; round < rounds; round++) {
    const annotations = () =>
      object(Array.from({ length: integer(4) }, () => [chance(0.3) ? field : pick(annotationTexts), string(pick(annotationTexts))]))
    const json = around({
      name: () => string(pick(annotationTexts)),
      ...(chance(0.8) && { annotations }),
      ...(chance(0.5) && { labels: annotations }),
      ...(chance(0.3) && { spec: () => object([['annotations', annotations()]]) }),
    }).trim()
    const parsed = parse(json)
    const shown = ownMetadataBytes(encoder.encode(json), definitionWithFields)
    assert.deepEqual(parse(decoder.decode(shown)), ownMetadata(parsed, definitionWithFields), json)
    if (shown.length < json.length) without++
    said(round + 1)
  }
  assert.ok(without > rounds / 20, `${without} of ${rounds} had such annotations`)
})

// No server stores an object with two members `metadata`.
test('custom resources that another server stored', () => {
  const said = progress('stored custom resources', rounds)
  for (let round = 0; round < rounds; round++) {
    const json = around({ kind: () => string(pick(['Widget', 'Ä', '"'])), apiVersion: () => '"example.com/v1"', metadata: metadataOf }, 0)
    const parsed = parse(json) as ApiObject
    const isFit = typeof parsed.kind === 'string' && typeof parsed.apiVersion === 'string' && isObject(parsed.metadata)
    const serve = () => raw.serve(encoder.encode(json), 7)
    if (!isFit) assert.throws(serve, { code: 'corrupt' })
    else {
      const expected = { ...parsed, metadata: { ...parsed.metadata, resourceVersion: '7' } }
      assert.deepEqual(parse(decoder.decode(serve())), expected, json)
      assert.deepEqual(raw.labels(serve()), parsed.metadata.labels ?? {}, json)
    }
    const compact = encoder.encode(JSON.stringify(parsed))
    if (isFit) assert.equal((parse(decoder.decode(concatenate([raw.serve(compact, 8)]))) as ApiObject).metadata.resourceVersion, '8')
    said(round + 1)
  }
})

/** Files with texts of JSON members, and what they do with them. Nothing else than `json-scan.ts` searches for them. */
const writers: { readonly [file: string]: string } = {
  'core/apply/element.ts': 'matches whole path elements of plain texts',
  'core/apply/managers.ts': 'writes an identity',
  'core/audit/event.ts': 'writes events',
  'core/controllers/custom-resources/conversion-webhook.ts': 'writes a review',
  'core/answers/encodings/json.ts': 'writes an event',
  'core/objects/storage/codec.ts': 'writes the start of served bytes, and compares it',
  'core/objects/storage/raw-codec.ts': 'compares the start of stored bytes',
  'core/objects/storage/served-metadata.ts': 'compares the start of served bytes',
  'core/objects/storage/version-place.ts': 'writes a member, after those that identify the object',
  'core/answers/rendering/rows.ts': 'writes rows',
  'runtimes/node/log/formats.ts': 'writes the time of a line',
  'runtimes/etcd-server/database.ts': 'writes the configuration of a single member',
}

test('nothing else looks for members of JSON', () => {
  const literal = /(?:'[^'\n]*"[\w.]+\\?":[^'\n]*'|`[^`\n]*"[\w.]+\\?":[^`\n]*`|`"\$\{\w+\}":[^`\n]*`|\/[^/\n]*"[^"\n/]+"\s*:[^/\n]*\/)/
  const found = [...sourcesBelow('core'), ...sourcesBelow('runtimes')]
    .filter(({ text }) => text.split('\n').some((line) => !/^\s*(?:\*|\/[/*])/.test(line) && literal.test(line)))
    .map(({ path }) => path)
  assert.deepEqual(found.filter((path) => !(path in writers)).sort(), [])
  assert.deepEqual(
    Object.keys(writers).filter((path) => !found.includes(path)),
    [],
    'listed, but without such texts',
  )
})
