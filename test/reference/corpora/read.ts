/**
 * Reads the objects that the reference's own tests are about, as facts, and keeps them: `KUBERNETES_SOURCES=DIR node --import tsx
 * test/reference/corpora/read.ts`. Only values are taken, none of the tests' code.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedKinds } from '../kinds.ts'
import { writeCorpus } from './corpus.ts'
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
