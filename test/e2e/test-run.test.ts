/** The program that runs the tests. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { rootUrl } from '../support/root.ts'
import { eventually } from '../support/wait.ts'

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A process that starts a child in a group of its own, which starts another and ignores SIGTERM; resolves with the ids of both. */
async function startFamily(t: TestContext) {
  const grandchild = `setInterval(() => {}, 1000)`
  const child = `
    process.on('SIGTERM', () => {})
    const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}])
    console.log(process.pid + ' ' + pid)`
  const parent = `
    import { endGroupsWithProcess, startGroup } from '${rootUrl}test/support/children.mjs'
    endGroupsWithProcess()
    startGroup(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })`
  const started = spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => started.kill('SIGKILL'))
  const [line] = (await once(started.stdout, 'data')) as [Buffer]
  return { started, family: line.toString().trim().split(' ').map(Number) }
}

for (const [signal, status] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  test(`${signal} ends everything that a test run has started`, async (t) => {
    const { started, family } = await startFamily(t)
    assert.deepEqual(family.map(runs), [true, true])
    started.kill(signal)
    assert.deepEqual(await once(started, 'exit'), [status, null])
    await eventually('the end of both', async () => !family.some(runs))
  })
}

test('skipped tests are listed with their names, once per reason', async () => {
  const { skippedLines } = (await import(`${rootUrl}test/support/progress.mjs`)) as typeof import('../support/progress.mjs')
  const many = Array.from({ length: 22 }, (_, index) => `t${index}`)
  const lines = skippedLines([
    ['no etcd', ['a']],
    ['no kubectl', many],
    ['no etcd', ['b']],
  ])
  assert.deepEqual(lines.slice(0, 3), ['skipped 2: no etcd', '      a', '      b'])
  assert.deepEqual([lines.length, lines[3], lines.at(-1)], [25, 'skipped 22: no kubectl', '      and 2 more'])
})

test('a test run prints counts while it lasts', async (t) => {
  const { createProgress } = (await import(`${rootUrl}test/support/progress.mjs`)) as typeof import('../support/progress.mjs')
  t.mock.timers.enable({ apis: ['setInterval'] })
  const lines: string[] = []
  const progress = createProgress(9, (line) => void lines.push(line))
  progress.update(1, { passed: 3, failed: 0, files: 1 })
  progress.update(2, { passed: 4, failed: 1, files: 2 })
  t.mock.timers.tick(20_000)
  progress.update(1, { passed: 5, failed: 0, files: 2 })
  t.mock.timers.tick(10_000)
  progress.stop()
  t.mock.timers.tick(10_000)
  assert.deepEqual(
    lines.map((line) => line.replace(/^ +\d+ s: /, '')),
    ['3 of 9 files done: 7 passed, 1 failed so far', '4 of 9 files done: 9 passed, 1 failed so far'],
  )
})
