/** What editors offer while a test is written: TypeScript's language service, asked at places in a program as an editor asks it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { npmProject } from '../support/npm-project.ts'
import { strictProject } from './strict-project.ts'

/** The part of TypeScript's API that is used here; its own declarations come only with the release that the test installs. */
interface LanguageService {
  getCompletionsAtPosition(
    file: string,
    position: number,
    options: object,
  ): { readonly entries: readonly { readonly name: string }[] } | undefined
  getCompletionEntryDetails(
    file: string,
    position: number,
    name: string,
    ...absent: undefined[]
  ): { readonly documentation?: readonly { readonly text: string }[] } | undefined
}
interface Compiler {
  convertCompilerOptionsFromJson(options: object, folder: string): { readonly options: object }
  getDefaultLibFilePath(options: object): string
  createLanguageService(host: object): LanguageService
  readonly ScriptSnapshot: { fromString(text: string): unknown }
  readonly sys: {
    readonly fileExists: unknown
    readonly readFile: unknown
    readonly directoryExists: unknown
    readonly getDirectories: unknown
  }
}

/** The release whose language service most editors run; later ones are asked over a protocol. */
const release = '5.9.3'

/** Programs whose cursor stands at `|`. */
const places = [
  {
    of: 'kinds of a group and version',
    program: `server.objects('apps/v1', '|')`,
    offers: [['Deployment'], ['StatefulSet']],
  },
  {
    of: 'fields that may be written',
    program: `server.objects('apps/v1', 'Deployment').create({ metadata: { name: 'shop' }, spec: { | } })`,
    offers: [
      ['replicas', /pods/i],
      ['selector', /./],
      ['template', /./],
    ],
    not: ['status'],
  },
  {
    of: 'fields of a list of objects',
    program: `server.objects('v1', 'Pod').create({ metadata: { name: 'shop' }, spec: { containers: [{ | }] } })`,
    offers: [
      ['image', /image/i],
      ['livenessProbe', /./],
      ['name', /./],
    ],
  },
  {
    of: 'fields that are read',
    program: `const pod = await server.objects('v1', 'Pod').get('shop')\nvoid pod.status.|`,
    offers: [
      ['phase', /./],
      ['podIP', /./],
    ],
  },
  {
    of: 'fields of a custom resource',
    program: `
const spec = { type: 'object', properties: { size: { type: 'string', enum: ['small', 'large'] } } } as const
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  },
} as const
server.objects(definition, 'v1').create({ metadata: { name: 'first' }, spec: { size: '|' } })`,
    offers: [['small'], ['large']],
  },
  {
    of: 'options of a server',
    program: `startTestServer({ | })`,
    offers: [
      ['authorizationModes', /./],
      ['requestTimeout', /milliseconds/],
    ],
  },
  {
    of: 'faults',
    program: `server.faults.add({ verb: 'get', | })`,
    offers: [
      ['then', /./],
      ['share', /./],
    ],
  },
] as const satisfies readonly {
  of: string
  program: string
  offers: readonly (readonly [name: string, description?: RegExp])[]
  not?: readonly string[]
}[]

/** Declares the tests, which run in the project. */
export function editors(project: string): void {
  const installed = npmProject('language-service', { typescript: release })

  describe('an editor offers', { skip: installed.failure ?? false }, () => {
    const file = join(project, 'edited.ts')
    let text = ''
    let version = 0
    let service: LanguageService

    before(() => {
      const compiler = createRequire(join(installed.directory, 'package.json'))('typescript') as Compiler
      const { options } = compiler.convertCompilerOptionsFromJson(strictProject, project)
      const { fileExists, readFile, directoryExists, getDirectories } = compiler.sys
      service = compiler.createLanguageService({
        getCompilationSettings: () => options,
        getScriptFileNames: () => [file],
        getScriptVersion: (name: string) => (name === file ? `${version}` : '0'),
        getScriptSnapshot(name: string) {
          if (name === file) return compiler.ScriptSnapshot.fromString(text)
          return existsSync(name) ? compiler.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined
        },
        getCurrentDirectory: () => project,
        getDefaultLibFileName: (given: object) => compiler.getDefaultLibFilePath(given),
        fileExists,
        readFile,
        directoryExists,
        getDirectories,
      })
      writeFileSync(file, '')
    })

    for (const { of, program, offers, ...rest } of places)
      test(of, () => {
        const whole = `import { startTestServer } from 'fetch-apiserver/testing'\nconst server = await startTestServer()\n${program}\n`
        const position = whole.lastIndexOf('|')
        text = whole.slice(0, position) + whole.slice(position + 1)
        version++
        const names = service.getCompletionsAtPosition(file, position, {})?.entries.map(({ name }) => name) ?? []
        for (const [name, description] of offers as readonly (readonly [string, RegExp?])[]) {
          assert.ok(names.includes(name), `${name} is not among ${names.slice(0, 20).join(', ')}`)
          if (description === undefined) continue
          const details = service.getCompletionEntryDetails(file, position, name, undefined, undefined, undefined, undefined)
          assert.match(details?.documentation?.map((part) => part.text).join('') ?? '', description, `the description of ${name}`)
        }
        for (const name of 'not' in rest ? rest.not : []) assert.ok(!names.includes(name), `${name} is offered`)
      })
  })
}
