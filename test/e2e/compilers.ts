/** The package's declarations under other releases of TypeScript, with the libraries that projects have. */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { npmProject } from '../support/npm-project.ts'
import { run } from '../support/run.ts'
import { strictProject } from './strict-project.ts'
import { typedKinds } from './typed-kinds.ts'

/** Entries for every runtime. */
const typedEverywhere = `
import { startTestServer, type TestServer } from 'fetch-apiserver/testing'
import { createApiServer, memoryStore, type KeyValueStore } from 'fetch-apiserver'
import { createApiServer as createCore } from 'fetch-apiserver/core'
export const server: TestServer = await startTestServer({ authorizationModes: ['RBAC'] })
export const store: KeyValueStore = memoryStore()
export const api = await createApiServer({ store })
export const core = createCore
`
/** All entries. */
export const typed = `${typedEverywhere}
import { listen, nodeClock, openDurableStore } from 'fetch-apiserver/node'
import { storeConformance } from 'fetch-apiserver/testing/store'
export const others = [listen, nodeClock.now, openDurableStore, storeConformance]
`
const withClient = `
import * as client from '@kubernetes/client-node'
import { startTestServer } from 'fetch-apiserver/testing'
const server = await startTestServer()
const port = await server.listen()
export const configs: client.KubeConfig[] = [await server.kubeConfig<client.KubeConfig>(client), port.kubeConfig(client)]
`

/** The first and the newest release; the last before and the first with generic arrays of bytes (5.6, 5.7); the last of 5 and of 6. */
const releases = ['5.4', '5.6', '5.7', '5.9', '6.0', '7.0']

/**
 * Programs with the libraries that they are checked with. Requests and responses come from the library DOM or from @types/node. Only the first and
 * the newest release check all, because each project takes up to 12 s of processor time.
 */
const projects = [
  { name: 'all entries without the library DOM', programs: [typed], options: { lib: ['es2023'] } },
  { name: 'all entries, and types of kinds', programs: [typed, typedKinds], options: {} },
  { name: 'entries for every runtime without @types/node', programs: [typedEverywhere], options: { types: [] } },
]
const projectsOf = (release: string) => (release === releases[0] || release === releases.at(-1) ? projects : projects.slice(0, 1))

/** Declares the tests, which run in the project. */
export function compilers(project: string): void {
  const installed = npmProject(
    'compilers',
    Object.fromEntries(releases.map((release) => [`typescript-${release}`, `npm:typescript@${release}`])),
  )

  async function check(release: string, name: string, programs: readonly string[], options: object): Promise<void> {
    const unique = `${name} ${release}`.replaceAll(/\W/g, '-')
    const files = programs.map((_, at) => `${unique}-${at}.ts`)
    for (const [at, file] of files.entries()) writeFileSync(join(project, file), programs[at] ?? '')
    const config = join(project, `tsconfig.${unique}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...strictProject, ...options }, files }))
    const tsc = join(installed.directory, `node_modules/typescript-${release}/bin/tsc`)
    const { code, stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: project }, 300_000)
    assert.equal(code, 0, `${name}: ${stdout}`)
  }

  describe('declarations', { skip: installed.failure ?? false }, () => {
    for (const release of releases)
      test(`TypeScript ${release} accepts them`, async () => {
        for (const { name, programs, options } of projectsOf(release)) await check(release, name, programs, options)
      })
  })

  const client = npmProject('client-node-2', { '@kubernetes/client-node': '^2.0.0' })
  describe('@kubernetes/client-node 2.x', { skip: installed.failure ?? client.failure ?? false }, () => {
    const linked = join(project, 'node_modules/@kubernetes/client-node')
    before(() => {
      mkdirSync(dirname(linked), { recursive: true })
      symlinkSync(join(client.directory, 'node_modules/@kubernetes/client-node'), linked)
    })

    test('fits the types of the test harness', async () => {
      const typeRoots = [join(client.directory, 'node_modules/@types')]
      // Its own declarations need packages that it does not bring.
      for (const lib of [['es2023'], ['es2023', 'dom']])
        await check('7.0', 'client-node', [withClient], { lib, typeRoots, skipLibCheck: true })
    })
  })
}
