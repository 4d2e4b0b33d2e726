/** The durable store's own suites under other runtimes, whose test runners take them as they are. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { root } from '../../support/root.ts'
import { run } from '../../support/run.ts'
import { runtimeBinary, without } from '../../support/runtimes.ts'

const runtimes = [
  { on: 'Bun', runtime: 'bun', command: ['test', '--timeout', '60000'], ended: /^ *[1-9]\d* pass\n *0 fail/m },
  {
    on: 'Deno',
    runtime: 'deno',
    command: ['test', '--allow-all', '--no-check', '--no-lock'],
    ended: /^ok \| [1-9].* passed .*\| 0 failed/m,
  },
] as const

for (const { on, runtime, command, ended } of runtimes) {
  describe(`store on ${on}`, { skip: without(runtime), timeout: 180_000 }, () => {
    for (const suite of ['durable', 'journal', 'crash']) {
      test(suite, async () => {
        const file = `./test/runtimes/stores/${suite}.test.ts`
        const environment = { ...process.env, NO_COLOR: '1' }
        const { code, stdout, stderr } = await run(
          runtimeBinary(runtime) ?? '',
          [...command, file],
          { cwd: root, env: environment },
          120_000,
        )
        assert.match(stdout + stderr, ended)
        assert.equal(code, 0, 'exit status')
      })
    }
  })
}
