import type { Platform } from '../platform.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { type ResourceRow, resourceRows } from './resource-rows.ts'
import type { ServedGroup } from './served.ts'

/** Media type parameters of aggregated discovery, for negotiation and Content-Type. */
export function aggregatedType(version: string, platform: Platform) {
  const group = `apidiscovery.${platform.domain}`
  const kind = 'APIGroupDiscoveryList'
  return { group, kind, parameters: `g=${group};v=${version};as=${kind}` }
}

/** All groups with their resources in one document (KEP-3352). */
export function aggregatedList(groups: readonly ServedGroup[], version: string, platform: Platform) {
  const { group, kind } = aggregatedType(version, platform)
  return {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, definitions }) => ({ version, resources: definitions.map(discovered), freshness: 'Current' })),
    })),
  }
}

/** Empty group and version default to those of the list, as in the unaggregated lists. */
const responseKind = ({ group = '', version = '', kind }: ResourceRow) => ({ group, version, kind })

function discovered(definition: ResourceDefinition) {
  const { names, namespaced } = definition
  const [own, ...subresources] = resourceRows(definition)
  return {
    resource: own.name,
    responseKind: responseKind(own),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: names.singular,
    verbs: own.verbs,
    ...(names.short && { shortNames: names.short }),
    ...(names.categories && { categories: names.categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((row) => ({ subresource: row.subresource, responseKind: responseKind(row), verbs: row.verbs })),
    }),
  }
}
