/** A reading of `/debug/live` as text: one line for each thing. */
import type { LiveReading } from '../../../core/meta/debug/live.ts'

export interface Size {
  readonly columns: number
  /** Maximum lines; absent: no limit. */
  readonly rows?: number
}

type Rows = LiveReading['inFlight']

const lists: readonly (readonly [title: string, rows: (reading: LiveReading) => Rows])[] = [
  ['In flight', ({ inFlight }) => inFlight],
  ['Watches', ({ watches }) => watches],
  ['Queues', ({ queues }) => queues],
  ['Objects in watch caches', ({ caches }) => caches],
  ['Stored objects', ({ objects }) => objects],
  ['Requests since the start', ({ requests }) => requests],
]

const total = (rows: Rows) => rows.reduce((sum, [, value]) => sum + value, 0)
/** Names come from clients: characters that a terminal would obey are not shown. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
const shown = (value: number) =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2)

function duration(seconds: number): string {
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min ${seconds % 60} s`
}

/** Average milliseconds between two readings. */
function average(now: LiveReading['storeSeconds'], before: LiveReading['storeSeconds']): number {
  const count = now.count - before.count
  return count > 0 ? (1000 * (now.sum - before.sum)) / count : 0
}

/** The figures of a reading; rates and averages are those of the time since `before`. */
function figures(reading: LiveReading, before: LiveReading): readonly (readonly [name: string, value: number, unit: string])[] {
  const seconds = Math.max(0.001, (reading.time - before.time) / 1000)
  return [
    ['Requests', (total(reading.requests) - total(before.requests)) / seconds, '/s'],
    ['Request latency', average(reading.requestSeconds, before.requestSeconds), 'ms'],
    ['Store latency', average(reading.storeSeconds, before.storeSeconds), 'ms'],
    ['Event-loop delay, longest', reading.loopDelay, 'ms'],
    ['Processor', (100 * (reading.cpuSeconds - before.cpuSeconds)) / seconds, '%'],
    ['Memory', reading.residentBytes / 1_048_576, 'MiB'],
  ]
}

/** How many rows each list shows, so that all lists get lines before one of them gets many. */
function shares(lengths: readonly number[], lines: number): readonly number[] {
  const given = lengths.map(() => 0)
  for (let left = lines; left > 0; ) {
    const wanting = lengths.flatMap((length, index) => (length > (given[index] ?? 0) ? [index] : []))
    if (wanting.length === 0) break
    for (const index of wanting.slice(0, left)) given[index] = (given[index] ?? 0) + 1
    left -= Math.min(left, wanting.length)
  }
  return given
}

export function liveText(reading: LiveReading, before: LiveReading, { columns, rows: height }: Size): string {
  const head = `${printable(reading.title)}  up ${duration(reading.uptimeSeconds)}`
  const line = (name: string, value: string) => `${name.slice(0, Math.max(1, columns - 14)).padEnd(Math.min(60, columns - 14))} ${value}`
  const numbers = figures(reading, before).map(([name, value, unit]) => line(name, `${shown(value)} ${unit}`))
  const all = lists.map(([title, rows]) => ({ title, rows: rows(reading) })).filter(({ rows }) => rows.length > 0)
  // The head, a blank line, the numbers, and for each list a blank line and its title.
  const free = height === undefined ? Number.POSITIVE_INFINITY : height - 2 - numbers.length - 2 * all.length
  const lengths = all.map(({ rows }) => rows.length)
  const shared = Number.isFinite(free) ? shares(lengths, free) : lengths
  const listed = all.flatMap(({ title, rows }, index) => [
    '',
    title,
    ...rows.slice(0, shared[index]).map(([name, value]) => line(`  ${printable(name)}`, value.toLocaleString('en'))),
  ])
  const lines = [head, '', ...numbers, ...listed]
  return lines
    .slice(0, height)
    .map((each) => each.slice(0, columns).trimEnd())
    .join('\n')
}
