/** The steps of an operation with their times, which the log shows when it was slow; the texts are those of the reference (utils/trace). */
import type { Clock, SpanAttributes } from '../ports.ts'

/** What the traces of a server share. */
export interface TraceLog {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Writes lines. */
  write(text: string): void
  /** Whether steps and parts that were not slow are shown, too. */
  isVerbose(): boolean
}

interface Step {
  readonly name: string
  readonly attributes: SpanAttributes | undefined
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/** More steps and parts are not kept: a deletecollection has one part per object. */
const maxItems = 256
const maxNumber = 2 ** 31

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu
const shown = (value: string | number | boolean) => String(value).replace(unprintable, '\uFFFD')

const fieldsOf = (attributes: SpanAttributes | undefined) =>
  Object.entries(attributes ?? {})
    .map(([key, value]) => `${key}:${shown(value)}`)
    .join(',')

const two = (value: number) => String(value).padStart(2, '0')
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Local time: `20:13:10.123`. */
function timeText(time: Date): string {
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()]
  return `${parts.map(two).join(':')}.${String(time.getMilliseconds()).padStart(3, '0')}`
}
const dateText = (time: Date) => `${two(time.getDate())}-${months[time.getMonth()]}-${time.getFullYear()} ${timeText(time)}`

export class LogTrace {
  readonly #log: TraceLog
  readonly #name: string
  readonly #attributes: SpanAttributes | undefined
  readonly #isPart: boolean
  readonly #began: number
  readonly #items: (Step | LogTrace)[] = []
  #ended: number | undefined
  #threshold: number | undefined

  constructor(log: TraceLog, name: string, attributes?: SpanAttributes, isPart = false) {
    this.#log = log
    this.#name = name
    this.#attributes = attributes
    this.#isPart = isPart
    this.#began = log.clock.monotonic()
  }

  part(name: string, attributes?: SpanAttributes): LogTrace {
    const part = new LogTrace(this.#log, name, attributes, true)
    if (this.#items.length < maxItems) this.#items.push(part)
    return part
  }

  step(name: string, attributes?: SpanAttributes): void {
    if (this.#items.length < maxItems) this.#items.push({ name, attributes, at: this.#log.clock.monotonic() })
  }

  /** Milliseconds after which it counts as slow. A part is shown with the whole. */
  end(threshold: number): void {
    if (this.#ended !== undefined) return
    this.#ended = this.#log.clock.monotonic()
    this.#threshold = threshold
    if (!this.#isPart) this.#write()
  }

  get #duration(): number {
    return (this.#ended ?? this.#began) - this.#began
  }

  get #isSlow(): boolean {
    return this.#ended !== undefined && this.#duration >= (this.#threshold ?? 0)
  }

  /** Writes what is slow: the whole, or else its slow parts each on their own. */
  #write(): void {
    if (!this.#isSlow) {
      for (const item of this.#items) if (item instanceof LogTrace) item.#write()
      return
    }
    const head = `Trace[${Math.floor(Math.random() * maxNumber)}]: `
    const fields = fieldsOf(this.#attributes)
    const total = Math.floor(this.#duration)
    const began = dateText(this.#dateOf(this.#began))
    const lines = [`${head}${JSON.stringify(this.#name)} ${fields === '' ? '' : `${fields} `}(${began}) (total time: ${total}ms):`]
    this.#writeItems(lines, head, this.#stepThreshold)
    lines.push(`${head}[${this.#duration.toFixed(3)}ms] [${this.#duration.toFixed(3)}ms] END`)
    this.#log.write(lines.join('\n'))
  }

  #writeItems(lines: string[], head: string, threshold: number): void {
    let last = this.#began
    for (const item of this.#items) {
      if (item instanceof LogTrace) {
        item.#writePart(lines, head, threshold)
        last = item.#ended ?? item.#began
        continue
      }
      const took = item.at - last
      last = item.at
      if (took < threshold && !this.#log.isVerbose()) continue
      lines.push(`${head}---${this.#summary(item.name, item.attributes, took, item.at)}`)
    }
  }

  #writePart(lines: string[], head: string, threshold: number): void {
    if (!this.#isSlow && !this.#log.isVerbose()) {
      for (const item of this.#items) if (item instanceof LogTrace) item.#writePart(lines, head, threshold)
      return
    }
    lines.push(`${head}[${this.#summary(this.#name, this.#attributes, this.#duration, this.#began)}`)
    this.#writeItems(lines, `${head} `, this.#stepThreshold)
    lines.push(`${lines.pop()}]`)
  }

  #summary(name: string, attributes: SpanAttributes | undefined, took: number, at: number): string {
    const fields = fieldsOf(attributes)
    return `${JSON.stringify(name)} ${fields === '' ? '' : `${fields} `}${Math.floor(took)}ms (${timeText(this.#dateOf(at))})`
  }

  /** Minimum milliseconds of a step that is shown: an equal share of the time that the parts leave, of which at least a quarter is shared. */
  get #stepThreshold(): number {
    const whole = this.#threshold ?? 0
    const parts = this.#items.flatMap((item) => (item instanceof LogTrace && item.#threshold !== undefined ? [item.#threshold] : []))
    const left = parts.reduce((rest, threshold) => rest - threshold, whole)
    const count = this.#items.length + 1
    return left < whole / 4 ? whole / 4 / count : left / (count - parts.length)
  }

  #dateOf(monotonic: number): Date {
    const { clock } = this.#log
    return new Date(clock.now() - (clock.monotonic() - monotonic))
  }
}
