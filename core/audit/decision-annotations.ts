import type { Platform } from '../platform.ts'
import type { Verdict } from '../request/exchange.ts'
import type { AuditEvent } from './event.ts'

type Annotations = AuditEvent['annotations']

/** Maximum reasons that are kept for each verdict. */
const maxKept = 1_000

/** What events say about authorization. Most requests have the reason of many others, whose annotations are shared. */
export class DecisionAnnotations {
  readonly #decision: string
  readonly #reason: string
  readonly #known = { allow: new Map<string, Annotations>(), forbid: new Map<string, Annotations>() }

  constructor(platform: Platform) {
    this.#decision = platform.name('authorization.<domain>/decision')
    this.#reason = platform.name('authorization.<domain>/reason')
  }

  /** Sorted by key. */
  of(verdict: Verdict, reason: string): Annotations {
    if (verdict === 'error') return [[this.#reason, 'internal error']]
    const known = this.#known[verdict]
    let annotations = known.get(reason)
    if (annotations === undefined) {
      annotations = [
        [this.#decision, verdict],
        [this.#reason, reason],
      ]
      if (known.size >= maxKept) known.clear()
      known.set(reason, annotations)
    }
    return annotations
  }
}
