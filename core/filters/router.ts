import type { Handler } from './filter.ts'

export interface Destinations {
  /** Paths below a group version. */
  readonly resources: Handler
  /** All others: discovery, health and the like. */
  readonly fixed: Handler
}

/** Where paths end, behind all filters: the one place that decides who answers. */
export function createRouter({ resources, fixed }: Destinations): Handler {
  return (exchange) => (exchange.info.isResource ? resources(exchange) : fixed(exchange))
}
