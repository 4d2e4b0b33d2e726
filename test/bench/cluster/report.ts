/** The tables that a run prints. */
import { processorSeconds, residentMemory } from '../daemon.ts'
import type { LoadReport, Phase } from './load.ts'
import type { MeasuredServer, Memory, Observed } from './servers.ts'

/** 99th percentiles to reach, in milliseconds; `otherwise` for all other writes and reads, `undefined`: none. */
const objectives: { readonly [operation: string]: number | undefined } = {
  'list the pods of a namespace': 1_000,
  'list all pods as kubectl, in pages': 10_000,
  'list all pods as an informer': 10_000,
  'watch delay, from the write being sent': 200,
  'pod from creation to running': undefined,
}
const otherwise = 100

interface Usage {
  /** Seconds of processor time so far. */
  readonly processor: number
  /** Resident MiB. */
  readonly memory: number
  /** As `performance.now()`. */
  readonly at: number
}

const usageOf = (pid: number): Usage => ({ processor: processorSeconds(pid), memory: residentMemory(pid), at: performance.now() })
const processors = (from: Usage, to: Usage) => (to.processor - from.processor) / ((to.at - from.at) / 1000)
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const mib = (value: number) => `${value.toFixed(0)} MiB`

/** What processes use, at each phase and at most. */
export class Usages {
  readonly #processes: readonly { readonly name: string; readonly pid: number }[]
  readonly #marks = new Map<Phase, readonly Usage[]>()
  readonly #peaks: number[]
  readonly #timer: NodeJS.Timeout

  constructor(processes: Usages['processes']) {
    this.#processes = processes
    this.#peaks = processes.map(() => 0)
    this.#timer = setInterval(() => this.#look(), 1_000)
  }

  get processes(): readonly { readonly name: string; readonly pid: number }[] {
    return this.#processes
  }

  mark(phase: Phase): void {
    this.#marks.set(phase, this.#look())
  }

  close(): void {
    clearInterval(this.#timer)
  }

  table(): string {
    const at = (phase: Phase, index: number) => this.#marks.get(phase)![index]!
    const rows = this.#processes.map(({ name }, index) => {
      const [from, to] = [at('measuring', index), at('measured', index)]
      const memories = [at('populated', index).memory, at('watching', index).memory, to.memory, this.#peaks[index]!]
      return `| ${name} | ${processors(from, to).toFixed(2)} | ${memories.map(mib).join(' | ')} |`
    })
    const head =
      '| process | processors | memory before watches | with watches | at the end | at most |\n| --- | --- | --- | --- | --- | --- |'
    return [head, ...rows].join('\n')
  }

  #look(): readonly Usage[] {
    const now = this.#processes.map(({ pid }) => usageOf(pid))
    for (const [index, { memory }] of now.entries()) this.#peaks[index] = Math.max(this.#peaks[index]!, memory)
    return now
  }
}

/** Memory of a server after a collection of garbage, once a minute. */
export class Memories {
  readonly #rows: string[] = []
  readonly #began = performance.now()
  readonly #memory: () => Promise<Memory>
  #timer: NodeJS.Timeout | undefined

  constructor(memory: () => Promise<Memory>) {
    this.#memory = memory
    this.#next(0)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  table(): string {
    return ['| minute | heap, MiB | outside, MiB | resident, MiB |', '| --- | --- | --- | --- |', ...this.#rows].join('\n')
  }

  #next(milliseconds: number): void {
    this.#timer = setTimeout(() => void this.#look(), milliseconds)
  }

  async #look(): Promise<void> {
    const passed = performance.now() - this.#began
    this.#next(60_000 - (passed % 60_000))
    const { heapUsed, external, rss } = await this.#memory()
    const row = `| ${[Math.floor(passed / 60_000), ...[heapUsed, external, rss].map((bytes) => Math.round(bytes / 2 ** 20))].join(' | ')} |`
    this.#rows.push(row)
    console.error(row)
  }
}

/** The whole report; `title`: what was measured. */
export function reportOf(server: MeasuredServer, title: string, report: LoadReport, usages: Usages): string {
  const rows = Object.entries(report.summaries).map(([operation, { count, p50, p99, max }]) => {
    const objective = operation in objectives ? objectives[operation] : otherwise
    const verdict = objective === undefined ? '' : `${ms(objective)}${p99 > objective ? ', missed' : ''}`
    return `| ${operation} | ${count} | ${ms(p50)} | ${ms(p99)} | ${ms(max)} | ${verdict} |`
  })
  return [
    `${server.name}: ${title}; ${report.watches} watches on ${report.connections} connections, opened again ${report.reopened} times\n`,
    '| operation | count | p50 | p99 | longest | objective |\n| --- | --- | --- | --- | --- | --- |',
    ...rows,
    `\n${usages.table()}`,
    `\nevent loop of the load: p99 ${ms(report.loopDelay)}`,
    ...report.failures.map(([what, count]) => `failed ${count} times: ${what}`),
  ].join('\n')
}

/** The server's event loop and garbage while it was filled or measured. */
export function loopOf(part: string, { delay, collections, stalls }: Observed): string {
  const late = `p50 ${ms(delay.p50)}, p99 ${ms(delay.p99)}, longest ${ms(delay.max)}`
  const garbage = `${(collections.share * 100).toFixed(1)} % of the time, longest ${ms(collections.longest)}`
  return `event loop of the server (${part}): ${late}; ${stalls.length} times busy for 50 ms or more; garbage: ${garbage}`
}
