/** @kubernetes/client-node 1.x and 2.x with a server in the same process, on the releases of Node that each supports. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as client from '@kubernetes/client-node'
import { npmProject } from '../../support/npm-project.ts'
import { rootUrl } from '../../support/root.ts'
import { run } from '../../support/run.ts'
import { runtimeBinary } from '../../support/runtimes.ts'
import { declareClientNode } from './client-node-suite.ts'

describe('@kubernetes/client-node 1.x in-process', () => declareClientNode(client))

/** Undici, which 2.x uses, needs Node 22.19; Node runs TypeScript since 22.18. */
const runs = (node: string) => {
  const [major = 0, minor = 0] = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}
const node = [process.execPath, runtimeBinary('node24')].find((path) => path !== undefined && runs(path))
const program = `
import { describe } from 'node:test'
import * as client from '@kubernetes/client-node'
import { declareClientNode } from '${rootUrl}test/runtimes/testing/client-node-suite.ts'
describe('@kubernetes/client-node', () => declareClientNode(client))
`

for (const release of ['1', '2']) {
  const title = `@kubernetes/client-node ${release}.x in-process on Node 22.19 or newer`
  test(title, { skip: node === undefined ? 'no Node 22.19 or newer on this machine' : false, timeout: 600_000 }, async (t) => {
    const { directory, failure } = npmProject(`client-node-${release}`, { '@kubernetes/client-node': `^${release}.0.0` })
    if (failure !== undefined) return t.skip(failure)
    const file = join(directory, 'client.test.mjs')
    writeFileSync(file, program)
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
    const { code, stdout, stderr } = await run(node ?? '', ['--test', '--test-reporter=tap', file], { cwd: directory, env }, 300_000)
    assert.match(stdout, /^# pass 10\n# fail 0$/m, stdout + stderr)
    assert.equal(code, 0, 'exit status')
  })
}
