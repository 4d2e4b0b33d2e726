/** Accessors of timestamps and durations. */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { costly } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { type Int, intOf } from '../values/numbers.ts'
import type { CelDuration, CelTimestamp } from '../values/times.ts'
import { quoted } from './quoted.ts'

/** Local time in a time zone, as a date whose UTC parts are the local ones. */
function zonedTime(nanos: bigint, zone: string): Date {
  const million = 1_000_000n
  const millis = Number((nanos - (((nanos % million) + million) % million)) / million)
  return new Date(millis + offsetAt(millis, zone) * 60_000)
}

/** Maximum characters of a time zone. */
const longestZone = 100
/** Time to look up the rules of a time zone. */
const nanosecondsPerZone = 60_000

/** Time zone offset in minutes east of UTC. Throws a CelError for an unknown zone. */
function offsetAt(millis: number, zone: string): number {
  if (zone === '' || zone === 'UTC') return 0
  if (zone.length > longestZone) return fail(`unknown time zone ${zone}`)
  const colon = zone.indexOf(':')
  if (colon >= 0) return fixedOffset(zone, zone.slice(0, colon), zone.slice(colon + 1))
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const name = format.formatToParts(millis).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
    const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  } catch {
    return fail(`unknown time zone ${zone}`)
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

const rows: readonly Row[] = [
  ...parts.flatMap(([name, id, get]): readonly Row[] => [
    [id, `timestamp.${name}(): int`, ({ nanos }: CelTimestamp) => get(zonedTime(nanos, ''))],
    [
      `${id}_with_tz`,
      `timestamp.${name}(string): int`,
      ({ nanos }: CelTimestamp, zone: string) =>
        costly(zone.length > 'UTC'.length && !zone.includes(':') ? nanosecondsPerZone : 0, () => get(zonedTime(nanos, zone))),
    ],
  ]),
  ...spans.map(([name, id, get]): Row => [id, `duration.${name}(): int`, ({ nanos }: CelDuration): Int => intOf(get(nanos))]),
]

export const accessorLibrary = (): readonly FunctionDeclaration[] => declare(rows)
