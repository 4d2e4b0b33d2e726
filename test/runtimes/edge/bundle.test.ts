/** What a worker's bundle has: edge runtimes bound its size, and the time in which its global scope runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from '../../support/root.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

/** Bytes, compressed. */
const maxSize = 700_000
/** Bytes of the heap that are used when a module has been loaded, in addition to what Node needs. */
const maxHeap = 10 * 1024 * 1024
/** Seconds of processor time of the global scope, without a code cache; 0.16 on a quiet machine. */
const maxTime = 0.3

/** What a worker does not use, as parts of paths. */
const unwanted = [
  'etcd',
  'node_modules/zod',
  'node_modules/@opentelemetry',
  'node_modules/@noble',
  'jose/dist/webapi/jwe/',
  'grpc',
  'pino',
  'node_modules/cac/',
  'fast-check',
  'node_modules/yaml',
  'runtimes/node',
  'runtimes/wire',
  'runtimes/testing',
  'stores/log',
  'core/flags/rows',
  'core/encryption/file',
  'core/encryption/kms/plugin',
  'core/meta/debug/',
  'core/outgoing/spdy',
  'forwarding/remote-command',
]

describe('the bundle of a worker', () => {
  const { path: directory, remove } = temporaryDirectory('bundle')
  after(remove)
  const file = join(directory, 'worker.mjs')
  let modules: (readonly [path: string, bytes: number])[] = []
  let size = 0
  let loadedLater: readonly string[] = []
  before(async () => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['runtimes/edge/index.ts'],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2023',
      conditions: ['workerd', 'worker', 'browser'],
      metafile: true,
      write: false,
      outfile: file,
    })
    const [output] = outputFiles
    const [described] = Object.values(metafile.outputs)
    assert(output && described)
    writeFileSync(file, output.contents)
    loadedLater = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' ? [path] : [])),
    )
    size = gzipSync(output.contents, { level: 9 }).length
    modules = Object.entries(described.inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const)
    modules.sort(([, a], [, b]) => b - a)
  })

  test(`has at most ${maxSize / 1_000} kB, compressed`, (t) => {
    t.diagnostic(
      `${size} bytes; ${modules
        .slice(0, 20)
        .map(([path, bytes]) => `${path} ${bytes}`)
        .join(', ')}`,
    )
    assert(size <= maxSize, `${size} bytes; the largest modules: ${JSON.stringify(modules.slice(0, 20))}`)
  })

  test('has a byte for each character: with one beyond Latin-1, engines keep two for all', () => {
    const text = readFileSync(file, 'latin1')
    assert.deepEqual([...text.matchAll(/.{0,40}[^\0-\x7f].{0,40}/g)].map(String), [])
  })

  test('has nothing that a worker does not use', () => {
    assert.deepEqual(
      modules.filter(([path, bytes]) => bytes > 0 && unwanted.some((part) => path.includes(part))),
      [],
    )
  })

  test('loads nothing later but what it shares with no other module: a bundler wraps what is shared, so that it is parsed twice', () => {
    assert.deepEqual([...new Set(loadedLater)], ['core/access/authn/jose.ts'])
  })

  test('starts fast, with a small heap', (t) => {
    const program = `
      gc(); const heap = process.memoryUsage().heapUsed; const { user, system } = process.cpuUsage()
      await import(${JSON.stringify(`file://${file}`)})
      const used = process.cpuUsage({ user, system }); gc()
      console.log(JSON.stringify([(used.user + used.system) / 1e6, process.memoryUsage().heapUsed - heap]))`
    // The shortest of several: other processes lengthen one.
    const runs = Array.from({ length: 3 }, () => {
      const text = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], { encoding: 'utf8' })
      return JSON.parse(text) as [time: number, heap: number]
    })
    const [time, heap] = [Math.min(...runs.map(([time]) => time)), Math.min(...runs.map(([, heap]) => heap))]
    t.diagnostic(`${time} s of processor time, ${heap} bytes of heap`)
    assert(heap <= maxHeap, `${heap} bytes of heap`)
    assert(time <= maxTime, `${time} s`)
  })
})
