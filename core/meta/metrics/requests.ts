/** Metrics of single requests. */
import type { Counter, Histogram, LabelValues } from '../../metrics.ts'
import type { MetricsRegistry } from './registry.ts'
import { requestLabels, requestRows as rows } from './rows/requests.ts'
import { createSeries } from './series.ts'

export type RequestLabels = LabelValues<typeof requestLabels.labels>
/** Without `dry_run`. */
export type ResourceLabels = LabelValues<typeof rows.longRunning.labels>

/** What is counted of the requests with the same labels, so that a request needs one look-up. */
export interface RequestSeries {
  /** A request ended with this status code after `seconds`, `waited` of which it waited for webhooks and in queues. */
  ended(code: number, seconds: number, waited: number): void
  /** Bytes of a response to a reading request. */
  sent(bytes: number): void
}

export type Passed = (milliseconds: number) => void

export interface RequestMetrics {
  series(labels: RequestLabels): RequestSeries
  readonly requests: Counter<typeof rows.requests.labels>
  readonly terminations: Counter<typeof rows.terminations.labels>
  readonly selfRequests: Counter<typeof rows.selfRequests.labels>
  readonly lateEnds: Counter<typeof rows.lateEnds.labels>
  readonly bodySizes: Histogram<typeof rows.bodySizes.labels>
  /** What counts the milliseconds that a filter took for a request before it passed the request on. */
  passed(filter: string): Passed
  /** A request had this value of fieldValidation. */
  validated(value: string): void
}

export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const requests = registry.counter(rows.requests)
  const durations = registry.histogram(rows.durations)
  const ownDurations = registry.histogram(rows.ownDurations)
  const formerDurations = registry.histogram(rows.formerDurations)
  const sizes = registry.histogram(rows.sizes)
  const filterDurations = registry.histogram(rows.filterDurations)
  const validations = registry.histogram(rows.fieldValidation)

  function create(labels: RequestLabels): RequestSeries {
    const [verb, dryRun, ...where] = labels
    const duration = durations.in(labels)
    const own = ownDurations.in([verb, ...where])
    const former = formerDurations.in([verb, ...where])
    const sent = sizes.in([verb, ...where])
    const byCode = new Map<number, () => void>()
    return {
      ended(code, seconds, waited) {
        let count = byCode.get(code)
        if (count === undefined) {
          count = requests.in([...labels, String(code)])
          byCode.set(code, count)
        }
        count()
        duration(seconds)
        // As in the reference, which leaves dry runs out.
        if (dryRun !== '') return
        own(seconds - waited)
        former(seconds - waited)
      },
      sent,
    }
  }

  const all = createSeries(requestLabels, (values) => create(values as RequestLabels))
  return {
    series: (labels) => all.of(labels).state,
    requests,
    terminations: registry.counter(rows.terminations),
    selfRequests: registry.counter(rows.selfRequests),
    lateEnds: registry.counter(rows.lateEnds),
    bodySizes: registry.histogram(rows.bodySizes),
    passed(filter) {
      const observe = filterDurations.in([filter])
      return (milliseconds) => observe(milliseconds / 1000)
    },
    validated: (value) => validations.touch([value]),
  }
}
