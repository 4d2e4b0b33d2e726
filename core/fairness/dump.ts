/** Tables of levels, queues and requests for people (apiserver/pkg/util/flowcontrol/apf_controller_debug.go). */
import { formatDuration } from '../schema/duration.ts'
import { timestamp } from '../schema/time.ts'
import type { FlowControl } from './flow-control.ts'
import type { Level } from './level.ts'
import type { Ticket } from './ticket.ts'
import { workText } from './work.ts'

type Row = readonly string[]

const narrowest = 8

/** Columns end with a comma, and are as wide as their widest cell. */
function aligned(rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : `${cell},`)))
  const length = (text: string) => [...text].length
  const widths = (rows[0] ?? []).map((_, index) => Math.max(narrowest, ...cells.map((row) => length(row[index] ?? '') + 1)))
  const lines = cells.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! - length(cell)))).join(''),
  )
  return lines.map((line) => `${line}\n`).join('')
}

const byName = ({ levels }: FlowControl): readonly Level[] => [...levels.values()].sort((one, other) => (one.name < other.name ? -1 : 1))

export function dumpLevels(control: FlowControl): string {
  const head = [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests'],
    ...['ExecutingRequests', 'DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ]
  const rows = byName(control).map(({ name, queues, isLeaving }) => {
    const active = queues.queues.filter(({ waiting }) => waiting.length > 0).length
    const { waiting, running, dispatched, rejected, cancelled } = queues
    // The reference counts requests that waited too long as cancelled.
    return [name, ...[active, queues.isIdle, isLeaving, waiting, running.length, dispatched, rejected, 0, cancelled].map(String)]
  })
  return aligned([head, ...rows])
}

export function dumpQueues(control: FlowControl): string {
  const head = [
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
    ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
  ]
  const rows = byName(control).flatMap(({ name, queues }) =>
    queues.queues.map(({ index, waiting, running, seatsInUse, start, initialSeats, seats, work }) => [
      ...[name, ...[index, waiting.length, running, seatsInUse].map(String), workText(start)],
      ...[String(initialSeats), String(seats), workText(work)],
    ]),
  )
  return aligned([head, ...rows])
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
    const waiting = queues.queues.flatMap((queue) => [...queue.waiting].map((ticket, position) => row(ticket, queue.index, position)))
    return [...waiting, ...[...queues.running].map((ticket) => row(ticket, ticket.queue?.index ?? -1, -1))]
  })
  return aligned([head, ...rows])
}
