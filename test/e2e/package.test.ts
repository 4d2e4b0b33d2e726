/** The package as npm would publish it, in an empty project. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { slowness } from '../support/cost.ts'
import { blockBelow } from '../support/page.ts'
import { root, rootUrl } from '../support/root.ts'
import { run } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { compilers, typed } from './compilers.ts'
import { editors } from './editors.ts'
import { examples } from './examples.ts'
import { guide } from './guide.ts'
import { strictProject } from './strict-project.ts'
import { kindsAreTyped } from './typed-kinds.ts'

/** This Node, and those in the variable NODES, separated as in PATH. */
const nodes = [process.execPath, ...(process.env['NODES'] ?? '').split(delimiter).filter((path) => path !== '')]

const program = `
import { createApiServer, memoryStore } from 'fetch-apiserver'
import { StoreError } from 'fetch-apiserver'
import { listen, nodeClock, openDurableStore } from 'fetch-apiserver/node'
import { startTestServer } from 'fetch-apiserver/testing'
const api = await createApiServer({ store: memoryStore() })
console.log((await api.fetch(new Request('http://x/readyz'))).status)
await api.close()
const server = await startTestServer()
const fork = await server.fork()
console.log((await fork.fetch('/api/v1/namespaces/default')).status)
await Promise.all([server.close(), fork.close()])
console.log([typeof listen, typeof nodeClock.now, typeof openDurableStore, new StoreError('timeout', 'x') instanceof Error].join())
`
const storeSuite = `
import { memoryStore } from 'fetch-apiserver'
import { storeConformance } from 'fetch-apiserver/testing/store'
storeConformance('mine', async () => {
  const store = memoryStore()
  return { store, close: () => store.close() }
}, 3)
`

/** What git has of the checkout, or would add to it, as in a clone. */
function copyCheckout(to: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const path of files.split('\0')) if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(to, path))
}

/** Total size of all files below a directory, in bytes. */
function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

const { processorTime } = (await import(`${rootUrl}test/support/usage.mjs`)) as typeof import('../support/usage.mjs')

