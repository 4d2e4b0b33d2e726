/** Tables of levels, queues and requests for people (apiserver/pkg/util/flowcontrol/apf_controller_debug.go). */
import { formatDuration } from '../schema/formats/duration.ts'
import { timestamp } from '../schema/formats/time.ts'
import type { FlowControl } from './flow-control.ts'
import type { Level } from './level.ts'
import { Queue } from './queue.ts'
import type { Ticket } from './ticket.ts'
import { workText } from './work.ts'

type Row = readonly string[]

const narrowest = 8

/** Characters as people count them. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** Columns end with a comma, and are as wide as their widest cell in these rows. */
function widthsOf(rows: Iterable<Row>): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) {
      const comma = index === row.length - 1 ? 0 : 1
      widths[index] = Math.max(narrowest, widths[index] ?? 0, lengthOf(cell) + comma + 1)
    }
  return widths
}

function lineOf(row: Row, widths: readonly number[]): string {
  const last = row.length - 1
  const cells = row.map((cell, index) =>
    index === last ? cell : `${cell},${' '.repeat(Math.max(0, widths[index]! - lengthOf(cell) - 1))}`,
  )
  return `${cells.join('')}\n`
}

function aligned(rows: readonly Row[]): string {
  const widths = widthsOf(rows)
  return rows.map((row) => lineOf(row, widths)).join('')
}

const byName = ({ levels }: FlowControl): readonly Level[] => [...levels.values()].sort((one, other) => (one.name < other.name ? -1 : 1))

export function dumpLevels(control: FlowControl): string {
  const head = [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests'],
    ...['ExecutingRequests', 'DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ]
  const rows = byName(control).map(({ name, queues, isLeaving }) => {
    const active = queues.queues.waiting.size
    const { waiting, running, dispatched, rejected, cancelled } = queues
    // The reference counts requests that waited too long as cancelled.
    return [name, ...[active, queues.isIdle, isLeaving, waiting, running.length, dispatched, rejected, 0, cancelled].map(String)]
  })
  return aligned([head, ...rows])
}

function queueRow(name: string, { index, waiting, running, seatsInUse, start, initialSeats, seats, work }: Queue): Row {
  return [
    ...[name, ...[index, waiting.length, running, seatsInUse].map(String), workText(start)],
    ...[String(initialSeats), String(seats), workText(work)],
  ]
}

/** The queues of all levels; a level may have ten million, most of which have never been used. */
export function* dumpQueues(control: FlowControl): Generator<string> {
  const head = [
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
    ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
  ]
  const levels = byName(control)
  function* widest(): Generator<Row> {
    yield head
    for (const { name, queues } of levels) {
      for (const queue of queues.queues.used()) yield queueRow(name, queue)
      if (queues.queues.count > 0) yield queueRow(name, new Queue(queues.queues.count - 1))
    }
  }
  const widths = widthsOf(widest())
  yield lineOf(head, widths)
  for (const { name, queues } of levels)
    for (let index = 0; index < queues.queues.count; index++)
      yield lineOf(queueRow(name, queues.queues.find(index) ?? new Queue(index)), widths)
}

/** RFC 3339 with as many digits of the second as needed. */
function exactTime(milliseconds: number): string {
  const nanos = Math.round((milliseconds - Math.floor(milliseconds / 1000) * 1000) * 1e6)
  const fraction = String(nanos).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? timestamp(milliseconds) : timestamp(milliseconds).replace('Z', `.${fraction}Z`)
}

/** Time of what has not happened yet. */
const never = '0001-01-01T00:00:00Z'

function details({ exchange: { user, info } }: Ticket): Row {
  const { verb, path, namespace, name, group, version, resource, subresource } = info
  return [user.name, verb, path, namespace, name, group === '' ? version : `${group}/${version}`, resource, subresource]
}

/** Requests that wait and that run. `detailed`: with users and attributes. */
export function dumpRequests(control: FlowControl, detailed: boolean): string {
  const { clock } = control
  const elapsed = clock.now() - clock.monotonic()
  const head = [
    ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
    ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
    ...(detailed ? ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'] : []),
  ]
  const row = (ticket: Ticket, queue: number, position: number): Row => {
    const { flow, estimate, arrivedAt, startedAt, state } = ticket
    const { initialSeats, finalSeats, latency } = estimate
    return [
      ...[flow.level.name, flow.schema.name, String(queue), String(position), flow.distinguisher, exactTime(arrivedAt + elapsed)],
      ...[String(initialSeats), String(finalSeats), formatDuration(BigInt(Math.round(latency * 1e6)))],
      state === 'running' ? exactTime(startedAt + elapsed) : never,
      ...(detailed ? details(ticket) : []),
    ]
  }
  const rows = byName(control).flatMap(({ queues }) => {
    const inOrder = [...queues.queues.waiting].sort((one, other) => one.index - other.index)
    const waiting = inOrder.flatMap((queue) => [...queue.waiting].map((ticket, position) => row(ticket, queue.index, position)))
    return [...waiting, ...[...queues.running].map((ticket) => row(ticket, ticket.queue?.index ?? -1, -1))]
  })
  return aligned([head, ...rows])
}
