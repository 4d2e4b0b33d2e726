/** Tables of levels, queues and requests for people (apiserver/pkg/util/flowcontrol/apf_controller_debug.go). */
import { formatDuration } from '../schema/formats/duration.ts'
import { timestamp } from '../schema/formats/time.ts'
import type { FlowControl } from './flow-control.ts'
import type { Level } from './level.ts'
import { Queue } from './queue.ts'
import type { Ticket } from './ticket.ts'
import { workText } from './work.ts'

/** Cells of a line, as text. Those of other threads come as structured clones. */
export type Row = readonly string[]

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

/** The same line of several threads: the sum of numbers; other cells by `others`. */
function added(one: Row, other: Row, others: { readonly [index: number]: (one: string, other: string) => string }): Row {
  return one.map((cell, index) => (others[index] ?? sum)(cell, other[index] ?? ''))
}

const first = (one: string) => one
const sum = (one: string, other: string) => String(Number(one) + Number(other))
const all = (one: string, other: string) => String(one === 'true' && other === 'true')
const any = (one: string, other: string) => String(one === 'true' || other === 'true')

export function levelRows(control: FlowControl): readonly Row[] {
  return byName(control).map(({ name, queues, isLeaving }) => {
    const active = queues.queues.waiting.size
    const { waiting, running, dispatched, rejected, cancelled } = queues
    // The reference counts requests that waited too long as cancelled.
    return [name, ...[active, queues.isIdle, isLeaving, waiting, running.length, dispatched, rejected, 0, cancelled].map(String)]
  })
}

/** `others`: the rows of other threads. */
export function dumpLevels(control: FlowControl, others: readonly Row[] = []): string {
  const head = [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests'],
    ...['ExecutingRequests', 'DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ]
  const cells = { 0: first, 2: all, 3: any }
  const rows = levelRows(control).map((row) =>
    others.filter(([name]) => name === row[0]).reduce((one, other) => added(one, other, cells), row),
  )
  return aligned([head, ...rows])
}

function queueRow(name: string, { index, waiting, running, seatsInUse, start, initialSeats, seats, work }: Queue): Row {
  return [
    ...[name, ...[index, waiting.length, running, seatsInUse].map(String), workText(start)],
    ...[String(initialSeats), String(seats), workText(work)],
  ]
}

/** Queues that have been used. */
export function* queueRows(control: FlowControl): Generator<Row> {
  for (const { name, queues } of byName(control)) for (const queue of queues.queues.used()) yield queueRow(name, queue)
}

/** The queues of all levels; a level may have ten million, most of which have never been used. `others`: the rows of other threads. */
export function* dumpQueues(control: FlowControl, others: readonly Row[] = []): Generator<string> {
  const head = [
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
    ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
  ]
  const levels = byName(control)
  // Each thread has a virtual time of its own; that of the one that answers stands here.
  const cells = { 0: first, 1: first, 5: first }
  const keyOf = ([name, index]: Row) => `${index} ${name}`
  const ofOthers = new Map<string, Row>()
  for (const row of others) {
    const same = ofOthers.get(keyOf(row))
    ofOthers.set(keyOf(row), same ? added(same, row, cells) : row)
  }
  const whole = (row: Row): Row => {
    const other = ofOthers.get(keyOf(row))
    return other ? added(row, other, cells) : row
  }
  function* widest(): Generator<Row> {
    yield head
    yield* ofOthers.values()
    for (const { name, queues } of levels) {
      for (const queue of queues.queues.used()) yield whole(queueRow(name, queue))
      if (queues.queues.count > 0) yield queueRow(name, new Queue(queues.queues.count - 1))
    }
  }
  const widths = widthsOf(widest())
  yield lineOf(head, widths)
  for (const { name, queues } of levels)
    for (let index = 0; index < queues.queues.count; index++)
      yield lineOf(whole(queueRow(name, queues.queues.find(index) ?? new Queue(index))), widths)
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
export function requestRows(control: FlowControl, detailed: boolean): readonly Row[] {
  const { clock } = control
  const elapsed = clock.now() - clock.monotonic()
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
  return byName(control).flatMap(({ queues }) => {
    const inOrder = [...queues.queues.waiting].sort((one, other) => one.index - other.index)
    const waiting = inOrder.flatMap((queue) => [...queue.waiting].map((ticket, position) => row(ticket, queue.index, position)))
    return [...waiting, ...[...queues.running].map((ticket) => row(ticket, ticket.queue?.index ?? -1, -1))]
  })
}

/** `others`: the rows of other threads. */
export function dumpRequests(control: FlowControl, detailed: boolean, others: readonly Row[] = []): string {
  const head = [
    ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
    ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
    ...(detailed ? ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'] : []),
  ]
  const rows = [...requestRows(control, detailed), ...others]
  if (others.length > 0) rows.sort(([one = ''], [other = '']) => (one === other ? 0 : one < other ? -1 : 1))
  return aligned([head, ...rows])
}
