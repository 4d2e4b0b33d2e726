/** Durations by operation, in milliseconds. */
export interface Summary {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export class Measures {
  readonly #durations = new Map<string, number[]>()
  readonly #failures = new Map<string, number>()
  /** Nothing is measured before. */
  active = false

  add(operation: string, milliseconds: number): void {
    if (!this.active) return
    const known = this.#durations.get(operation)
    if (known) known.push(milliseconds)
    else this.#durations.set(operation, [milliseconds])
  }

  fail(what: string): void {
    this.#failures.set(what, (this.#failures.get(what) ?? 0) + 1)
  }

  /** Measures until the promise resolves. */
  async of<T>(operation: string, promise: Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await promise
    this.add(operation, performance.now() - began)
    return result
  }

  /** The most frequent failures, with their counts. */
  get failures(): readonly (readonly [what: string, count: number])[] {
    return [...this.#failures].toSorted((a, b) => b[1] - a[1]).slice(0, 10)
  }

  summaries(): { readonly [operation: string]: Summary } {
    return Object.fromEntries([...this.#durations].map(([operation, durations]) => [operation, summaryOf(durations)]))
  }
}

function summaryOf(durations: readonly number[]): Summary {
  const sorted = Float64Array.from(durations).sort()
  const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
  return { count: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 }
}
