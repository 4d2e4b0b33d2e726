import type { MetricRows, Recorded } from '../../core/metrics.ts'

/** Recorders that note each value: the name of the row, the labels, and the value if it has one. */
export function noted<Rows extends MetricRows>(rows: Rows, note: (...entry: (string | number)[]) => void): Recorded<Rows> {
  const recorderOf = (name: string) => {
    const write = (labels: readonly string[], ...value: number[]) => note(name, ...labels, ...value)
    return {
      add: write,
      set: write,
      observe: write,
      touch: write,
      remove: write,
      in:
        (labels: readonly string[]) =>
        (...value: number[]) =>
          write(labels, ...value),
    }
  }
  return Object.fromEntries(Object.keys(rows).map((name) => [name, recorderOf(name)])) as unknown as Recorded<Rows>
}
