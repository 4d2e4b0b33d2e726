/** Rows of CPU time per request in one process: the cost of the core without sockets. */
import { execFileSync } from 'node:child_process'
import type { Compare } from './api-rows.ts'
import { onBundle } from './loop-bundle.ts'
import type { Row } from './row.ts'

/** Microseconds with our own request objects. */
const aims: { readonly [row: string]: string } = {
  get: '≤ 10',
  create: '≤ 50',
  'merge patch': '≤ 60',
  apply: '≤ 80',
  'create a pod': '≤ 3 × create',
}

/** Measures all rows of this file. */
export async function cpuRows(_compare: Compare<Row>): Promise<Row[]> {
  return onBundle('test/bench/cpu-loop.ts', (file) => {
    // Takes the best of several rounds, because code is not compiled yet in the first ones.
    const rounds = String(2 * Number(process.env['ROUNDS'] ?? 3))
    const out = execFileSync(process.execPath, [file, rounds], { encoding: 'utf8' })
    const { fetch, answer } = JSON.parse(out) as { [way: string]: { [row: string]: number } }
    return Object.entries(answer ?? {}).map(([row, microseconds]) => ({
      name: `CPU of ${row}: behind our request object, and with built-in ones`,
      ours: `${microseconds.toFixed(0)} µs`,
      limit: `${fetch?.[row]?.toFixed(0)} µs`,
      aim: aims[row] ?? '',
    }))
  })
}
