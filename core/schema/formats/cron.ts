/** Cron schedules of five fields, with descriptors such as `@daily` and `@every 1h` (the grammar of robfig/cron v3). */
import { parseDuration } from './duration.ts'
import { isTimeZone } from './time-zones.ts'

const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: ReadonlyMap<string, number>
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: new Map(months.map((name, index) => [name, index + 1])) },
  { min: 0, max: 6, names: new Map(days.map((name, index) => [name, index])) },
]

class CronError extends Error {}

function number(text: string, { names }: Bounds): number {
  const named = names?.get(text.toLowerCase())
  if (named !== undefined) return named
  if (/^-\d+$/.test(text)) throw new CronError(`negative number (${text}) not allowed: ${text}`)
  if (!/^\+?\d{1,18}$/.test(text)) {
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  return Number(text)
}

function validateRange(expression: string, bounds: Bounds): void {
  const [range = '', step, ...moreSteps] = expression.split('/')
  const [low = '', high, ...moreEnds] = range.split('-')
  let start = bounds.min
  let end = bounds.max
  if (low === '*' || low === '?') {
    if (high !== undefined && moreEnds.length > 0) throw new CronError(`too many hyphens: ${expression}`)
  } else {
    start = number(low, bounds)
    if (moreEnds.length > 0) throw new CronError(`too many hyphens: ${expression}`)
    end = high === undefined ? (step === undefined ? start : bounds.max) : number(high, bounds)
  }
  if (moreSteps.length > 0) throw new CronError(`too many slashes: ${expression}`)
  const stride = step === undefined ? 1 : number(step, { min: 0, max: Number.MAX_SAFE_INTEGER })
  if (start < bounds.min) throw new CronError(`beginning of range (${start}) below minimum (${bounds.min}): ${expression}`)
  if (end > bounds.max) throw new CronError(`end of range (${end}) above maximum (${bounds.max}): ${expression}`)
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`)
  if (stride === 0) throw new CronError(`step of range should be a positive number: ${expression}`)
}

function validateDescriptor(text: string): void {
  if (descriptors.has(text)) return
  const every = '@every '
  if (!text.startsWith(every)) throw new CronError(`unrecognized descriptor: ${text}`)
  try {
    parseDuration(text.slice(every.length))
  } catch (error) {
    throw new CronError(`failed to parse duration ${text}: ${(error as Error).message}`)
  }
}

/** The schedule may also name the zone of the program that reads it. */
function validateZone(name: string): void {
  if (name !== '' && name !== 'Local' && !isTimeZone(name)) throw new CronError(`provided bad location ${name}: unknown time zone ${name}`)
}

function validateSchedule(schedule: string): void {
  if (schedule === '') throw new CronError('empty spec string')
  const zoned = schedule.startsWith('TZ=') || schedule.startsWith('CRON_TZ=')
  const space = schedule.indexOf(' ')
  if (zoned) validateZone(schedule.slice(schedule.indexOf('=') + 1, space < 0 ? undefined : space))
  const text = zoned ? schedule.slice(space < 0 ? schedule.length : space).trim() : schedule
  if (text.startsWith('@')) validateDescriptor(text)
  else validateFields(text)
}

function validateFields(text: string): void {
  const parts = text.split(/[ \t\n\v\f\r]+/).filter((part) => part !== '')
  if (parts.length !== fields.length) {
    throw new CronError(`expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`)
  }
  parts.forEach((part, index) => {
    for (const expression of part.split(',')) if (expression !== '') validateRange(expression, fields[index] as Bounds)
  })
}

/** Returns errors when the schedule can't be parsed. */
export function cronSchedule(schedule: string): string[] {
  try {
    validateSchedule(schedule)
    return []
  } catch (error) {
    if (error instanceof CronError) return [error.message]
    throw error
  }
}
