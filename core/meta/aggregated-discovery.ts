import type { Platform } from '../platform.ts'
import type { APIGroupDiscovery, APIResourceDiscovery, APIVersionDiscovery } from '../resources/apidiscovery/apigroupdiscovery.ts'
import type { Infer } from '../schema/model.ts'
import type { PublishedGroup, PublishedVersion } from './group-source.ts'
import type { PublishedResource, ResourceRow } from './resource-rows.ts'

export type DiscoveredGroup = Infer<typeof APIGroupDiscovery>
export type DiscoveredVersion = Infer<typeof APIVersionDiscovery>
export type DiscoveredResource = Infer<typeof APIResourceDiscovery>

/** Media type parameters of aggregated discovery, for negotiation and Content-Type. */
export function aggregatedType(version: string, platform: Platform) {
  const group = `apidiscovery.${platform.domain}`
  const kind = 'APIGroupDiscoveryList'
  return { group, kind, parameters: `g=${group};v=${version};as=${kind}` }
}

/** All groups with their resources in one document (KEP-3352). */
export function aggregatedList(groups: readonly PublishedGroup[], version: string, platform: Platform) {
  const { group, kind } = aggregatedType(version, platform)
  return {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(discoveredVersion),
    })),
  }
}

/** A version of another server may have no resources, or none that are known yet. */
function discoveredVersion({ version, resources, freshness }: PublishedVersion): DiscoveredVersion {
  const all = resources().map(discovered)
  return { version, ...(all.length > 0 && { resources: all }), freshness }
}

function discovered({
  rows: [main, ...subresources],
  own,
  singular,
  namespaced,
  short,
  categories,
}: PublishedResource): DiscoveredResource {
  const responseKind = ({ group = own?.group ?? '', version = own?.version ?? '', kind }: ResourceRow) => ({ group, version, kind })
  return {
    resource: main.name,
    responseKind: responseKind(main),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...main.verbs],
    ...(short && { shortNames: [...short] }),
    ...(categories && { categories: [...categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((row) => ({ subresource: row.subresource, responseKind: responseKind(row), verbs: [...row.verbs] })),
    }),
  }
}
