/** The harness under other test runners, each with a file that runs the same suite. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../../support/root.ts'
import { run } from '../../support/run.ts'
import { type RuntimeName, runtimeBinary, without } from '../../support/runtimes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { faultSuite } from './fault-suite.ts'
import { harnessSuite } from './suite.ts'
import { webhookSuite } from './webhook-suite.ts'

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
    // Milliseconds for a test; the default of five seconds is too short on a busy machine.
    command: ['test', '--timeout=120000'],
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
/** The suites, by name, each with its file. */
const suites = { harnessSuite: 'suite.ts', webhookSuite: 'webhook-suite.ts', faultSuite: 'fault-suite.ts' }
const imports = Object.entries(suites).map(
  ([name, file]) => `import { ${name} } from ${JSON.stringify(`${root}test/runtimes/testing/${file}`)}`,
)
const declared = `for (const [title, run] of Object.entries({ ${Object.keys(suites)
  .map((name) => `...${name}`)
  .join(', ')} })) test(title, run)`
const count = Object.keys({ ...harnessSuite, ...webhookSuite, ...faultSuite }).length
const colourless = { ...process.env, NO_COLOR: '1' }

for (const { name, on, runtime, command, header, passed } of runners) {
  describe(`test harness on ${on}`, () => {
    test(name, { skip: without(runtime) }, async () => {
      const directory = temporaryDirectory()
      const file = join(directory.path, 'harness.test.ts')
      writeFileSync(file, [header, ...imports, declared, ''].join('\n'))
      try {
        const { code, stdout, stderr } = await run(runtimeBinary(runtime) ?? '', [...command, file], { cwd: root, env: colourless })
        assert.match(stdout + stderr, passed(count))
        assert.equal(code, 0, `exit status of ${name}`)
      } finally {
        directory.remove()
      }
    })
  })
}
