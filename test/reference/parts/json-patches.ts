/** JSON and merge patches of the tests of the library that the reference patches with (corpora/), applied to a field of a custom resource. */
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { readPatches } from '../corpora/corpus.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { chooser } from '../inputs/chooser.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'patches.example.com'
const name = `documents.${group}`
const collection = `/apis/${group}/v1/namespaces/default/documents`

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'documents', singular: 'document', kind: 'Document', listKind: 'DocumentList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const typed = (type: string) => ({ 'content-type': `application/${type}-patch+json` })

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The operation with its pointers below the document's field; undefined: it is none. */
function moved(operation: Json): Json {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) return operation
  const pointer = (value: Json | undefined) =>
    typeof value === 'string' && (value === '' || value.startsWith('/')) ? `/doc${value}` : value
  const { path, from, ...others } = operation
  return {
    ...others,
    ...(path !== undefined && { path: pointer(path) as Json }),
    ...(from !== undefined && { from: pointer(from) as Json }),
  }
}

function bodiesOf(patch: string): Call['body'][] {
  const value = parsed(patch)
  return value === undefined || !Array.isArray(value) ? [patch] : [JSON.stringify(value.map(moved)), patch]
}

/** A replacement of the whole document by nothing, which ends the reference's connection. */
const isPanic = (patch: string) => /^\[\{"op": "replace", "path": ""\}\]$/.test(patch)

/** Each document with operations of any patches. */
function shuffled(seed: number): readonly (readonly [document: string, patch: string])[] {
  const all = readPatches()
  const operations = all.flatMap(([, patch]) => {
    const value = parsed(patch)
    return Array.isArray(value) ? value.filter((operation) => !/"path":""/.test(JSON.stringify(operation))) : []
  })
  return Array.from({ length: 4 }, () => all)
    .flat()
    .map(([document], index) => {
      const { below, pick } = chooser(seed, index)
      return [document, JSON.stringify(Array.from({ length: 1 + below(4) }, () => pick(operations)))] as const
    })
}

function* scenes(seed: number): Generator<Scene> {
  for (const [index, [document, patch]] of (seed === 0 ? readPatches() : shuffled(seed)).entries()) {
    if (isPanic(patch)) continue
    const doc = parsed(document)
    const own = `document-${index}`
    const path = `${collection}/${own}`
    const object: JsonObject = { apiVersion: `${group}/v1`, kind: 'Document', metadata: { name: own }, ...(doc !== undefined && { doc }) }
    const change = (body: unknown, type: string) => send('PATCH', `${path}?dryRun=All`, body, typed(type))
    const value = parsed(patch)
    yield {
      kind: 'custom resources',
      at: `patch ${index}`,
      calls: [
        send('POST', collection, object),
        ...bodiesOf(patch).map((body) => change(body, 'json')),
        ...(value === undefined ? [] : [change({ doc: value }, 'merge')]),
        change(patch, 'merge'),
        { method: 'DELETE', path },
      ],
    }
  }
}

const removal: Call = { method: 'DELETE', path: `${definitions}/${name}` }

export const jsonPatches: Part = {
  name: 'json-patches',
  seeded: true,
  before: () => [
    removal,
    { ...get(`${definitions}/${name}`), until: 404 },
    send('POST', definitions, definition),
    { ...get(collection), until: 200 },
  ],
  scenes,
  after: () => [removal],
}
