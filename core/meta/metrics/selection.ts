/** Which metrics are recorded, and which label values they may have (KEP-1209, KEP-2305). */

import type { MetricRow, Stability } from '../../metrics.ts'
import { ownRelease } from '../../release.ts'

type Names = readonly string[]

/** By metric, then by label. */
export type AllowedValues = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

export interface MetricSelection {
  /** Full names of metrics to leave out. Takes precedence over `showHidden`. */
  readonly disabled?: ReadonlySet<string>
  /** Also record metrics that this release hides, because they are deprecated for long. Default false. */
  readonly showHidden?: boolean
  /** Allowed values of labels; other values are recorded as `unexpected`. */
  readonly allowed?: AllowedValues
}

/** Minor releases from the deprecation of a metric to the one that hides it. */
const periods: { readonly [stability in NonNullable<Stability>]: number } = { STABLE: 3, BETA: 1, ALPHA: 0 }

const minorOf = (release: string) => Number(release.split('.')[1])

/** Whether this release hides the metric. */
function isHidden({ deprecated, stability }: Pick<MetricRow, 'deprecated' | 'stability'>): boolean {
  if (deprecated === undefined) return false
  return minorOf(deprecated) + periods[stability ?? 'ALPHA'] <= minorOf(ownRelease)
}

export const isSelected = (row: MetricRow, { disabled, showHidden = false }: MetricSelection): boolean =>
  !disabled?.has(row.name) && (showHidden || !isHidden(row))

/** Replaces values that are not allowed, and calls `unexpected` for each; undefined when the metric may have any values. */
export function constraintOf(
  { name, labels }: Pick<MetricRow, 'name' | 'labels'>,
  { allowed }: MetricSelection,
  unexpected: () => void,
): ((values: Names) => Names) | undefined {
  const byLabel = allowed?.get(name)
  if (byLabel === undefined) return undefined
  const sets = labels.map((label) => byLabel.get(label))
  return (values) =>
    values.map((value, index) => {
      if (sets[index]?.has(value) !== false) return value
      unexpected()
      return 'unexpected'
    })
}

const labelName = '[a-zA-Z_][a-zA-Z0-9_]*'
const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const isKey = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/
const isName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** Why the keys of a map from `metric,label` to values are invalid; undefined: they are not. */
export function allowedValuesProblem(keys: Iterable<string>): string | undefined {
  for (const key of keys)
    if (!isKey.test(key))
      return `must have keys with format \`metricName,labelName\` where metricName matches ${JSON.stringify(metricName)} and labelName matches ${JSON.stringify(labelName)}`
  return undefined
}

/** Why a list of metrics to disable is invalid; undefined: it is not. */
export function disabledProblem(names: Names): string | undefined {
  const wrong = names.find((name) => !isName.test(name))
  return wrong === undefined
    ? undefined
    : `must be fully qualified metric names matching ${JSON.stringify(isName.source)}, got ${JSON.stringify(wrong)}`
}

/** `metric,label` to values that are separated by commas. */
export function allowedValues(texts: ReadonlyMap<string, string>): AllowedValues {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>()
  for (const [key, values] of texts) {
    const [metric = '', label = ''] = key.split(',')
    const byLabel = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>()
    allowed.set(metric, byLabel.set(label, new Set(values.split(','))))
  }
  return allowed
}
