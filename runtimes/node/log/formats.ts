/** The formats of log lines: klog's text, and pino's JSON with klog's fields. */
import { pino } from 'pino'
import { printable, quote } from '../../../core/schema/go/quote.ts'

export type Severity = 'info' | 'warning' | 'error'

/** One message. */
export interface Message {
  readonly severity: Severity
  /** Milliseconds since the epoch. */
  readonly time: number
  /** Source file and line, with its folder: `filters/recover.ts:46`. */
  readonly caller: string
  /** Verbosity that it needs; 0: always logged. */
  readonly verbosity: number
  readonly fields: object
  readonly text: string
}

/** Returns a whole line, with its line break. A value with line breaks may take several lines of text. */
export type Format = (message: Message) => string

const letters: Readonly<Record<Severity, string>> = { info: 'I', warning: 'W', error: 'E' }

const digits = (value: number, count: number) => String(value).padStart(count, '0')

/** `1124 20:13:10.123000`: month and day, local time in microseconds. */
function stamp(time: number): string {
  const date = new Date(time)
  const day = digits(date.getMonth() + 1, 2) + digits(date.getDate(), 2)
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => digits(part, 2)).join(':')
  return `${day} ${clock}.${digits(date.getMilliseconds(), 3)}000`
}

/** The stack of an error is for errors of this program; others are named by their message. */
const shown = (value: unknown, severity: Severity): unknown =>
  value instanceof Error ? (severity === 'error' ? (value.stack ?? value.message) : value.message) : value

function textOf(given: unknown, severity: Severity): string {
  const value = shown(given, severity)
  if (typeof value === 'string') {
    if (!value.includes('\n')) return quote(value)
    const lines = printable(value).replace(/\n$/, '')
    return `<\n\t${lines.replaceAll('\n', '\n\t')}\n >`
  }
  return typeof value === 'object' ? printable(JSON.stringify(value)).replaceAll('\n', '\\n') : String(value)
}

/**
 * klog's text: `I1124 20:13:10.123000   12345 recover.ts:46] "message" key="value"`. A message without fields is not quoted, as those of klog's
 * unstructured functions.
 */
export function textFormat(pid: number): Format {
  const process = String(pid).padStart(7)
  return ({ severity, time, caller, fields, text }) => {
    let line = `${letters[severity]}${stamp(time)} ${process} ${caller.slice(caller.lastIndexOf('/') + 1)}] `
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
    line += entries.length === 0 ? printable(text) : quote(text)
    for (const [key, value] of entries) line += ` ${key}=${textOf(value, severity)}`
    return `${line}\n`
  }
}

const methods = { info: 'info', warning: 'warn', error: 'error' } as const

/** JSON by pino: `ts` in milliseconds, `caller`, `msg` and, for all but errors, `v`, as in kube-apiserver; and `level`, which that does not tell. */
export function jsonFormat(): Format {
  let [line, time] = ['', 0]
  const write = (text: string) => {
    line = text
  }
  const log = pino({ base: null, timestamp: () => `,"ts":${time}`, formatters: { level: (level) => ({ level }) } }, { write })
  return (message) => {
    const { severity, caller, verbosity, fields, text } = message
    time = message.time
    const told = Object.entries(fields).filter(([key]) => !['level', 'ts', 'msg'].includes(key))
    const shownFields = Object.fromEntries(told.map(([key, value]) => [key, shown(value, severity)]))
    log[methods[severity]]({ ...shownFields, caller, ...(severity !== 'error' && { v: verbosity }) }, text)
    return line
  }
}
