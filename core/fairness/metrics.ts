/** Metrics of priority and fairness, which are read from its state when metrics are printed. */
import { counter, gauge, histogram, type LabelValues, type MetricRow, type Metrics, type Stability } from '../metrics.ts'
import {
  demandBounds,
  estimateBounds,
  kindBounds,
  queueLengthBounds,
  requestBounds,
  seatBounds,
  secondsBounds,
  watchBounds,
} from './bounds.ts'
import type { Distribution } from './distribution.ts'
import type { FlowControl } from './flow-control.ts'
import type { Level } from './level.ts'
import type { Usage } from './usage.ts'
import { seatSeconds } from './work.ts'

const ofLevel = ['priority_level'] as const
const ofSchema = ['priority_level', 'flow_schema'] as const
const ofBound = ['priority_level', 'bound'] as const

const level = (name: string, help: string, stability: Stability = 'ALPHA') =>
  gauge(`apiserver_flowcontrol_${name}`, help, { stability, labels: ofLevel })
/** A point of a level's virtual time, of which each thread has its own. */
const time = <const Labels extends readonly string[]>(name: string, help: string, labels: Labels) =>
  gauge(`apiserver_flowcontrol_${name}`, help, { labels })
const schema = (name: string, help: string, stability: Stability = 'ALPHA') =>
  gauge(`apiserver_flowcontrol_${name}`, help, { stability, threads: 'sum', labels: ofSchema })
const distribution = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
  buckets: readonly number[],
  stability: Stability = 'ALPHA',
) => histogram(`apiserver_flowcontrol_${name}`, help, { stability, labels, buckets })

/** Priority and fairness. */
export const fairnessRows = {
  dispatched: counter('apiserver_flowcontrol_dispatched_requests_total', 'Requests that ran.', { stability: 'BETA', labels: ofSchema }),
  rejected: counter('apiserver_flowcontrol_rejected_requests_total', 'Requests that were refused.', {
    stability: 'BETA',
    labels: [...ofSchema, 'reason'],
  }),
  unaccommodated: counter(
    'apiserver_flowcontrol_request_dispatch_no_accommodation_total',
    'Times that the next request needed more seats than there were.',
    { labels: ofSchema },
  ),
  meterResets: counter('apiserver_flowcontrol_epoch_advance_total', 'Times that the meter of virtual time was wound back.', {
    labels: [...ofLevel, 'success'],
  }),
  running: schema('current_executing_requests', 'Requests that run; watches until they have sent their initial events.', 'BETA'),
  seats: schema('current_executing_seats', 'Seats of requests that run; of watches until they have sent their initial events.', 'BETA'),
  formerSeats: gauge(
    'apiserver_flowcontrol_request_concurrency_in_use',
    'Seats of requests that run; of watches until they have sent their initial events.',
    { deprecated: '1.31.0', threads: 'sum', labels: ofSchema },
  ),
  waiting: schema('current_inqueue_requests', 'Requests in queues.', 'BETA'),
  seatsWaiting: schema('current_inqueue_seats', 'Seats of requests in queues.'),
  queueLengths: distribution(
    'request_queue_length_after_enqueue',
    'Length of the queue of each request, with the request.',
    ofSchema,
    queueLengthBounds,
  ),
  waits: distribution(
    'request_wait_duration_seconds',
    'Time that requests spent in queues.',
    [...ofSchema, 'execute'],
    secondsBounds,
    'BETA',
  ),
  durations: distribution(
    'request_execution_seconds',
    'Time that requests ran; watches until they had sent their initial events.',
    [...ofSchema, 'type'],
    secondsBounds,
  ),
  watchCounts: distribution('watch_count_samples', 'Watches that writing requests may wake.', ofSchema, watchBounds),
  estimatedSeats: distribution('work_estimated_seats', 'Seats that requests were estimated to need.', ofSchema, estimateBounds),
  nominal: level('nominal_limit_seats', 'Configured seats of the level.', 'BETA'),
  formerNominal: gauge('apiserver_flowcontrol_request_concurrency_limit', 'Configured seats of the level.', {
    deprecated: '1.30.0',
    labels: ofLevel,
  }),
  lower: level('lower_limit_seats', 'Seats that the level does not lend.'),
  upper: level('upper_limit_seats', 'Seats of the level with those that it may borrow.'),
  current: level('current_limit_seats', 'Seats of the level in this period.'),
  highestDemand: level('demand_seats_high_watermark', 'Most seats wanted in the last period.'),
  averageDemand: level('demand_seats_average', 'Average of the seats wanted over the last period.'),
  demandDeviation: level('demand_seats_stdev', 'Standard deviation of the seats wanted over the last period.'),
  smoothedDemand: level('demand_seats_smoothed', 'Seats wanted, smoothed over periods.'),
  target: level('target_seats', 'Seats that the level would have if others wanted none.'),
  inQueue: gauge('apiserver_current_inqueue_requests', 'Requests that wait for a seat.', { threads: 'sum', labels: ['request_kind'] }),
  fairShare: gauge('apiserver_flowcontrol_seat_fair_frac', 'Seats that levels get for each seat of their target.'),
  meter: time('current_r', 'Meter of virtual time at the last change.', ofLevel),
  dispatchMeter: time('dispatch_r', 'Meter of virtual time at the last dispatch.', ofLevel),
  lastStart: time('latest_s', 'Start of the last dispatched request, in virtual time.', ofLevel),
  nextStarts: time('next_s_bounds', 'Least and greatest start of the next requests of all queues, in virtual time.', ofBound),
  nextDiscounted: time('next_discounted_s_bounds', 'The same, less the work in progress.', ofBound),
  seatUtilization: distribution(
    'priority_level_seat_utilization',
    'Seats in use as part of the limit, at every nanosecond.',
    [...ofLevel, 'phase'],
    seatBounds,
    null,
  ),
  requestUtilization: distribution(
    'priority_level_request_utilization',
    'Requests as part of the limit, at every nanosecond.',
    [...ofLevel, 'phase'],
    requestBounds,
    null,
  ),
  demand: distribution('demand_seats', 'Seats wanted as part of the limit, at every nanosecond.', ofLevel, demandBounds, null),
  kinds: distribution(
    'read_vs_write_current_requests',
    'Reading and writing requests as part of the limit, at every nanosecond.',
    ['phase', 'request_kind'],
    kindBounds,
    null,
  ),
}

