/** Rows of CPU time per request inside one process: what the core costs, without sockets. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Compare } from './api-rows.ts'
import type { Row } from './row.ts'

/** Microseconds behind our own request object. */
const aims: { readonly [row: string]: string } = {
  get: '≤ 10',
  create: '≤ 50',
  'merge patch': '≤ 60',
  apply: '≤ 80',
  'create a pod': '≤ 3 × create',
}

/** Bundles the loop, as the daemon is, beside the packages that it imports. Returns the directory of `cpu-loop.mjs`. */
async function bundleLoop(): Promise<string> {
  mkdirSync('build', { recursive: true })
  const directory = mkdtempSync('build/bench-')
  await build({
    entryPoints: ['test/bench/cpu-loop.ts'],
    outfile: join(directory, 'cpu-loop.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return directory
}

/** Measures all of these rows. */
export async function cpuRows(_compare: Compare<Row>): Promise<Row[]> {
  const directory = await bundleLoop()
  try {
    // The best of some rounds: in the first ones much is not compiled yet.
    const rounds = String(2 * Number(process.env['ROUNDS'] ?? 3))
    const out = execFileSync(process.execPath, [join(directory, 'cpu-loop.mjs'), rounds], { encoding: 'utf8' })
    const { fetch, answer } = JSON.parse(out) as { [way: string]: { [row: string]: number } }
    return Object.entries(answer ?? {}).map(([row, microseconds]) => ({
      name: `CPU of ${row}: behind our request object, and with built-in ones`,
      ours: `${microseconds.toFixed(0)} µs`,
      limit: `${fetch?.[row]?.toFixed(0)} µs`,
      aim: aims[row] ?? '',
    }))
  } finally {
    rmSync(directory, { recursive: true })
  }
}
