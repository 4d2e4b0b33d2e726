import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { killedAtExit } from '../../support/child.ts'
import { nodeArguments } from '../../support/root.ts'
import { trials } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

/** A process that prepares the certificates of directories. */
function startProcess(t: TestContext): (directory?: string) => Promise<string> {
  const arguments_ = nodeArguments(new URL('./certificates-child.ts', import.meta.url))
  const child = killedAtExit(spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] }))
  t.after(() => child.kill())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async (directory) => {
    if (directory !== undefined) child.stdin.write(`${directory}\n`)
    return (await lines.next()).value ?? 'ended'
  }
}

test('processes that start at once with one --cert-dir serve the same certificate', async (t) => {
  const temporary = temporaryDirectory()
  t.after(temporary.remove)
  const processes = Array.from({ length: 3 }, () => startProcess(t))
  for (const each of processes) assert.equal(await each(), 'ready')
  for (let round = 0; round < trials(20, 500); round++) {
    const directory = join(temporary.path, String(round))
    mkdirSync(directory)
    const answers = await Promise.all(processes.map((each) => each(directory)))
    assert.match(answers[0] ?? '', /^[0-9A-F]+$/)
    assert.deepEqual(new Set(answers).size, 1, answers.join(', '))
  }
})
