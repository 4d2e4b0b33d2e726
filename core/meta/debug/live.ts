/** `/debug/live`: a page that draws what the server does now, and `/debug/live/stream`, which it reads. */

import { Reply } from '../../answers/reply.ts'
import type { GroupResource } from '../../answers/status.ts'
import type { CacheState } from '../../objects/storage/metrics.ts'
import type { Clock, OtherThreads } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { FixedRequest } from '../fixed-request.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import { inFlightProfile } from './in-flight.ts'
import { livePage } from './live-page.ts'
import { measureLoopDelay } from './loop-delay.ts'

export interface LiveOptions {
  readonly clock: Clock
  readonly metrics: Pick<MetricsRegistry, 'read'>
  /** Name of the server on the page. */
  readonly title: string
  caches(): Iterable<readonly [resource: GroupResource, state: CacheState]>
  inFlight(): Iterable<Exchange>
  /** Absent: there are none. */
  readonly threads?: OtherThreads | undefined
}

type Rows = readonly (readonly [name: string, value: number])[]

/** The number of observations and their sum. */
interface Total {
  readonly sum: number
  readonly count: number
}

/** One reading. Counters are totals since the start; clients compute rates from two readings. */
export interface LiveReading {
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly uptimeSeconds: number
  /** The longest delay of the event loop since the last reading, in milliseconds. */
  readonly loopDelay: number
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly requests: Rows
  readonly requestSeconds: Total
  /** Calls to the store. */
  readonly storeSeconds: Total
  readonly inFlight: Rows
  readonly watches: Rows
  readonly objects: Rows
  /** Objects in watch caches. */
  readonly caches: Rows
  readonly queues: Rows
}

export const liveRoot = '/debug/live'
const period = 1_000
/** Rows of a list; the others are summed up as one. */
const maxRows = 30

/** The largest first; the others as one row. */
function largest(sums: ReadonlyMap<string, number>): Rows {
  const sorted = [...sums].filter(([, value]) => value > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const rest = sorted.slice(maxRows).reduce((sum, [, value]) => sum + value, 0)
  return rest === 0 ? sorted : [...sorted.slice(0, maxRows), ['others', rest]]
}

const addRows = (one: Rows, other: Rows): Rows => {
  const sums = new Map(one)
  for (const [name, value] of other) sums.set(name, (sums.get(name) ?? 0) + value)
  return largest(sums)
}
const longer = (one: Rows, other: Rows): Rows => (other.length > one.length ? other : one)
const addTotals = (one: Total, other: Total): Total => ({ sum: one.sum + other.sum, count: one.count + other.count })

/** One reading of two threads. Numbers of the process and of what is stored are the same for both, where both know them. */
const together = (one: LiveReading, other: LiveReading): LiveReading => ({
  ...one,
  loopDelay: Math.max(one.loopDelay, other.loopDelay),
  cpuSeconds: Math.max(one.cpuSeconds, other.cpuSeconds),
  residentBytes: Math.max(one.residentBytes, other.residentBytes),
  requests: addRows(one.requests, other.requests),
  requestSeconds: addTotals(one.requestSeconds, other.requestSeconds),
  storeSeconds: addTotals(one.storeSeconds, other.storeSeconds),
  inFlight: addRows(one.inFlight, other.inFlight),
  watches: addRows(one.watches, other.watches),
  objects: longer(one.objects, other.objects),
  caches: addRows(one.caches, other.caches),
  queues: addRows(one.queues, other.queues),
})

const qualified = (group: string | undefined, resource: string | undefined) => (group ? `${resource}.${group}` : (resource ?? ''))
/** Verbs of watches and streams; their time is not a latency. */
const lasting = new Set(['WATCH', 'CONNECT'])

function createReader({ clock, metrics, title, caches, inFlight }: LiveOptions, began: number) {
  /** Sums the samples of a metric by what `name` makes of their labels; undefined: left out. */
  const sums = (metric: string, name: (labels: Readonly<Record<string, string>>) => string | undefined) => {
    const all = new Map<string, number>()
    for (const { labels, value } of metrics.read(metric)) {
      const key = name(labels)
      if (key !== undefined) all.set(key, (all.get(key) ?? 0) + value)
    }
    return all
  }
  const total = (metric: string, counts: (labels: Readonly<Record<string, string>>) => boolean = () => true) => {
    let [sum, count] = [0, 0]
    for (const { labels, value, count: observed = 0 } of metrics.read(metric))
      if (counts(labels)) {
        sum += value
        count += observed
      }
    return { sum, count }
  }
  return (loopDelay: number): LiveReading => ({
    title,
    time: clock.now(),
    uptimeSeconds: Math.floor((clock.monotonic() - began) / 1000),
    loopDelay,
    cpuSeconds: total('process_cpu_seconds_total').sum,
    residentBytes: total('process_resident_memory_bytes').sum,
    requests: largest(sums('apiserver_request_total', ({ verb }) => verb)),
    requestSeconds: total('apiserver_request_duration_seconds', ({ verb = '' }) => !lasting.has(verb)),
    storeSeconds: total('etcd_request_duration_seconds'),
    inFlight: largest(
      new Map(inFlightProfile(inFlight()).stacks.map(({ frames: [frame], values: [count = 0] }) => [frame?.name ?? '', count])),
    ),
    watches: largest(
      sums('apiserver_longrunning_requests', ({ verb, group, resource }) => (verb === 'WATCH' ? qualified(group, resource) : undefined)),
    ),
    objects: largest(sums('apiserver_resource_objects', ({ group, resource }) => qualified(group, resource))),
    caches: largest(new Map(Array.from(caches(), ([{ group, resource }, state]) => [qualified(group, resource), state.objects()]))),
    queues: largest(sums('workqueue_depth', ({ name }) => name)),
  })
}

/** Answers `/debug/live` and what is below. */
export function createLive(options: LiveOptions): (request: FixedRequest) => Response | undefined {
  const { clock, title, threads } = options
  const readOwn = createReader(options, clock.monotonic())
  threads?.answer('reading', () => readOwn(0))
  const read = async (loopDelay: number): Promise<LiveReading> => {
    const others = (await threads?.ask('reading')) ?? []
    return (others as readonly LiveReading[]).reduce(together, readOwn(loopDelay))
  }
  const encoder = new TextEncoder()

  /** Server-sent events, one reading each second, until the reader leaves or the server shuts down. */
  function stream({ exchange }: FixedRequest): Response {
    const delay = measureLoopDelay(clock)
    let cancel = () => {}
    let unregister = () => {}
    let isOpen = true
    const stop = () => {
      isOpen = false
      delay.stop()
      cancel()
      unregister()
    }
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        const end = () => {
          stop()
          controller.close()
        }
        const show = (reading: LiveReading) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(reading)}\n\n`))
        const send = () => {
          cancel = clock.after(period, send)
          // A reader that does not keep up misses readings.
          if ((controller.desiredSize ?? 0) <= 0) return
          if (threads) void read(delay.read()).then((reading) => isOpen && show(reading))
          else show(readOwn(delay.read()))
        }
        send()
        unregister = exchange?.onShutdown(end) ?? unregister
      },
      cancel: stop,
    })
    return new Reply(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } })
  }

  return (request) => {
    if (request.path === `${liveRoot}/stream`) return stream(request)
    if (request.path !== liveRoot) return undefined
    const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
    return new Reply(livePage(title), { headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy } })
  }
}
