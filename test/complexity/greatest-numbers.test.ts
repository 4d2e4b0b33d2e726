/** The greatest valid value in each numeric field of each kind: no request that reads it takes long, or much memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { apiVersionOf } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import type { Json, JsonObject, Schema } from '../../core/schema/model.ts'
import { allKinds } from '../support/all-kinds.ts'
import { processorTime, slowness } from '../support/cost.ts'
import { startInProcess } from '../support/in-process.ts'
import { collectionPath, minimalObject } from '../support/minimal-objects.ts'
import { soak } from '../support/soak.ts'

/** What a request may take: milliseconds of processor time, and MiB that the process grows by. */
const limit = { milliseconds: 250, mebibytes: 50 }
/** Every field in soak runs; otherwise one in so many. */
const oneIn = soak ? 1 : 40
/** Bytes of an answer that are read. */
const enough = 32 * 1024 * 1024

const powers = Array.from({ length: 10 }, (_, index) => String(10 ** (9 - index)))
const small = ['2147483647', ...powers, '65535', '32767']
const integers = ['9223372036854775807', '9007199254740991', ...small]
/** Values as JSON, greatest first: the first valid one is taken. */
const greatest: { readonly [type: string]: readonly string[] } = {
  int32: small,
  int64: integers,
  double: ['1.7976931348623157e308', '1e100', ...integers],
  quantity: ['"1e999999999"', '"9223372036854775807E"', '"1e30"', '"9223372036854775807"', '"8E"', '"1G"', '"1"'],
  intOrString: ['2147483647', '"2147483647%"', '"100%"', ...powers],
  duration: ['"2562047h47m16.854775807s"', '"87600h"', '"24h"', '"1h"'],
  time: ['"9999-12-31T23:59:59Z"'],
  microTime: ['"9999-12-31T23:59:59.999999Z"'],
}

type Path = readonly (string | number)[]

/** Numeric fields outside of metadata; a schema within itself counts once. */
function* fieldsOf(
  schema: Schema,
  path: Path = [],
  around: readonly Schema[] = [],
): Generator<{ readonly path: Path; readonly type: string }> {
  if (schema.type === 'message') {
    if (around.includes(schema)) return
    for (const [name, field] of schema.json)
      if (path.length > 0 || name !== 'metadata') yield* fieldsOf(field.schema, [...path, name], [...around, schema])
  } else if (schema.type === 'list') yield* fieldsOf(schema.items, [...path, 0], around)
  else if (schema.type === 'map') yield* fieldsOf(schema.values, [...path, 'cpu'], around)
  else if (Object.hasOwn(greatest, schema.type)) yield { path, type: schema.type }
}

/** Stands for the value, because not every number of JSON is one of JavaScript. */
const mark = '\u{1F522}'

/** The object as JSON with the mark at a path; objects around it that are missing are like `missing`. */
function marked(object: JsonObject, path: Path, missing: JsonObject): string {
  const copy = structuredClone(object)
  let at = copy as { [key: string | number]: Json }
  for (const [index, key] of path.slice(0, -1).entries()) {
    at[key] ??= typeof path[index + 1] === 'number' ? [] : { ...missing }
    at = at[key] as unknown as typeof at
  }
  at[path.at(-1) as string | number] = mark
  return JSON.stringify(copy)
}

const dumps = ['priority_levels', 'queues', 'requests'].map((name) => `/debug/api_priority_and_fairness/dump_${name}`)
const debugPaths = [...dumps, '/metrics', '/readyz?verbose', '/statusz', '/flagz']
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const forms = [{ accept: 'application/json' }, { accept: 'application/yaml' }, { accept: 'application/vnd.kubernetes.protobuf' }, table]

test('the greatest valid number in each field', async (t) => {
  const platform = createPlatform()
  const admissionPlugins = { disable: ['ServiceAccount', 'NamespaceLifecycle'] }
  const { fetch } = await startInProcess({ ...allKinds, priorityAndFairness: 'on', admissionPlugins }, t)
  const faults: string[] = []
  const counts = { fields: 0, set: 0, toTheFirst: 0, requests: 0 }

  async function read(method: string, path: string, body: string | undefined, headers: { [name: string]: string }): Promise<number> {
    const abort = new AbortController()
    const init = { method, signal: abort.signal, headers: { 'content-type': 'application/json', ...headers }, ...(body && { body }) }
    const response = await fetch(path, init)
    let length = 0
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length
      // The rest of a watch does not end, and that of a dump takes long by nature.
      if (path.includes('watch=1') || length > enough) break
    }
    abort.abort()
    return response.status
  }

  async function ask(what: string, method: string, path: string, body?: string, headers: { [name: string]: string } = {}): Promise<number> {
    counts.requests++
    const before = process.memoryUsage().rss
    const { result, milliseconds } = await processorTime(() => read(method, path, body, headers))
    const grown = (process.memoryUsage().rss - before) / 2 ** 20
    const isLong = milliseconds > limit.milliseconds && milliseconds > limit.milliseconds * (await slowness())
    if (isLong) faults.push(`${what}: ${method} ${path}: ${Math.round(milliseconds)} ms`)
    if (grown > limit.mebibytes) faults.push(`${what}: ${method} ${path}: ${Math.round(grown)} MiB`)
    return result
  }

  // The first requests take what servers make once.
  for (const path of debugPaths) await read('GET', path, undefined, {})
  for (const definition of builtInResources.map((each) => bind(each, platform)).filter(({ storageKey }) => storageKey !== '')) {
    const collection = collectionPath(definition)
    const minimal = minimalObject(definition) as JsonObject
    const one = `${collection}/${(minimal['metadata'] as { name: string }).name}`
    for (const { path, type } of fieldsOf(definition.schema)) {
      if (counts.fields++ % oneIn !== 0) continue
      const what = `${apiVersionOf(definition)} ${definition.kind} ${path.join('.')}`
      const bodies = [{}, { name: 'one' }].map((missing) => marked(minimal, path, missing))
      const candidates = (greatest[type] as readonly string[]).flatMap((value) => bodies.map((body) => body.replace(`"${mark}"`, value)))
      let found: string | undefined
      for (const body of candidates)
        if ((await ask(what, 'POST', `${collection}?dryRun=All`, body)) === 201) {
          found = body
          break
        }
      if (found === undefined) continue
      counts.set++
      if (candidates.indexOf(found) < bodies.length) counts.toTheFirst++
      await ask(what, 'POST', collection, found)
      for (const headers of forms) await ask(what, 'GET', one, undefined, headers)
      for (const query of ['', '?watch=1&timeoutSeconds=1']) await ask(what, 'GET', `${collection}${query}`, undefined, table)
      for (const path of [one, `${one}/status`]) await ask(what, 'PUT', path, found)
      await ask(what, 'PATCH', `${one}?fieldManager=a&force=true`, found, { 'content-type': 'application/apply-patch+yaml' })
      for (const path of [...debugPaths, '/api/v1/namespaces/default/configmaps']) await ask(what, 'GET', path)
      for (const path of [`${one}?gracePeriodSeconds=0`, collection]) await ask(what, 'DELETE', path)
    }
  }
  t.diagnostic(JSON.stringify(counts))
  assert.deepEqual(faults, [])
  assert.ok(counts.set > (soak ? 600 : 10), `${counts.set} set`)
})
