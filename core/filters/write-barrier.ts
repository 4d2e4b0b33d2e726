import { ApiError, type GroupResource } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import type { Connection } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Filter } from './filter.ts'

/** Holds writes of resources back for a time after the start. */
export interface WriteBarrier {
  /** Nothing is held any more. */
  readonly open: boolean
  /** Why a resource is not written yet; undefined: it may be. */
  holds(resource: GroupResource): string | undefined
}

const reads = new Set(['get', 'list', 'watch'])

/**
 * Answers writes that are held with 503 (apiserver, endpoints/filters/storageversion.go). Those of storage versions and of leases in the system
 * namespace pass, and those of the server itself, whose parts start one after the other. `own`: the connection of the server's requests.
 */
export function writeBarrier(barrier: WriteBarrier, platform: Platform, own: Connection): Filter {
  const versions = platform.name('internal.apiserver.<domain>')
  const leases = platform.name('coordination.<domain>')
  const passes = ({ info, connection }: Exchange) =>
    connection === own ||
    reads.has(info.verb) ||
    (info.group === versions && info.resource === 'storageversions') ||
    (info.group === leases && info.resource === 'leases' && info.namespace === platform.namespaces.system)
  return (exchange, next) => {
    if (barrier.open || !exchange.info.isResource || passes(exchange)) return next(exchange)
    const why = barrier.holds(exchange.info)
    if (why !== undefined) throw new ApiError('ServiceUnavailable', why)
    return next(exchange)
  }
}
