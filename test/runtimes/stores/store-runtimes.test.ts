/** The suites of the durable stores on other runtimes, run by their own test runners. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { root } from '../../support/root.ts'
import { run } from '../../support/run.ts'
import { runtimeBinary, without } from '../../support/runtimes.ts'

/** Bun and Deno run TypeScript directly. */
const source = (suite: string) => `./test/runtimes/stores/${suite}.test.ts`
const transpiled = (suite: string) => `./build/js/test/runtimes/stores/${suite}.test.js`
const runtimes = [
  {
    on: 'Node24',
    runtime: 'node24',
    file: transpiled,
    command: ['--test', '--test-reporter=tap'],
    ended: /^# pass [1-9]\d*\n# fail 0/m,
  },
  { on: 'Bun', runtime: 'bun', file: source, command: ['test', '--timeout', '60000'], ended: /^ *[1-9]\d* pass\n *0 fail/m },
  {
    on: 'Deno',
    runtime: 'deno',
    file: source,
    command: ['test', '--allow-all', '--no-check', '--no-lock'],
    ended: /^ok \| [1-9].* passed .*\| 0 failed/m,
  },
] as const

for (const { on, runtime, file, command, ended } of runtimes) {
  describe(`store on ${on}`, { skip: without(runtime), timeout: 3_600_000 }, () => {
    for (const suite of ['durable', 'log/journal', 'log/crash', 'sql']) {
      test(suite, async () => {
        // Otherwise Node would consider itself part of this test run.
        const environment = { ...process.env, NO_COLOR: '1', NODE_TEST_CONTEXT: undefined }
        const { code, stdout, stderr } = await run(
          runtimeBinary(runtime) ?? '',
          [...command, file(suite)],
          { cwd: root, env: environment },
          120_000,
        )
        assert.match(stdout + stderr, ended)
        assert.equal(code, 0, 'exit status')
      })
    }
  })
}
