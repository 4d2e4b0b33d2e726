/** Rows for a start with many objects: time and processor time until `/readyz` succeeds, and memory per object. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tlsFetch } from '../support/tls-fetch.ts'
import { processorSeconds, residentMemory, startDaemon } from './daemon.ts'
import type { Row } from './row.ts'
import { configMaps, ofEveryKind, pods, type StoredObject, writeObjects } from './stored-objects.ts'

const rounds = 5
const many = 100_000
const thousands = (count: number) => count.toLocaleString('en')

interface Start {
  readonly milliseconds: number
  readonly processor: number
  readonly memory: number
  readonly listed: number
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Medians of starts on a directory; `list` is requested when ready. The first start, which creates missing files, is not counted. */
async function starts(directory: string, port: number, list = '/api/v1/namespaces'): Promise<Start> {
  const seen: Start[] = []
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now()
    const daemon = await startDaemon(port, [`--data-dir=${directory}`])
    const client = tlsFetch(daemon.url, daemon)
    const { status } = await client.fetch('/readyz')
    if (status !== 200) throw new Error(`not ready: ${status}`)
    const [milliseconds, processor, memory] = [performance.now() - began, 1000 * processorSeconds(daemon.pid), residentMemory(daemon.pid)]
    const answer = await client.fetch(list)
    if (!(await answer.text()).includes('"uid":"')) throw new Error(`${list}: ${answer.status}`)
    seen.push({ milliseconds, processor, memory, listed: residentMemory(daemon.pid) })
    client.close()
    await daemon.stop()
  }
  const of = (what: keyof Start) => middle(seen.slice(1).map((each) => each[what]))
  return { milliseconds: of('milliseconds'), processor: of('processor'), memory: of('memory'), listed: of('listed') }
}

async function startsWith(objects: Iterable<StoredObject>, port: number, list?: string) {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-start-'))
  try {
    const written = await writeObjects(directory, objects)
    return { ...written, ...(await starts(directory, port, list)) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Measures all rows of this file. */
export async function startRows(_compare: unknown, _seconds: number, port: number): Promise<Row[]> {
  const time = ({ milliseconds, processor }: Start) => `${milliseconds.toFixed(0)} ms, ${processor.toFixed(0)} ms of processor time`
  const row = (name: string, ours: string, aim: string): Row => ({ name, ours, limit: '', aim })
  const empty = await startsWith(ofEveryKind(0), port)
  const rows = [row('start where nothing is stored', time(empty), '')]
  for (const [what, objects, list, aim] of [
    ['config maps', configMaps(many), '/api/v1/configmaps', '≤ 1,500 ms'],
    ['pods', pods(many), '/api/v1/pods', ''],
  ] as const) {
    const found = await startsWith(objects, port, list)
    const name = `${thousands(many)} ${what} of ${(found.size / 1000).toFixed(1)} kB`
    const each = (memory: number) => `${(((memory - empty.memory) * 2 ** 20) / many / 1000).toFixed(2)} kB`
    rows.push(row(`start with ${name}`, time(found), aim))
    rows.push(row(`memory of each of ${name}`, `${each(found.memory)}, ${each(found.listed)} when all were listed`, '≤ 2.2 kB'))
  }
  for (const each of [15, 1000]) {
    const found = await startsWith(ofEveryKind(each), port)
    const more = `${(found.milliseconds - empty.milliseconds).toFixed(0)} ms, ${(found.processor - empty.processor).toFixed(0)} ms of processor time`
    rows.push(row(`more for ${thousands(each)} objects of every kind, ${thousands(found.count)} in all`, more, '≤ 100 ms'))
  }
  return rows
}
