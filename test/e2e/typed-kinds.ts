/** `server.objects` knows the types of kinds: of built-in ones from the schema, of custom ones from their definition. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { apiVersionOf, type ResourceDefinition } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { startTestServer, type TestObject } from '../../runtimes/testing/index.ts'
import { allKinds } from '../support/all-kinds.ts'
import { collectionPath, minimalObject } from '../support/minimal-objects.ts'
import { root } from '../support/root.ts'
import { run } from '../support/run.ts'
import { strictProject } from './strict-project.ts'

/** Each `@ts-expect-error` is itself an error where the next line has none. */
export const typedKinds = `
import { startTestServer, type TestObject } from 'fetch-apiserver/testing'
const server = await startTestServer()
const labels = { app: 'shop' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'shop', resources: { limits: { cpu: 1 } } }] } }

const deployments = server.objects('apps/v1', 'Deployment')
const deployment = await deployments.create({ metadata: { name: 'shop' }, spec: { selector: { matchLabels: labels }, template } })
export const replicas: number | undefined = deployment.spec.replicas
export const texts: string[] = [deployment.metadata.name, deployment.metadata.namespace, deployment.metadata.uid]
export const observed: number | undefined = deployment.status.observedGeneration
await deployments.apply({ metadata: { name: 'shop' }, spec: { replicas: 3 } })
await deployments.update({ ...deployment, spec: { ...deployment.spec, replicas: 2 } })
await deployments.until('shop', ({ spec }) => spec.replicas === 2)
// @ts-expect-error a required field is missing
await deployments.create({ metadata: { name: 'shop' }, spec: { template } })
// @ts-expect-error there is no such field
await deployments.create({ metadata: { name: 'shop' }, spec: { selector: {}, template, replica: 1 } })
// @ts-expect-error the status has an endpoint of its own
await deployments.create({ metadata: { name: 'shop' }, spec: { selector: {}, template }, status: {} })
// @ts-expect-error there is no such field
export const absent = deployment.spec.replica
for await (const { object } of server.objects('v1', 'Pod').watch()) if (object.spec.containers[0]?.image === 'shop') break

export const unknownKind: TestObject = await server.objects('example.com/v1', 'Widget').get('first')
interface Given extends TestObject {
  readonly spec: { readonly size: number }
}
export const given: number = (await server.objects<Given>('example.com/v1', 'Widget').get('first')).spec.size

const size = { type: 'string', enum: ['small', 'large'] } as const
const properties = { size, count: { type: 'integer', default: 1 }, port: { 'x-kubernetes-int-or-string': true } } as const
const spec = { type: 'object', required: ['size'], properties } as const
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec } } } }],
  },
} as const
await server.load([definition])
const widgets = server.objects(definition, 'v1')
const widget = await widgets.create({ metadata: { name: 'first' }, spec: { size: 'small', port: 'http' } })
export const count: number = widget.spec.count
export const sizes: 'small' | 'large' = widget.spec.size
await widgets.apply({ metadata: { name: 'first' }, spec: { count: 2 } })
// @ts-expect-error a required field is missing
await widgets.create({ metadata: { name: 'first' }, spec: {} })
// @ts-expect-error a wrong type
await widgets.create({ metadata: { name: 'first' }, spec: { size: 'small', count: 'two' } })
// @ts-expect-error there is no such version
server.objects(definition, 'v2')
`

const platform = createPlatform('kubernetes')
const definitions = builtInResources
  .map((definition) => bind(definition, platform))
  .filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'))

const typeOf = ({ kind, ...rest }: ResourceDefinition, form: string) => `Kinds['${apiVersionOf(rest)}']['${kind}']['${form}']`

/** A program that gives bodies of all kinds, and what the server answered, to the declared types: a wrong or an unknown field is an error. */
async function answersOfAllKinds(): Promise<string> {
  const server = await startTestServer(allKinds)
  const lines = [`import type { Kinds } from 'fetch-apiserver/testing'`]
  try {
    for (const definition of definitions) {
      const body = minimalObject(definition)
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await server.fetch(`${collectionPath(definition)}?fieldValidation=Strict`, init)
      const answer = (await response.json()) as TestObject
      lines.push(`export const written${lines.length}: ${typeOf(definition, 'written')} = ${JSON.stringify(body)}`)
      if (response.status === 201)
        lines.push(`export const stored${lines.length}: ${typeOf(definition, 'stored')} = ${JSON.stringify(answer)}`)
    }
  } finally {
    await server.close()
  }
  return `${lines.join('\n')}\n`
}

/** Declares the tests, which run in the project. */
export function kindsAreTyped(project: string): void {
  async function compiles(name: string, program: string): Promise<void> {
    writeFileSync(join(project, `${name}.ts`), program)
    writeFileSync(join(project, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions: strictProject, files: [`${name}.ts`] }))
    const { code, stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', `tsconfig.${name}.json`], { cwd: project })
    assert.equal(code, 0, stdout.slice(0, 4_000))
  }

  test('objects of kinds have their types: what may be written, and what is read', () => compiles('typed-kinds', typedKinds))

  test('the answers of all kinds fit the declared types', async () => {
    const program = await answersOfAllKinds()
    assert.ok(program.match(/^export const stored/gm)!.length > 60, program)
    await compiles('answers', program)
  })
}
