/** Runs the programs of wrangler-free-examples/ in an empty project with the package, as their first comments say. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { apiOf, configMap } from '../support/api.ts'
import type { Command } from '../support/daemon.ts'
import { type PlainAccess, startPlain } from '../support/plain-server.ts'
import { root, rootUrl } from '../support/root.ts'
import { run } from '../support/run.ts'
import { runtimeBinary, without } from '../support/runtimes.ts'
import { watchAt } from '../support/watch-reader.ts'

const example = (name: string) => `wrangler-free-examples/${name}.ts`
const loader = `${rootUrl}node_modules/tsx/dist/loader.mjs`
const onNode = (name: string): Command => [process.execPath, '--import', loader, example(name)]
const deno = (): Command => [runtimeBinary('deno') ?? '', 'run', '-A', '--no-lock']
const collection = '/api/v1/namespaces/default/configmaps'

interface Server {
  readonly name: string
  readonly skip: string | false
  readonly command: () => Command
  readonly access?: PlainAccess
}

const servers: readonly Server[] = [
  { name: 'node-http', skip: false, command: () => onNode('node-http') },
  { name: 'bun-serve', skip: without('bun'), command: () => [runtimeBinary('bun') ?? '', example('bun-serve')] },
  {
    name: 'bun-serve with a database',
    skip: without('bun'),
    command: () => [runtimeBinary('bun') ?? '', example('bun-serve'), 'bun.db'],
  },
  {
    name: 'deno-serve',
    skip: without('deno'),
    command: () => [...deno(), example('deno-serve')],
  },
  {
    name: 'deno-serve with a database',
    skip: without('deno'),
    command: () => [...deno(), example('deno-serve'), 'deno.db'],
  },
  { name: 'workerd-run', skip: without('workerd'), command: () => onNode('workerd-run') },
  {
    name: 'durable-object',
    skip: without('workerd'),
    command: () => [...onNode('workerd-run'), '--disk', '.clusters', example('durable-object')],
    access: { base: '/clusters/team-a', token: 'demo' },
  },
]

/** Declares the tests, which run in the project. */
export function examples(project: string): void {
  test('each example says what to install, and how to run it', () => {
    const files = readdirSync(`${root}wrangler-free-examples`, { recursive: true, encoding: 'utf8' })
    // Of an example with several files, this one is the program.
    const programs = files.filter((name) => name.endsWith('.ts') && (!name.includes('/') || name.endsWith('/run.ts')))
    for (const name of programs) {
      const text = readFileSync(`${root}wrangler-free-examples/${name}`, 'utf8')
      assert.match(text, /^ \* Needs: npm install .*\n \* Run it: /m, name)
    }
  })

  test('without its tools, workerd-run says in one line what to install', async () => {
    const [program, ...args] = onNode('workerd-run')
    const { code, stderr } = await run(program, args, { cwd: project })
    assert.equal(stderr, 'error: esbuild is not installed: npm install --save-dev esbuild workerd\n')
    assert.equal(code, 1, 'exit status')
  })

  describe('examples', () => {
    // Tools for the worker's runner, which the package does not contain.
    for (const tool of ['esbuild', '@esbuild', 'workerd', '@cloudflare'])
      before(() => symlinkSync(`${root}node_modules/${tool}`, `${project}/node_modules/${tool}`))
    for (const { name, skip, command, access } of servers) {
      test(name, { skip, timeout: 3_600_000 }, async () => {
        const { fetch, output, close } = await startPlain(command(), project, access)
        try {
          // Bun sends response headers only together with the first bytes of the body.
          const watching = watchAt(fetch, collection, { fieldSelector: 'metadata.name=a' })
          await apiOf(fetch).create(collection, configMap('a', { k: 'v' }))
          const watch = await watching
          assert.equal((await watch.object()).type, 'ADDED', 'the watch sees it')
          await watch.close()
          assert.doesNotMatch(output(), /warn|legacy/i)
        } finally {
          await close()
        }
      })
    }

    const programs = {
      embedded: /^201 [\s\S]*\n200 \d config maps/,
      harness: /after the delete: 404\nafter the restore: 200\nevent two hours later: 404/,
    }
    for (const [name, output] of Object.entries(programs)) {
      test(name, async () => {
        const [program, ...args] = onNode(name)
        const { code, stdout, stderr } = await run(program, args, { cwd: project })
        assert.match(stdout, output, stderr)
        assert.equal(code, 0, 'exit status')
      })
    }
  })
}
