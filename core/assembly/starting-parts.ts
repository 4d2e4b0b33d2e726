/** Starts parts of a server when the first request needs them: see `Late`. */
import type { Handler } from '../filters/filter.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { RequestInfo } from '../request/exchange.ts'
import type { Late, LateParts } from './context.ts'

/** What other servers serve, and what is defined at run time. */
const groups = ['aggregation', 'customResources'] as const

const readOnly = new Set(['get', 'list', 'watch'])

/** Admission plugins see all but plain reads: streams of subresources are connects. */
const isPlainRead = ({ verb, subresource }: RequestInfo) => readOnly.has(verb) && subresource === ''

/** The parts without which a request could get another answer. The core group is never that of another server. */
function partsFor(info: RequestInfo, table: ResourceTable): readonly (keyof LateParts)[] {
  const { isResource, group, version, resource } = info
  if (!isResource) return groups
  const isKnown = table.lookup(group, version, resource) !== undefined
  return [...(isKnown ? (group === '' ? [] : (['aggregation'] as const)) : groups), ...(isPlainRead(info) ? [] : (['plugins'] as const))]
}

export function startingParts(handle: Handler, table: ResourceTable, late: Late): Handler {
  let isComplete = false
  return (exchange) => {
    if (isComplete) return handle(exchange)
    isComplete = late.isComplete()
    const starting = isComplete ? undefined : late.demand(partsFor(exchange.info, table))
    return starting === undefined ? handle(exchange) : starting.then(() => handle(exchange))
  }
}
