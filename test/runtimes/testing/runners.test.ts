/** The harness under other test runners, each with a file that runs the same suite. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../../support/root.ts'
import { run } from '../../support/run.ts'
import { type RuntimeName, runtimeBinary, without } from '../../support/runtimes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { harnessSuite } from './suite.ts'

interface Runner {
  readonly name: string
  /** Name in the table of runtimes. */
  readonly on: string
  readonly runtime: RuntimeName
  readonly command: readonly string[]
  /** Code that imports `test`. */
  readonly header: string
  /** Output when this many tests passed and none failed. */
  readonly passed: (count: number) => RegExp
}

const runners: readonly Runner[] = [
  {
    name: 'bun test',
    on: 'Bun',
    runtime: 'bun',
    command: ['test'],
    header: `import { test } from 'bun:test'`,
    passed: (count) => new RegExp(`^ *${count} pass\\n *0 fail`, 'm'),
  },
  {
    name: 'deno test',
    on: 'Deno',
    runtime: 'deno',
    command: ['test', '-A', '--no-check', '--no-lock'],
    header: 'const { test } = Deno',
    passed: (count) => new RegExp(`ok \\| ${count} passed .*\\| 0 failed`),
  },
]
const suite = `${root}test/runtimes/testing/suite.ts`
const colourless = { ...process.env, NO_COLOR: '1' }

for (const { name, on, runtime, command, header, passed } of runners) {
  describe(`test harness on ${on}`, () => {
    test(name, { skip: without(runtime) }, async () => {
      const directory = temporaryDirectory()
      const file = join(directory.path, 'harness.test.ts')
      writeFileSync(
        file,
        `${header}\nimport { harnessSuite } from ${JSON.stringify(suite)}\nfor (const [title, run] of Object.entries(harnessSuite)) test(title, run)\n`,
      )
      try {
        const { code, stdout, stderr } = await run(runtimeBinary(runtime) ?? '', [...command, file], { cwd: root, env: colourless })
        assert.match(stdout + stderr, passed(Object.keys(harnessSuite).length))
        assert.equal(code, 0, `exit status of ${name}`)
      } finally {
        directory.remove()
      }
    })
  })
}
