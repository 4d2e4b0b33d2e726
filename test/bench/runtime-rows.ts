/** Rows for the runtimes: start time and memory of the daemon, and round trips of an in-process server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimeBinary } from '../../runtimes/locate.ts'
import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { residentMemory } from './daemon.ts'
import type { Row } from './row.ts'

const executable = 'build/apiserver'
const rounds = 5

/** Whether the daemon answers `/readyz` with 200. */
function ready(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.on('error', () => resolve(false))
    sent.end()
  })
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Milliseconds from exec to the first 200, and resident MiB at that time. The first start, which creates certificates, is not counted. */
async function starts([program = '', ...args]: readonly string[], port: number): Promise<{ milliseconds: number; memory: number }> {
  const home = mkdtempSync(join(tmpdir(), 'apiserver-bench-'))
  const flags = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--data-dir=${home}/data`, `--cert-dir=${home}/pki`]
  const seen: { milliseconds: number; memory: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now()
    const child = spawn(program, [...args, ...flags, '--authorization-mode=Node,RBAC'], { stdio: 'ignore' })
    while (!(await ready(port))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with status ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    seen.push({ milliseconds: performance.now() - began, memory: residentMemory(child.pid ?? 0) })
    await end(child)
  }
  rmSync(home, { recursive: true, force: true })
  const [median] = seen
    .slice(1)
    .toSorted((a, b) => a.milliseconds - b.milliseconds)
    .slice(rounds >> 1)
  return median ?? { milliseconds: Number.NaN, memory: Number.NaN }
}

/** Creates and reads config maps sequentially for this many seconds; round trips per second. */
async function inProcess(seconds: number): Promise<number> {
  const server = await createApiServer({ store: memoryStore() })
  const url = 'http://in.process/api/v1/namespaces/default/configmaps'
  const headers = { 'content-type': 'application/json' }
  let count = 0
  const began = performance.now()
  for (; performance.now() - began < seconds * 1000; count++) {
    const body = JSON.stringify({ metadata: { name: `object-${count}` }, data: { text: 'x'.repeat(700) } })
    const created = await server.fetch(new Request(url, { method: 'POST', headers, body }))
    await created.text()
    const read = await server.fetch(new Request(`${url}/object-${count}`))
    await read.text()
    if (created.status !== 201 || read.status !== 200) throw new Error(`create ${created.status}, get ${read.status}`)
  }
  const rate = (count * 1000) / (performance.now() - began)
  await server.close()
  return rate
}

/** Rows for the runtimes on this machine; the executable is included once `npm run build:binary` has built it. */
export async function runtimeRows(_compare: unknown, seconds: number, port: number): Promise<Row[]> {
  const deno = runtimeBinary('deno')
  const daemons: readonly { readonly name: string; readonly command: readonly string[]; readonly aim: string }[] = [
    { name: 'Node', command: [process.execPath, 'dist/bin/bin.js'], aim: '< 200 ms' },
    ...(existsSync(executable) ? [{ name: 'Bun executable', command: [executable], aim: '< 100 ms' }] : []),
    ...(deno ? [{ name: 'Deno', command: [deno, 'run', '--allow-all', '--no-lock', 'dist/bin/bin.js'], aim: '' }] : []),
  ]
  const rows: Row[] = []
  for (const [index, { name, command, aim }] of daemons.entries()) {
    const { milliseconds, memory } = await starts(command, port + index)
    rows.push({ name: `${name}: exec to ready`, ours: `${milliseconds.toFixed(0)} ms`, limit: '', aim })
    rows.push({ name: `${name}: memory when ready`, ours: `${memory.toFixed(0)} MiB`, limit: '', aim: '≤ 90 MiB' })
  }
  const rate = await inProcess(seconds)
  rows.push({ name: 'in-process create and get', ours: `${Math.round(rate).toLocaleString('en')}/s`, limit: '', aim: '' })
  return rows
}
