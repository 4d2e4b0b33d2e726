/** Runs what the testing guide shows, in an empty project with the package. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { npmProject } from '../support/npm-project.ts'
import { blocksOf } from '../support/page.ts'
import { run } from '../support/run.ts'
import { runtimeBinary, without } from '../support/runtimes.ts'

/** The snippets by the names in their first lines. */
const snippets = blocksOf('runtimes/testing/GUIDE.md')
  .filter(({ language }) => language !== 'sh')
  .map(({ text }) => [/^(?:\/\/|#) (\S+)$/m.exec(text)?.[1] ?? '', text] as const)
const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' }
/** A Python that has the client and pytest. */
const python = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', 'import kubernetes, pytest']).status === 0)

/** What runs the snippets whose names end so. */
interface Runner {
  readonly suffix: string
  readonly skip: string | false
  readonly passed: RegExp
  command(file: string): readonly [program: string, ...args: string[]]
}

/** Declares the tests, which run in the project. */
export function guide(project: string): void {
  const vitest = npmProject('vitest', { vitest: '^4.0.0' })
  /** The longest suffix first. */
  const runners: readonly Runner[] = [
    {
      suffix: '.vitest.test.js',
      skip: vitest.failure ?? false,
      passed: /Tests +1 passed/,
      command: (file) => [process.execPath, join(vitest.directory, 'node_modules/vitest/vitest.mjs'), 'run', file],
    },
    {
      suffix: '.bun.test.js',
      skip: without('bun'),
      passed: /^ *1 pass\n *0 fail/m,
      command: (file) => [runtimeBinary('bun') ?? '', 'test', `./${file}`],
    },
    {
      suffix: '.deno.test.js',
      skip: without('deno'),
      passed: /ok \| 1 passed .*\| 0 failed/,
      command: (file) => [runtimeBinary('deno') ?? '', 'test', '--allow-all', '--no-lock', file],
    },
    {
      suffix: '.test.js',
      skip: false,
      passed: /^# pass [1-9]\d*\n# fail 0$/m,
      command: (file) => [process.execPath, '--test', '--test-reporter=tap', file],
    },
    {
      suffix: '.py',
      skip: python ? false : 'no Python with the packages kubernetes and pytest on this machine',
      passed: /^=+ 1 passed/m,
      command: (file) => [join(project, 'node_modules/.bin/apiserver'), 'run', '--', python ?? '', '-m', 'pytest', file],
    },
  ]

  describe('the testing guide', () => {
    before(() => {
      if (vitest.failure === undefined) symlinkSync(join(vitest.directory, 'node_modules/vitest'), join(project, 'node_modules/vitest'))
      for (const [file, text] of snippets) writeFileSync(join(project, file), text)
    })

    for (const [file] of snippets) {
      const runner = runners.find(({ suffix }) => file.endsWith(suffix))
      test(file, { skip: runner?.skip ?? false, timeout: 600_000 }, async () => {
        assert(runner, 'the first line of each snippet is the name of a file')
        const [program, ...args] = runner.command(file)
        const { code, stdout, stderr } = await run(program, args, { cwd: project, env }, 300_000)
        assert.match(stdout + stderr, runner.passed)
        assert.equal(code, 0, 'exit status')
      })
    }
  })
}