describe('the package', { timeout: 3_600_000 }, () => {
  const { path: directory, remove } = temporaryDirectory()
  const project = join(directory, 'project')
  /** npm as a user has it, but quiet and from its cache. */
  const environment = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: process.env['APISERVER_TEST_NPM_CA_CERTS'],
    npm_config_audit: 'false',
    npm_config_prefer_offline: 'true',
  }

  let installed = ''
  let told = ''
  before(async () => {
    copyCheckout(join(directory, 'apiserver'))
    const { code, stdout, stderr } = await run(
      'sh',
      ['-ec', blockBelow('README.md', 'Install')],
      { cwd: directory, env: environment },
      900_000,
    )
    assert.equal(code, 0, stdout + stderr)
    installed = stdout
    told = stdout + stderr
    writeFileSync(join(project, 'program.js'), program)
    writeFileSync(join(project, 'typed.ts'), typed)
    cpSync(join(root, 'wrangler-free-examples'), join(project, 'wrangler-free-examples'), { recursive: true })
  })
  after(remove)

  for (const node of nodes) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    test(`imports work under Node ${version}`, async () => {
      const { code, stdout, stderr } = await run(node, ['program.js'], { cwd: project })
      assert.equal(stdout, '200\n200\nfunction,function,function,true\n', stderr)
      assert.equal(code, 0, 'exit status')
    })

    test(`the program works under Node ${version}`, async () => {
      const { code, stdout, stderr } = await run(node, ['node_modules/.bin/apiserver', '--version'], { cwd: project })
      assert.match(stdout, /^Platform v1\.36/, stderr)
      assert.equal(code, 0, 'exit status')
    })
  }

  test("README's commands install it in an empty folder, and npx finds the program", () => {
    assert.match(installed, /^Platform v1\.36\S*\n$/m)
  })

  test('it is built once, and says so', () => {
    const built = ['modules and their declarations into dist', 'the server into dist/bin'].map((each) => `building ${each}`)
    assert.deepEqual(told.match(/^building .*$/gm), built)
  })

  test('the first test server copies a state that was made by the build', () => {
    const modules = readdirSync(join(project, 'node_modules/fetch-apiserver/dist'), { recursive: true, withFileTypes: true })
    const texts = modules
      .filter(({ name }) => name.endsWith('.js'))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    assert.equal(texts.filter((text) => text.includes('/registry/servicecidrs/kubernetes')).length, 1)
  })

  test('its pages have no links to files that it does not carry', () => {
    const own = join(project, 'node_modules/fetch-apiserver')
    const pages = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    assert.ok(pages.includes('README.md'))
    for (const page of pages)
      for (const [, target = ''] of readFileSync(join(own, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g))
        if (!/^(\w+:|#)/.test(target)) assert.ok(existsSync(join(own, dirname(page), target.replace(/#.*/, ''))), `${page}: ${target}`)
    assert.equal(readFileSync(join(directory, 'apiserver/README.md'), 'utf8'), readFileSync(join(root, 'README.md'), 'utf8'), 'as before')
  })

  /** Checks a file in the strict project; returns seconds of processor time, and the numbers that the compiler prints. */
  function check(file: string): { readonly seconds: number; readonly numbers: string } {
    const config = `tsconfig.${file}.json`
    writeFileSync(join(project, config), JSON.stringify({ compilerOptions: strictProject, files: [file] }))
    const before = processorTime().children
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, ['-p', config, '--diagnostics'], { cwd: project, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    return { seconds: (processorTime().children - before) / 1000, numbers: stdout }
  }

  test('the types of all entries pass a strict check that includes declarations, within 2 s', async (t) => {
    writeFileSync(join(project, 'empty.ts'), 'export {}\n')
    const took: string[] = []
    // Three looks: the compiler has many threads, which take more processor time beside other processes.
    for (let looks = 0; looks < 3; looks++) {
      const nothing = check('empty.ts')
      const all = check('typed.ts')
      took.push(`${all.seconds.toFixed(1)} s of processor time, of which an empty program takes ${nothing.seconds.toFixed(1)} s`)
      t.diagnostic(`${took.at(-1)}\n${all.numbers}`)
      if (all.seconds - nothing.seconds < 2 * (await slowness())) return
    }
    assert.fail(took.join('; '))
  })

  test('a wrong option is a type error', () => {
    writeFileSync(join(project, 'wrong.ts'), `${typed}export const wrong = startTestServer({ authorizationModes: 'RBAC' })\n`)
    assert.throws(() => check('wrong.ts'), /wrong\.ts\(\d+,\d+\): error TS2322/)
  })

  test('options are described where editors look, with unit and default', () => {
    const types = readFileSync(join(project, 'node_modules/fetch-apiserver/dist/types/core/options/traffic.d.ts'), 'utf8')
    assert.match(types, /\/\*\* Timeout of requests [^*]* In milliseconds\. Default 60,000\. \*\/\n +requestTimeout:/)
  })

  compilers(project)

  kindsAreTyped(project)

  editors(project)

  /** The text of a module and of all that it loads from the package, at once or later. */
  function loaded(path: string, seen = new Map<string, string>()): string {
    if (!seen.has(path)) {
      const text = readFileSync(path, 'utf8')
      seen.set(path, text)
      for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) loaded(join(path, '..', imported), seen)
    }
    return [...seen.values()].join('\n')
  }

  test('what programs import has no table of flags', () => {
    const dist = join(project, 'node_modules/fetch-apiserver/dist')
    assert.match(readFileSync(join(dist, 'bin/server.js'), 'utf8'), /audit-log-path/, 'the daemon has one')
    assert.doesNotMatch(readFileSync(join(dist, 'bin/etcd.js'), 'utf8'), /audit-log-path/, 'etcd is loaded without the daemon')
    for (const entry of ['index.js', 'core.js', 'testing.js']) {
      const text = loaded(join(dist, entry))
      assert.match(text, /requestTimeout/)
      assert.doesNotMatch(text, /audit-log-path|service-account-key-file/, entry)
    }
  })

  test('an error shows a line of code, not kilobytes', () => {
    const dist = join(project, 'node_modules/fetch-apiserver/dist')
    for (const entry of ['index.js', 'core.js', 'node.js', 'testing.js', 'testing-store.js'])
      for (const line of loaded(join(dist, entry)).split('\n'))
        assert(line.length < 1_500, `${entry}: ${line.length} characters: ${line.slice(0, 80)}`)
  })

  test('the store suite runs for stores of users', async () => {
    symlinkSync(`${root}node_modules/fast-check`, join(project, 'node_modules/fast-check'))
    symlinkSync(`${root}node_modules/pure-rand`, join(project, 'node_modules/pure-rand'))
    writeFileSync(join(project, 'store.test.js'), storeSuite)
    const environment = { ...process.env, NODE_TEST_CONTEXT: undefined }
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'store.test.js'], { cwd: project, env: environment })
    assert.match(stdout, /^# pass [1-9]\d+\n# fail 0/m)
  })

  examples(project)

  guide(project)

  test('contains no build tools, and stays within its size limit', (t) => {
    const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object }
    const names = Object.keys(packages).filter((path) => path !== '')
    const megabytes = sizeOf(join(project, 'node_modules')) / 2 ** 20
    t.diagnostic(`${names.length} packages, ${megabytes.toFixed(1)} MiB`)
    for (const tool of ['typescript', 'esbuild', 'tsx', '@kubernetes/client-node'])
      assert(!names.includes(`node_modules/${tool}`), `${tool} is not needed at run time`)
    assert(names.length < 90, `${names.length} packages`)
    assert(megabytes < 80, `${megabytes} MiB`)
  })

  test('is at most 7 MB in 310 files, beside the types of all kinds, and names its home', (t) => {
    const own = join(project, 'node_modules/fetch-apiserver')
    const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const kinds = statSync(join(own, 'dist/types/runtimes/testing/kinds.d.ts')).size / 1e6
    const megabytes = sizeOf(own) / 1e6 - kinds
    t.diagnostic(`${files.length} files, ${megabytes.toFixed(2)} MB and ${kinds.toFixed(2)} MB of types of kinds`)
    assert(megabytes <= 7, `${megabytes} MB`)
    assert(kinds <= 0.5, `${kinds} MB`)
    assert(files.length <= 310, `${files.length} files`)
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { [field: string]: unknown }
    for (const field of ['keywords', 'sideEffects', 'license', 'engines']) assert(field in manifest, field)
  })
})
