/** Discovery documents of other servers: aggregated lists (KEP-3352), and the older list of one group version. */
import type { PublishedResource, ResourceRow } from '../meta/resource-rows.ts'
import { isObject } from '../schema/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'

/** Resources by `GROUP/VERSION`. */
export type DiscoveredResources = ReadonlyMap<string, readonly PublishedResource[]>

const objectsOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
const memberOf = (object: JsonObject, name: string): JsonObject => {
  const member = object[name]
  return isObject(member) ? member : {}
}

const byName = (a: PublishedResource, b: PublishedResource) => (a.rows[0].name < b.rows[0].name ? -1 : 1)

function namesOf({ shortNames, categories }: JsonObject): Pick<PublishedResource, 'short' | 'categories'> {
  const [short, all] = [textsOf(shortNames), textsOf(categories)]
  return { ...(short.length > 0 && { short }), ...(all.length > 0 && { categories: all }) }
}

/** Kind and verbs, with the kind's group and version if they are given. */
function rowOf(name: string, subresource: string, kind: JsonObject, verbs: Json | undefined): ResourceRow {
  const [group, version] = [textOf(kind['group']), textOf(kind['version'])]
  return {
    name,
    subresource,
    ...(group !== '' && { group }),
    ...(version !== '' && { version }),
    kind: textOf(kind['kind']),
    verbs: textsOf(verbs),
  }
}

/** Resources of an APIGroupDiscoveryList of any version. */
export function resourcesOfAggregated(document: JsonObject): DiscoveredResources {
  const found = new Map<string, readonly PublishedResource[]>()
  for (const group of objectsOf(document['items'])) {
    for (const version of objectsOf(group['versions'])) {
      const resources = objectsOf(version['resources']).map((each): PublishedResource => {
        const name = textOf(each['resource'])
        const subresources = objectsOf(each['subresources']).map((sub) => {
          const subresource = textOf(sub['subresource'])
          return rowOf(`${name}/${subresource}`, subresource, memberOf(sub, 'responseKind'), sub['verbs'])
        })
        return {
          rows: [rowOf(name, '', memberOf(each, 'responseKind'), each['verbs']), ...subresources],
          singular: textOf(each['singularResource']),
          namespaced: each['scope'] === 'Namespaced',
          ...namesOf(each),
        }
      })
      found.set(`${textOf(memberOf(group, 'metadata')['name'])}/${textOf(version['version'])}`, resources.toSorted(byName))
    }
  }
  return found
}

/** Resources of an APIResourceList. Subresources of resources that are not in the list are left out. */
export function resourcesOfList(document: JsonObject, group: string, version: string): readonly PublishedResource[] {
  const rows = objectsOf(document['resources'])
  const kindOf = (row: JsonObject): JsonObject => ({ group, version, ...row })
  return rows
    .filter((row) => !textOf(row['name']).includes('/'))
    .map((row): PublishedResource => {
      const name = textOf(row['name'])
      const subresources = rows
        .filter((each) => textOf(each['name']).startsWith(`${name}/`))
        .map((each) => rowOf(textOf(each['name']), textOf(each['name']).slice(name.length + 1), kindOf(each), each['verbs']))
      return {
        rows: [rowOf(name, '', kindOf(row), row['verbs']), ...subresources],
        singular: textOf(row['singularName']),
        namespaced: row['namespaced'] === true,
        ...namesOf(row),
      }
    })
    .toSorted(byName)
}
