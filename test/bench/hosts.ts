/**
 * `npm run bench:hosts`: many servers in one process (`apiserver hosts`), over HTTP, in processor time of that process and in elapsed time (medians),
 * and their memory. `SERVERS=N` sets how many; default 10,000.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOf, filesIn } from '../runtimes/node/hosts/support.ts'
import { killedAtExit } from '../support/child.ts'
import { bundle } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const count = Number(process.env['SERVERS'] ?? 10_000)
const [active, concurrency, requests] = [Math.min(1_000, count), 16, 4_000]
const list = '/hosts/v1/servers'

const probe = new URL('probe.mjs', import.meta.url).href

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const row = (...cells: readonly (string | number)[]) =>
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell)).join(' | ')} |`)

const definition = (at: number) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `kind${at}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `kind${at}s`, kind: `Kind${at}` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: Object.fromEntries(
                  Array.from({ length: 20 }, (_, field) => [`field${field}`, { type: 'string', maxLength: 100 }]),
                ),
              },
            },
          },
        },
      },
    ],
  },
})

async function start(directory: string, ...flags: readonly string[]) {
  const argv = ['--expose-gc', '--import', probe, bundle, 'hosts', '--secure-port=0', ...filesIn(directory), ...flags]
  const child = killedAtExit(spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }))
  const url = await new Promise<string>((resolve, reject) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
      const [, found] = /serving on (\S+);/.exec(log) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(log)))
  })
  const client = clientOf(url, directory)
  const { pid } = child
  return {
    ...client,
    /** Milliseconds of processor time so far. */
    processor() {
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      const fields = rest.split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    mebibytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    /** Of the heap after a collection. */
    async heap() {
      const told = once(child, 'message')
      child.send('memory')
      const [{ heapUsed }] = (await told) as [{ readonly heapUsed: number }]
      return heapUsed / 1024 / 1024
    },
    files: () => readdirSync(`/proc/${pid}/fd`).length,
    async ask(method: string, path: string, body?: unknown, options?: { token?: string }) {
      const answer = await client.ask(method, path, body, options)
      if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
      return answer
    },
    async stop() {
      client.close()
      child.kill()
      await once(child, 'close')
    },
  }
}

type Process = Awaited<ReturnType<typeof start>>

/** Elapsed and processor milliseconds of each of `count` calls, one after the other. */
async function each(
  here: Process,
  count: number,
  call: (at: number) => Promise<unknown>,
): Promise<readonly [elapsed: number, processor: number]> {
  const times: number[] = []
  const before = here.processor()
  for (let at = 0; at < count; at++) {
    const began = performance.now()
    await call(at)
    times.push(performance.now() - began)
  }
  return [median(times), (here.processor() - before) / count]
}

/** Requests per second of processor time. */
async function rate(here: Process, paths: readonly string[], tokens: readonly string[]): Promise<number> {
  const before = here.processor()
  let next = 0
  const client = async () => {
    for (let at = next++; at < requests; at = next++)
      await here.ask('GET', paths[at % paths.length] ?? '', undefined, { token: tokens[at % tokens.length] ?? '' })
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return (requests / (here.processor() - before)) * 1000
}

const path = (name: string) => `/servers/${name}/api/v1/namespaces/default`
const tokenOf = async (here: Process, name: string) => (await here.kubeconfig(name)).token

async function measure(kind: string, flags: readonly string[], servers: number): Promise<void> {
  const temporary = temporaryDirectory('bench-hosts')
  const here = await start(
    temporary.path,
    '--max-servers=100000',
    '--idle-timeout=10m',
    ...flags.map((flag) => flag.replace('DIR', temporary.path)),
  )
  try {
    await here.ask('POST', list, { name: 'warm' })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await each(here, 20, (at) => here.ask('POST', list, { name: `warm-${at}` }))
    row(`${kind}: create`, ...(await each(here, 100, (at) => here.ask('POST', list, { name: `created-${at}` }))), '5')
    await here.ask('POST', list, { name: 'template', manifests: Array.from({ length: 20 }, (_, at) => definition(at)) })
    // Controllers have no work left.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const fork = (prefix: string) => (at: number) => here.ask('POST', `${list}/template/fork`, { name: `${prefix}-${at}` })
    await each(here, 20, fork('first'))
    const [memory, files, heap] = [here.mebibytes(), here.files(), await here.heap()]
    row(`${kind}: fork of one with 20 definitions`, ...(await each(here, servers, fork('fork'))), '3')
    row(`${kind}: memory of the process with ${servers} idle servers, MiB`, here.mebibytes(), '', '1229')
    row(`${kind}: … more than before, MiB; open files more`, here.mebibytes() - memory, here.files() - files, '')
    const several = Math.min(active, servers)
    const tokens: string[] = []
    for (let at = 0; at < several; at++) tokens.push(await tokenOf(here, `fork-${at}`))
    const ask = (at: number) => here.ask('GET', path(`fork-${at}`), undefined, { token: tokens[at] ?? '' })
    row(`${kind}: first request of an idle one`, ...(await each(here, several, ask)), '20')
    row(`${kind}: memory with ${several} active ones, MiB`, here.mebibytes(), '', '')
    const paths = tokens.map((_, at) => path(`fork-${at}`))
    const ratios: number[] = []
    for (let round = 0; round < 5; round++) {
      const one = await rate(here, paths.slice(0, 1), tokens.slice(0, 1))
      ratios.push((await rate(here, paths, tokens)) / one)
    }
    row(`${kind}: requests to ${several} active ones, ratio to one`, median(ratios), '', '0.9')
    row(`${kind}: delete`, ...(await each(here, servers, (at) => here.ask('DELETE', `${list}/fork-${at}`))), '')
    row(`${kind}: memory after that, MiB; open files more than before`, here.mebibytes(), here.files() - files, '')
    row(`${kind}: objects of the heap, MiB: before; after`, heap, await here.heap(), '')
    await each(here, servers, fork('again'))
    row(`${kind}: memory after as many forks again, MiB`, here.mebibytes(), '', '')
  } finally {
    await here.stop()
    temporary.remove()
  }
}

console.log('| | elapsed, ms | processor time, ms | aim |\n| --- | --- | --- | --- |')
await measure('in memory', [], count)
await measure('with a data directory', [`--data-dir=${join('DIR', 'data')}`], Math.min(count, 1_000))
