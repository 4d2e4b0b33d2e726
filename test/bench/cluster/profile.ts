/** What a processor profile of the server says, by functions of the source: where the time goes, and what held the event loop. */
import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { SourceMap } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Observed } from './servers.ts'

/** Functions and stalls that are listed, and functions of each stall. */
const [functions, stalls, holders] = [40, 12, 5]
/** What runs when nothing of the program does. */
const outside = new Set(['(program)', '(idle)', '(root)'])
/** Callers of everything: they say nothing about a stall. */
const everywhere = /^(processTicksAndRejections|runMicrotasks|runNextTicks|processImmediate|listOnTimeout|processTimers|emit|onStreamRead)$/

const root = fileURLToPath(new URL('../../..', import.meta.url))
const bundle = join(root, 'dist/bin/server.js')

interface Shares {
  self: number
  all: number
}

export class Profile {
  readonly #profile: Profiler.Profile
  /** The functions of each node's stack, outermost first. */
  readonly #stacks = new Map<number, readonly string[]>()
  #map: SourceMap | undefined

  constructor(file: string) {
    this.#profile = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile
    const { nodes } = this.#profile
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
    // Parents come first.
    for (const { id, callFrame } of nodes) {
      const above = this.#stacks.get(parents.get(id) ?? 0) ?? []
      this.#stacks.set(id, [...above, this.#nameOf(callFrame)])
    }
  }

  /** The functions that cost most, with what they call. */
  totals(): string {
    const { shares, total } = this.#shares(0, Number.POSITIVE_INFINITY)
    const percent = (value: number) => `${((100 * value) / total).toFixed(1)} %`
    const rows = [...shares].toSorted((a, b) => b[1].all - a[1].all).slice(0, functions)
    const bySelf = [...shares].toSorted((a, b) => b[1].self - a[1].self).slice(0, functions / 2)
    return [
      '| function | with what it calls | itself |\n| --- | --- | --- |',
      ...[...new Set([...rows, ...bySelf])].map(([name, { all, self }]) => `| ${name} | ${percent(all)} | ${percent(self)} |`),
    ].join('\n')
  }

  /** The longest stalls, with the functions that held the event loop. */
  stalls({ stalls: all }: Observed): string {
    const longest = all.toSorted((a, b) => b.busy - a.busy).slice(0, stalls)
    const rows = longest.map(({ from, to, busy }) => {
      const { shares, total } = this.#shares(from, to)
      const largest = [...shares].toSorted((a, b) => b[1].all - a[1].all).slice(0, holders)
      const names = largest.map(([name, { all: share }]) => `${name} ${((100 * share) / total).toFixed(0)} %`)
      return `| ${((from - this.#profile.startTime) / 1e6).toFixed(1)} | ${((to - from) / 1000).toFixed(0)} | ${busy.toFixed(0)} | ${names.join(', ')} |`
    })
    return ['| second | stall, ms | processor, ms | functions |', '| --- | --- | --- | --- |', ...rows].join('\n')
  }

  /** Microseconds by function between two times of the profile's clock; `total` is without idle time. */
  #shares(from: number, to: number): { readonly shares: ReadonlyMap<string, Shares>; readonly total: number } {
    const { samples = [], timeDeltas = [], startTime } = this.#profile
    const shares = new Map<string, Shares>()
    let [at, total] = [startTime, 0]
    for (const [index, id] of samples.entries()) {
      at += timeDeltas[index] ?? 0
      if (at < from || at > to) continue
      const spent = timeDeltas[index + 1] ?? 0
      const stack = this.#stacks.get(id) ?? []
      const last = stack.at(-1)
      if (last === '(idle)') continue
      total += spent
      for (const name of new Set(stack)) {
        if (outside.has(name) || everywhere.test(name)) continue
        const share = shares.get(name) ?? { self: 0, all: 0 }
        share.all += spent
        if (name === last) share.self += spent
        shares.set(name, share)
      }
    }
    return { shares, total }
  }

  /** `core/objects/watch/cache.ts:70 apply`; other names are those of the profile. */
  #nameOf({ functionName, url, lineNumber, columnNumber }: Profiler.Profile['nodes'][number]['callFrame']): string {
    if (basename(url) !== basename(bundle)) return functionName || `${url}:${lineNumber + 1}`
    this.#map ??= new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))
    const found = this.#map.findEntry(lineNumber, columnNumber)
    if (!('originalSource' in found)) return functionName
    return `${relative(root, join(dirname(bundle), found.originalSource))}:${found.originalLine + 1}`
  }
}
