/** Metrics of priority and fairness, which are read from its state when metrics are printed. */
import type { Distribution } from '../../fairness/distribution.ts'
import type { FlowControl } from '../../fairness/flow-control.ts'
import type { Level } from '../../fairness/level.ts'
import type { Usage } from '../../fairness/usage.ts'
import { seatSeconds } from '../../fairness/work.ts'
import type { LabelValues, MetricRow } from '../../metrics.ts'
import type { MetricsRegistry } from './registry.ts'
import { fairnessRows as rows } from './rows/fairness.ts'
import { requestRows } from './rows/requests.ts'

type OfLevel = readonly ['priority_level']
type OfSchema = readonly ['priority_level', 'flow_schema']

const levelNumbers: readonly (readonly [row: MetricRow<'gauge', OfLevel>, read: (level: Level) => number])[] = [
  [rows.nominal, ({ nominal }) => nominal],
  [rows.formerNominal, ({ nominal }) => nominal],
  [rows.least, ({ least }) => least],
  [rows.most, ({ most }) => most],
  [rows.current, ({ current }) => current],
  [rows.highestDemand, ({ demand }) => demand.highest],
  [rows.averageDemand, ({ demand }) => demand.average],
  [rows.demandDeviation, ({ demand }) => demand.deviation],
  [rows.smoothedDemand, ({ demand }) => demand.smoothed],
  [rows.target, ({ demand }) => demand.target],
  [rows.meter, ({ queues }) => seatSeconds(queues.meter)],
]

/** Only of levels with queues that have dispatched requests. */
const dispatchNumbers: readonly (readonly [row: MetricRow<'gauge', OfLevel>, read: (level: Level) => number])[] = [
  [rows.dispatchMeter, ({ queues }) => seatSeconds(queues.last.meter)],
  [rows.lastStart, ({ queues }) => seatSeconds(queues.last.start)],
]

const usageNumbers: readonly (readonly [row: MetricRow<'counter' | 'gauge', OfSchema>, read: (usage: Usage) => number, queued: boolean])[] =
  [
    [rows.dispatched, ({ dispatched }) => dispatched, false],
    [rows.running, ({ running }) => running, false],
    [rows.seats, ({ seats }) => seats, false],
    [rows.formerSeats, ({ seats }) => seats, false],
    [rows.waiting, ({ waiting }) => waiting, true],
    [rows.seatsWaiting, ({ seatsWaiting }) => seatsWaiting, true],
  ]

const wasUsed = ({ estimatedSeats }: Usage) => estimatedSeats.count > 0

export function collectFairness(registry: MetricsRegistry, control: FlowControl): void {
  const levels = () => [...control.levels.values()]
  const dispatching = () => levels().filter(({ queues }) => queues.queues.count > 0 && queues.dispatched > 0)
  /** Series of each schema that had requests; `queued`: at levels with queues. */
  function* usages(queued = false): Iterable<readonly [labels: LabelValues<OfSchema>, usage: Usage]> {
    for (const level of levels()) {
      if (queued && level.queues.queueing.queues < 1) continue
      for (const [name, usage] of level.usages) if (wasUsed(usage)) yield [[level.name, name], usage]
    }
  }
  for (const [row, read] of levelNumbers) registry.collect(row, () => levels().map((level) => [[level.name], read(level)]))
  for (const [row, read] of dispatchNumbers) registry.collect(row, () => dispatching().map((level) => [[level.name], read(level)]))
  for (const [row, read, queued] of usageNumbers) {
    registry.collect(row, () => Array.from(usages(queued), ([labels, usage]) => [labels, read(usage)] as const))
  }
  registry.collect(requestRows.inQueue, () => [
    [['readOnly'], control.readOnly.waiting.value],
    [['mutating'], control.mutating.waiting.value],
  ])
  registry.collect(rows.fairShare, () => [[[], control.fairShare]])
  registry.collect(rows.rejected, () =>
    [...usages()].flatMap(([labels, { refused }]) =>
      Object.entries(refused).flatMap(([reason, count]) => (count > 0 ? [[[...labels, reason] as const, count] as const] : [])),
    ),
  )
  registry.collect(rows.unaccommodated, () =>
    [...usages()].flatMap(([labels, { unaccommodated }]) => (unaccommodated > 0 ? [[labels, unaccommodated] as const] : [])),
  )
  registry.collect(rows.meterResets, () =>
    levels().flatMap(({ name, queues }) => (queues.meterResets > 0 ? [[[name, 'true'] as const, queues.meterResets] as const] : [])),
  )
  registry.collect(rows.nextStarts, () =>
    dispatching().flatMap(({ name, queues: { last } }) => [
      [[name, 'min'] as const, seatSeconds(last.least)] as const,
      [[name, 'max'] as const, seatSeconds(last.most)] as const,
    ]),
  )
  registry.collect(rows.nextDiscounted, () =>
    dispatching().flatMap(({ name, queues: { last } }) => [
      [[name, 'min'] as const, seatSeconds(last.leastDiscounted)] as const,
      [[name, 'max'] as const, seatSeconds(last.maxDiscounted)] as const,
    ]),
  )
  collectDistributions(registry, control, usages)
}

type Series<Labels extends readonly string[]> = readonly [labels: LabelValues<Labels>, distribution: Distribution]

function collectDistributions(
  registry: MetricsRegistry,
  control: FlowControl,
  usages: () => Iterable<readonly [labels: LabelValues<OfSchema>, usage: Usage]>,
): void {
  /** Series with values. */
  const filled = <Labels extends readonly string[]>(all: readonly Series<Labels>[]) => all.filter(([, { count }]) => count > 0)
  const ofUsages = <Labels extends readonly string[]>(
    row: MetricRow<'histogram', Labels>,
    read: (labels: LabelValues<OfSchema>, usage: Usage) => readonly Series<Labels>[],
  ) => registry.distribute(row, () => filled([...usages()].flatMap(([labels, usage]) => read(labels, usage))))
  ofUsages(rows.queueLengths, (labels, { queueLengths }) => [[labels, queueLengths]])
  ofUsages(rows.waits, (labels, { waits, waitsInVain }) => [
    [[...labels, 'true'], waits],
    [[...labels, 'false'], waitsInVain],
  ])
  ofUsages(rows.durations, (labels, { durations, watchDurations }) => [
    [[...labels, 'regular'], durations],
    [[...labels, 'watch'], watchDurations],
  ])
  ofUsages(rows.watchCounts, (labels, { watchCounts }) => [[labels, watchCounts]])
  ofUsages(rows.estimatedSeats, (labels, { estimatedSeats }) => [[labels, estimatedSeats]])
  const ofLevels = <Labels extends readonly string[]>(
    row: MetricRow<'histogram', Labels>,
    read: (level: Level) => readonly Series<Labels>[],
  ) =>
    registry.distribute(row, () => {
      control.fold()
      return [...control.levels.values()].flatMap(read)
    })
  ofLevels(rows.seatUtilization, ({ name, seatUtilization }) => [[[name, 'executing'], seatUtilization]])
  ofLevels(rows.requestUtilization, ({ name, runningUtilization, waitingUtilization }) => [
    [[name, 'executing'], runningUtilization],
    [[name, 'waiting'], waitingUtilization],
  ])
  ofLevels(rows.demand, ({ name, demandRatio }) => [[[name], demandRatio]])
  registry.distribute(rows.kinds, () => {
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