type OfLevel = readonly ['priority_level']
type OfSchema = readonly ['priority_level', 'flow_schema']

const levelNumbers: readonly (readonly [row: MetricRow<'gauge', OfLevel>, read: (level: Level) => number])[] = [
  [fairnessRows.nominal, ({ nominal }) => nominal],
  [fairnessRows.formerNominal, ({ nominal }) => nominal],
  [fairnessRows.lower, ({ lower }) => lower],
  [fairnessRows.upper, ({ upper }) => upper],
  [fairnessRows.current, ({ current }) => current],
  [fairnessRows.highestDemand, ({ demand }) => demand.highest],
  [fairnessRows.averageDemand, ({ demand }) => demand.average],
  [fairnessRows.demandDeviation, ({ demand }) => demand.deviation],
  [fairnessRows.smoothedDemand, ({ demand }) => demand.smoothed],
  [fairnessRows.target, ({ demand }) => demand.target],
  [fairnessRows.meter, ({ queues }) => seatSeconds(queues.meter)],
]

/** Only of levels with queues that have dispatched requests. */
const dispatchNumbers: readonly (readonly [row: MetricRow<'gauge', OfLevel>, read: (level: Level) => number])[] = [
  [fairnessRows.dispatchMeter, ({ queues }) => seatSeconds(queues.last.meter)],
  [fairnessRows.lastStart, ({ queues }) => seatSeconds(queues.last.start)],
]

const usageNumbers: readonly (readonly [row: MetricRow<'counter' | 'gauge', OfSchema>, read: (usage: Usage) => number, queued: boolean])[] =
  [
    [fairnessRows.dispatched, ({ dispatched }) => dispatched, false],
    [fairnessRows.running, ({ running }) => running, false],
    [fairnessRows.seats, ({ seats }) => seats, false],
    [fairnessRows.formerSeats, ({ seats }) => seats, false],
    [fairnessRows.waiting, ({ waiting }) => waiting, true],
    [fairnessRows.seatsWaiting, ({ seatsWaiting }) => seatsWaiting, true],
  ]

const wasUsed = ({ estimatedSeats }: Usage) => estimatedSeats.count > 0

