/** Seats of lists, and of watches that start with one (apiserver/pkg/util/flowcontrol/request/list_work_estimator.go). */
import type { Exchange } from '../request/exchange.ts'
import type { ObjectStats } from './object-counts.ts'

const largestObject = 1_500_000
const bytesPerSeat = 100_000
const objectsPerSeat = 100
/** Bytes that a list from the cache holds at once: it is encoded while it is sent. */
const streamedBytes = 1_000_000

/** Feature `SizeBasedListCostEstimate`: seats by bytes; otherwise by number of objects. */
export type ListMeasure = 'bytes' | 'objects'
/** Most seats of a list. */
const maxListSeats: { readonly [measure in ListMeasure]: number } = { bytes: 100, objects: 10 }

const decimal = /^[+-]?[0-9]+$/

/** Whether the list is not answered from the cache: an exact revision, or the rest of one. */
function isRead(query: URLSearchParams, limit: number): boolean {
  const match = query.get('resourceVersionMatch') ?? ''
  if (match !== '') return match !== 'NotOlderThan'
  if ((query.get('continue') ?? '') !== '') return true
  const version = query.get('resourceVersion') ?? ''
  return limit > 0 && version !== '' && version !== '0'
}

const isTrue = (text: string | null) => text !== null && text !== '0' && text.toLowerCase() !== 'false'

/** A watch that sends no objects at first. */
function startsLate(query: URLSearchParams): boolean {
  const version = query.get('resourceVersion') ?? ''
  return version !== '' && version !== '0' && !isTrue(query.get('sendInitialEvents'))
}

interface List {
  readonly limit: number
  readonly isSingle: boolean
  readonly isCached: boolean
  readonly isSelective: boolean
}

function seatsByBytes({ count, size }: ObjectStats, { limit, isSingle, isCached, isSelective }: List): number {
  const objectSize = size <= 0 && count !== 0 ? largestObject : size
  const limited = limit > 0 ? Math.min(limit, count) : count
  const selected = isSelective && !isCached ? Math.max(limited, Math.floor(count / 2)) : limited
  const bytes = (isSingle ? 1 : selected) * objectSize
  return Math.ceil((isCached ? Math.min(bytes, streamedBytes) : bytes) / bytesPerSeat)
}

function seatsByObjects({ count }: ObjectStats, { limit, isSingle, isCached, isSelective }: List): number {
  const limited = limit > 0 ? Math.min(limit, count) : count
  const read = isSelective ? count + limited : 2 * limited
  return Math.ceil((isSingle ? 1 : isCached ? count : read) / objectsPerSeat)
}

/** Seats of a list or watch; `maxSeats`: the level's own maximum, 0: none. `stats`: undefined for unknown resources. */
export function listSeats(
  { info, query }: Pick<Exchange, 'info' | 'query'>,
  stats: ObjectStats | undefined,
  maxSeats: number,
  measure: ListMeasure,
): number {
  const limitText = query.get('limit') ?? ''
  const max = maxSeats === 0 ? maxListSeats[measure] : Math.min(maxSeats, maxListSeats[measure])
  // It will be refused.
  if (limitText !== '' && !decimal.test(limitText)) return max
  const isWatch = info.verb === 'watch'
  if (isWatch && startsLate(query)) return 1
  if (stats === undefined) return 1
  const limit = Number(limitText)
  const isSelective = Boolean(query.get('fieldSelector')) || Boolean(query.get('labelSelector'))
  const list = { limit, isSingle: info.name !== '', isCached: isWatch || !isRead(query, limit), isSelective }
  const seats = measure === 'bytes' ? seatsByBytes(stats, list) : seatsByObjects(stats, list)
  return Math.min(Math.max(seats, 1), max)
}
