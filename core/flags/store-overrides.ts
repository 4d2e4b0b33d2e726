/** Items of `--kvstore-servers-overrides`, such as `/events#http://a:2379;http://b:2379`. */

import type { GroupResource } from '../answers/status.ts'
import { serverProblem } from '../config/bounds.ts'

/** Servers that store the given resources instead of the main store. */
export interface ServersOverride {
  readonly servers: readonly string[]
  readonly resources: readonly GroupResource[]
}

/** Error of an item; undefined: valid. */
export function overrideProblem(item: string): string | undefined {
  const [resource = '', servers = '', ...rest] = item.split('#')
  if (rest.length > 0 || resource.split('/').length !== 2 || resource.endsWith('/')) return 'must be group/resource#url;url'
  return servers.split(';').some((server) => serverProblem(server)) ? 'must be group/resource#url;url' : undefined
}

/** One override per set of servers, regardless of their order; in the order of the items. */
export function serversOverrides(items: readonly string[]): readonly ServersOverride[] {
  const sets = new Map<string, { servers: readonly string[]; resources: GroupResource[] }>()
  for (const item of items) {
    const [on = '', list = ''] = item.split('#')
    const [group = '', resource = ''] = on.split('/')
    const servers = list.split(';')
    const key = servers.toSorted().join(';')
    const known = sets.get(key) ?? { servers, resources: [] }
    sets.set(key, known)
    known.resources.push({ group, resource })
  }
  return [...sets.values()]
}