export function collectFairness(metrics: Metrics, control: FlowControl): void {
  const levels = () => [...control.levels.values()]
  const dispatching = () => levels().filter(({ queues }) => queues.queues.count > 0 && queues.dispatched > 0)
  /** Series of each schema that had requests; `queued`: at levels with queues. */
  function* usages(queued = false): Iterable<readonly [labels: LabelValues<OfSchema>, usage: Usage]> {
    for (const level of levels()) {
      if (queued && level.queues.queueing.queues < 1) continue
      for (const [name, usage] of level.usages) if (wasUsed(usage)) yield [[level.name, name], usage]
    }
  }
  for (const [row, read] of levelNumbers) metrics.collect(row, () => levels().map((level) => [[level.name], read(level)]))
  for (const [row, read] of dispatchNumbers) metrics.collect(row, () => dispatching().map((level) => [[level.name], read(level)]))
  for (const [row, read, queued] of usageNumbers) {
    metrics.collect(row, () => Array.from(usages(queued), ([labels, usage]) => [labels, read(usage)] as const))
  }
  metrics.collect(fairnessRows.inQueue, () => [
    [['readOnly'], control.readOnly.waiting.value],
    [['mutating'], control.mutating.waiting.value],
  ])
  metrics.collect(fairnessRows.fairShare, () => [[[], control.fairShare]])
  metrics.collect(fairnessRows.rejected, () =>
    [...usages()].flatMap(([labels, { refused }]) =>
      Object.entries(refused).flatMap(([reason, count]) => (count > 0 ? [[[...labels, reason] as const, count] as const] : [])),
    ),
  )
  metrics.collect(fairnessRows.unaccommodated, () =>
    [...usages()].flatMap(([labels, { unaccommodated }]) => (unaccommodated > 0 ? [[labels, unaccommodated] as const] : [])),
  )
  metrics.collect(fairnessRows.meterResets, () =>
    levels().flatMap(({ name, queues }) => (queues.meterResets > 0 ? [[[name, 'true'] as const, queues.meterResets] as const] : [])),
  )
  metrics.collect(fairnessRows.nextStarts, () =>
    dispatching().flatMap(({ name, queues: { last } }) => [
      [[name, 'min'] as const, seatSeconds(last.min)] as const,
      [[name, 'max'] as const, seatSeconds(last.max)] as const,
    ]),
  )
  metrics.collect(fairnessRows.nextDiscounted, () =>
    dispatching().flatMap(({ name, queues: { last } }) => [
      [[name, 'min'] as const, seatSeconds(last.minDiscounted)] as const,
      [[name, 'max'] as const, seatSeconds(last.maxDiscounted)] as const,
    ]),
  )
  collectDistributions(metrics, control, usages)
}

type Series<Labels extends readonly string[]> = readonly [labels: LabelValues<Labels>, distribution: Distribution]

function collectDistributions(
  metrics: Metrics,
  control: FlowControl,
  usages: () => Iterable<readonly [labels: LabelValues<OfSchema>, usage: Usage]>,
): void {
  /** Series with values. */
  const filled = <Labels extends readonly string[]>(all: readonly Series<Labels>[]) => all.filter(([, { count }]) => count > 0)
  const ofUsages = <Labels extends readonly string[]>(
    row: MetricRow<'histogram', Labels>,
    read: (labels: LabelValues<OfSchema>, usage: Usage) => readonly Series<Labels>[],
  ) => metrics.distribute(row, () => filled([...usages()].flatMap(([labels, usage]) => read(labels, usage))))
  ofUsages(fairnessRows.queueLengths, (labels, { queueLengths }) => [[labels, queueLengths]])
  ofUsages(fairnessRows.waits, (labels, { waits, waitsInVain }) => [
    [[...labels, 'true'], waits],
    [[...labels, 'false'], waitsInVain],
  ])
  ofUsages(fairnessRows.durations, (labels, { durations, watchDurations }) => [
    [[...labels, 'regular'], durations],
    [[...labels, 'watch'], watchDurations],
  ])
  ofUsages(fairnessRows.watchCounts, (labels, { watchCounts }) => [[labels, watchCounts]])
  ofUsages(fairnessRows.estimatedSeats, (labels, { estimatedSeats }) => [[labels, estimatedSeats]])
  const ofLevels = <Labels extends readonly string[]>(
    row: MetricRow<'histogram', Labels>,
    read: (level: Level) => readonly Series<Labels>[],
  ) =>
    metrics.distribute(row, () => {
      control.fold()
      return [...control.levels.values()].flatMap(read)
    })
  ofLevels(fairnessRows.seatUtilization, ({ name, seatUtilization }) => [[[name, 'executing'], seatUtilization]])
  ofLevels(fairnessRows.requestUtilization, ({ name, runningUtilization, waitingUtilization }) => [
    [[name, 'executing'], runningUtilization],
    [[name, 'waiting'], waitingUtilization],
  ])
  ofLevels(fairnessRows.demand, ({ name, demandRatio }) => [[[name], demandRatio]])
  metrics.distribute(fairnessRows.kinds, () => {
    control.fold()
    const { readOnly, mutating } = control
    return [
      [['executing', 'readOnly'], readOnly.runningRatio],
      [['waiting', 'readOnly'], readOnly.waitingRatio],
      [['executing', 'mutating'], mutating.runningRatio],
      [['waiting', 'mutating'], mutating.waitingRatio],
    ]
  })
}
