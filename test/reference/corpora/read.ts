/**
 * Reads the objects that the reference's own tests are about, as facts, and keeps them: `KUBERNETES_SOURCES=DIR node --import tsx
 * test/reference/corpora/read.ts`. Only values are taken, none of the tests' code.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '../../../core/request/yaml.ts'
import { apiVersionOf } from '../../../core/resources/definition.ts'
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { schemasByTitle, storedKinds } from '../kinds.ts'
import { type Encoded, writeCorpus } from './corpus.ts'
import { constantsOf, GoFile } from './go-literals.ts'
import { jsonOf } from './go-objects.ts'

const root = process.env['KUBERNETES_SOURCES']
if (root === undefined) throw new Error('KUBERNETES_SOURCES is the directory of the sources of the reference')

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Files below a directory by name. */
const sources = (directory: string, name: RegExp) =>
  (readdirSync(join(root, directory), { recursive: true }) as string[])
    .filter((file) => name.test(file))
    .sort()
    .map((file) => join(directory, file))

const constants = constantsOf(
  ['pkg/apis', 'staging/src/k8s.io/api', 'staging/src/k8s.io/apimachinery/pkg/apis']
    .flatMap((directory) => sources(directory, /(types|well_known\w*|labels|annotation\w*)\.go$/))
    .map(read),
)
/** The first version of each kind: internal types have no version. */
const kinds = new Map(storedKinds.toReversed().map((definition) => [definition.kind, definition]))
const types = new Set(kinds.keys())

const tests = {
  printed: sources('pkg/printers/internalversion', /_test\.go$/),
  objects: [
    ...['pkg/apis', 'pkg/registry', 'plugin/pkg/admission'].flatMap((directory) => sources(directory, /_test\.go$/)),
    ...sources('staging/src/k8s.io/pod-security-admission', /\.go$/),
  ],
}

for (const [name, files] of Object.entries(tests)) {
  const rows = new Set<string>()
  for (const file of files)
    for (const { type, value } of new GoFile(`${read(file)}`, constantsWith(read(file))).literals(types)) {
      const definition = kinds.get(type)
      const object = definition && jsonOf(value, definition.schema)
      if (object !== undefined && Object.keys(object as object).length > 0) rows.add(JSON.stringify([type, object]))
    }
  console.log(`${name}: ${rows.size} objects of ${files.length} files, ${writeCorpus(name, [...rows])} bytes`)
}

/** Objects with a value in every field, in each encoding. */
const encoded = 'staging/src/k8s.io/api/testdata/HEAD'
const whole = sources(encoded, /^[^_]*\.json$/)
  .map((file) => file.slice(0, -'.json'.length))
  .filter((file) => schemasByTitle().has(file.slice(encoded.length + 1)))
  .map((file) => {
    const protobuf = readFileSync(join(root, `${file}.pb`)).toString('base64')
    return JSON.stringify([file.slice(encoded.length + 1), read(`${file}.json`), read(`${file}.yaml`), protobuf] satisfies Encoded)
  })
console.log(`encoded: ${whole.length} objects, ${writeCorpus('encoded', whole)} bytes`)

/** Objects of files in YAML, once each; without sentences. */
function* documents(files: readonly string[]): Generator<JsonObject> {
  const seen = new Set<string>()
  for (const text of files.flatMap((file) => read(file).split(/^---.*$/m))) {
    const object = parsed(text)
    if (!isObject(object) || typeof object['kind'] !== 'string' || typeof object['apiVersion'] !== 'string') continue
    const line = JSON.stringify(object, (name, value: Json) => (name === 'description' && typeof value === 'string' ? undefined : value))
    if (!seen.has(line)) yield JSON.parse(line) as JsonObject
    seen.add(line)
  }
}

function parsed(text: string): Json {
  try {
    return parseYaml(new TextEncoder().encode(text), { duplicates: false }).value
  } catch {
    return null
  }
}

const storedTitles = new Set(storedKinds.map((definition) => `${apiVersionOf(definition)} ${definition.kind}`))
const podSecurity = sources('staging/src/k8s.io/pod-security-admission/test/testdata', /\.yaml$/)
const pods = [...documents(podSecurity)].map((object) => JSON.stringify(['Pod', object]))
console.log(`pods: ${pods.length} of ${podSecurity.length} files, ${writeCorpus('pods', pods)} bytes`)

const inYaml = ['test', 'hack/testdata', 'staging', 'cluster', 'pkg', 'plugin']
  .flatMap((directory) => sources(directory, /\.ya?ml$/))
  .filter((file) => !/\/testdata\/(HEAD|v1\.\d+\.\d+)\//.test(file) && !podSecurity.includes(file))
/** Longer ones are programs and programs' configuration in the main, and `{{` is filled in by a program. */
const longest = 8_000
const manifests = [...documents(inYaml)]
  .filter(({ apiVersion, kind }) => storedTitles.has(`${apiVersion} ${kind}`))
  .map((object) => JSON.stringify(object))
  .filter((line) => line.length <= longest && !/openshift|\{\{/.test(line))
const bytes = writeCorpus('manifests', manifests)
console.log(`manifests: ${manifests.length} objects of ${inYaml.length} files, ${bytes} bytes`)

function constantsWith(source: string): ReadonlyMap<string, string> {
  return new Map([...constants, ...constantsOf([source])])
}

/** Tables of the tests of the patch library that the reference uses, whose rows begin with a document and a patch. */
const patchTables = new Set(['Case', 'BadCase', 'TestCase', 'MutationTestCase'])
const patchSources = process.env['JSON_PATCH_SOURCES']
if (patchSources !== undefined) {
  const rows = new Set<string>()
  const text = (file: string) => readFileSync(join(patchSources, file), 'utf8')
  for (const { value } of new GoFile(text('patch_test.go'), new Map()).literals(patchTables)) {
    const [document, patch] = value.items
    if (typeof document === 'string' && typeof patch === 'string') rows.add(JSON.stringify([document, patch]))
  }
  for (const [, document, patch] of text('merge_test.go').matchAll(/target:\s*`([^`]*)`,\s*patch:\s*`([^`]*)`/g))
    rows.add(JSON.stringify([document, patch]))
  for (const [, document, patch] of text('merge_test.go').matchAll(/doc :=\s*[`"]([^`\n]*)[`"]\n\s*pat :=\s*[`"]([^`\n]*)[`"]\n/g))
    rows.add(JSON.stringify([document, patch]))
  console.log(`patches: ${rows.size} documents with patches, ${writeCorpus('patches', [...rows])} bytes`)
}
