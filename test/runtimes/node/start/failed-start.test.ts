/** A start that fails at one of its steps leaves nothing: no port, claim, socket, timer or watched file. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseFlags } from '../../../../core/flags/parse.ts'
import { start } from '../../../../runtimes/node/start/daemon.ts'
import { Opened } from '../../../../runtimes/node/start/opened.ts'
import { takeOwnership } from '../../../../runtimes/stores/log/owner.ts'
import { freePort, isFree } from '../../../support/free-port.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually, within } from '../../../support/wait.ts'

const tokens = 't,joe,1\n'
const policy = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n'
const tracing = 'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: 127.0.0.1:1\n'

const makeDirectory = (path: string, name: string) => {
  mkdirSync(join(path, name))
  return join(path, name)
}

/** Steps in their order, with flags that make them fail, and the error. */
const steps: {
  readonly [step: string]: (path: string, port: number) => Promise<readonly [flags: readonly string[], error: RegExp, undo?: () => unknown]>
} = {
  'the audit log': async (path) => [[`--audit-log-path=${join(path, 'file', 'audit.log')}`], /^--audit-log-path: /],
  'the port': async (_path, port) => {
    const other = createServer().listen(port, '127.0.0.1').unref()
    await new Promise((resolve) => other.once('listening', resolve))
    return [[], /^--secure-port: port \d+ of 127\.0\.0\.1 is in use/, () => other.close()]
  },
  'the debug socket': async (path) => [[`--debug-socket-path=${join(path, 'file', 'socket')}`], /^--debug-socket-path: /],
  'the store': async (path) => {
    const owner = await takeOwnership(makeDirectory(path, 'data'))
    return [['--storage-initialization-timeout=10ms'], /^--data-dir: .*in use by process/, () => owner.release()]
  },
  'the kubeconfig': async (path) => [[`--write-kubeconfig=${join(path, 'file', 'kubeconfig')}`], /^--write-kubeconfig: /],
}

/** What keeps a process running, and what it watches. */
const active = () =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => !['Timeout', 'Immediate', 'FSReqPromise', 'CloseReq'].includes(kind))
    .sort()

const before = active()

for (const [step, flagsOf] of Object.entries(steps))
  test(`a start that fails at ${step} leaves nothing`, async (t) => {
    const { path, remove } = temporaryDirectory('failed-start')
    t.after(remove)
    const write = (name: string, text: string) => {
      writeFileSync(join(path, name), text)
      return join(path, name)
    }
    write('file', '')
    const port = await freePort()
    const [flags, error, undo] = await flagsOf(path, port)
    const argv = [
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(path, 'pki')}`,
      `--data-dir=${join(path, 'data')}`,
      `--token-auth-file=${write('tokens.csv', tokens)}`,
      `--audit-policy-file=${write('policy.yaml', policy)}`,
      `--audit-log-path=${join(path, 'audit.log')}`,
      `--tracing-config-file=${write('tracing.yaml', tracing)}`,
      `--debug-socket-path=${join(path, 'socket')}`,
      ...flags,
    ]
    await assert.rejects(within('the error', start(parseFlags(argv, 'apiserver'), new AbortController().signal)), { message: error })
    await undo?.()
    await eventually('nothing is left', async () => active().length <= before.length)
    assert.deepEqual(active(), before)
    assert.equal(await isFree(port), true)
    for (const directory of ['pki', 'data']) {
      const left = existsSync(join(path, directory)) ? readdirSync(join(path, directory)) : []
      assert.deepEqual(
        left.filter((name) => /^(owner|certificates|writer)\./.test(name)),
        [],
        directory,
      )
    }
  })

test('what was opened is closed in the opposite order, once, whatever fails', async () => {
  const opened = new Opened()
  const closed: string[] = []
  opened.add(() => void closed.push('first'))
  opened.add(async () => {
    throw new Error('the second does not close')
  })
  opened.add(async () => void closed.push('third'))
  await assert.rejects(opened.close(), { message: 'the second does not close' })
  assert.deepEqual(closed, ['third', 'first'])
  await opened.close()
  assert.deepEqual(closed, ['third', 'first'])
})
