/** The store suite on a Durable Object of workerd, each test in one of its own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { killedAtExit } from '../../support/child.ts'
import { freePort } from '../../support/free-port.ts'
import { root } from '../../support/root.ts'
import { runtimeBinary, without } from '../../support/runtimes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { eventually } from '../../support/wait.ts'

const config = (port: number, disk: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .suite), (name = "disk", disk = (path = ${JSON.stringify(disk)}, writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const suite :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "SUITE", durableObjectNamespace = "Suite")],
  durableObjectNamespaces = [(className = "Suite", uniqueKey = "Suite", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`

describe('store on DurableObject', { skip: without('workerd') }, () => {
  const { path: directory, remove } = temporaryDirectory('sql-worker')
  let url = ''
  let stop = async () => {}

  before(async () => {
    await build({
      absWorkingDir: root,
      entryPoints: ['test/runtimes/stores/sql-worker.ts'],
      outfile: join(directory, 'worker.js'),
      bundle: true,
      format: 'esm',
      target: 'es2023',
      external: ['node:*'],
      alias: { 'node:test': `${root}test/runtimes/stores/node-test-shim.ts` },
    })
    const port = await freePort()
    mkdirSync(join(directory, 'disk'))
    writeFileSync(join(directory, 'config.capnp'), config(port, join(directory, 'disk')))
    const child = killedAtExit(spawn(runtimeBinary('workerd') ?? '', ['serve', join(directory, 'config.capnp')], { stdio: 'inherit' }))
    const ended = once(child, 'close')
    stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
    url = `http://127.0.0.1:${port}/`
    await eventually('workerd serves', async () => (await fetch(url)).ok)
  })
  after(async () => {
    await stop()
    remove()
  })

  test('passes the store suite', async (t) => {
    const titles = (await (await fetch(url)).json()) as string[]
    assert(titles.length > 30, `${titles.length} tests`)
    for (const [at, title] of titles.entries()) {
      await t.test(title, async () => assert.equal(await (await fetch(`${url}?test=${at}`, { method: 'POST' })).text(), ''))
    }
  })
})
