/** Accessors of timestamps and durations. */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { costly } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { type Int, intOf } from '../values/numbers.ts'
import type { CelDuration, CelTimestamp } from '../values/times.ts'
import { quoted } from './quoted.ts'

/** Local time, as a date whose UTC parts are the local ones. `offset`: minutes east of UTC at a time in milliseconds. */
function localTime(nanos: bigint, offset: (millis: number) => number): Date {
  const million = 1_000_000n
  const millis = Number((nanos - (((nanos % million) + million) % million)) / million)
  return new Date(millis + offset(millis) * 60_000)
}

const utc = () => 0
/** Maximum characters of a time zone. */
const maxZoneLength = 100
/** Maximum number of time zones that are kept; each takes some 50 kB. */
const maxKept = 4
/** Nanoseconds to look up the rules of a time zone, and to apply them. */
const nanosecondsPerZone = 100_000
const nanosecondsPerTime = 3_000

/** The time zones that were used last: their rules take long to look up. */
class Zones {
  readonly #kept = new Map<string, Intl.DateTimeFormat>()

  /** Nanoseconds that `offset` takes. */
  cost(zone: string): number {
    if (zone.length <= 'UTC'.length || zone.length > maxZoneLength || zone.includes(':')) return 0
    return this.#kept.has(zone) ? nanosecondsPerTime : nanosecondsPerZone
  }

  /** Offset in minutes east of UTC. Throws a CelError for an unknown zone. */
  offset(millis: number, zone: string): number {
    if (zone === '' || zone === 'UTC') return 0
    if (zone.length > maxZoneLength) return fail(`unknown time zone ${zone}`)
    const colon = zone.indexOf(':')
    if (colon >= 0) return fixedOffset(zone, zone.slice(0, colon), zone.slice(colon + 1))
    const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(this.#format(zone).format(millis)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  }

  #format(zone: string): Intl.DateTimeFormat {
    const kept = this.#kept.get(zone)
    if (kept) return kept
    let format: Intl.DateTimeFormat
    try {
      format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    } catch {
      return fail(`unknown time zone ${zone}`)
    }
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= maxKept) this.#kept.delete(oldest)
    this.#kept.set(zone, format)
    return format
  }
}

function fixedOffset(zone: string, hours: string, minutes: string): number {
  for (const each of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(each)) return fail(`strconv.Atoi: parsing ${quoted(each)}: invalid syntax`)
  }
  const minute = Number(minutes)
  if (minute < 0 || minute > 59) return fail(`timezone offset minutes out of range [0, 59]: ${zone}`)
  return Number(hours) * 60 + (zone.startsWith('-') ? -minute : minute)
}

const dayOfYear = (date: Date) => {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.round((date.getTime() - start.getTime()) / 86_400_000)
}

const parts: readonly (readonly [name: string, id: string, get: (date: Date) => number])[] = [
  ['getFullYear', 'timestamp_to_year', (date) => date.getUTCFullYear()],
  ['getMonth', 'timestamp_to_month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'timestamp_to_day_of_year', dayOfYear],
  ['getDayOfMonth', 'timestamp_to_day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'timestamp_to_day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'timestamp_to_hours', (date) => date.getUTCHours()],
  ['getMinutes', 'timestamp_to_minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'timestamp_to_seconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', 'timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()],
]

const spans: readonly (readonly [name: string, id: string, get: (nanos: bigint) => bigint])[] = [
  ['getHours', 'duration_to_hours', (nanos) => nanos / 3_600_000_000_000n],
  ['getMinutes', 'duration_to_minutes', (nanos) => nanos / 60_000_000_000n],
  ['getSeconds', 'duration_to_seconds', (nanos) => nanos / 1_000_000_000n],
  ['getMilliseconds', 'duration_to_milliseconds', (nanos) => nanos / 1_000_000n],
]

const rows = (zones: Zones): readonly Row[] => [
  ...parts.flatMap(([name, id, get]): readonly Row[] => [
    [id, `timestamp.${name}(): int`, ({ nanos }: CelTimestamp) => get(localTime(nanos, utc))],
    [
      `${id}_with_tz`,
      `timestamp.${name}(string): int`,
      ({ nanos }: CelTimestamp, zone: string) =>
        costly(zones.cost(zone), () => get(localTime(nanos, (millis) => zones.offset(millis, zone)))),
    ],
  ]),
  ...spans.map(([name, id, get]): Row => [id, `duration.${name}(): int`, ({ nanos }: CelDuration): Int => intOf(get(nanos))]),
]

export const accessorLibrary = (): readonly FunctionDeclaration[] => declare(rows(new Zones()))
