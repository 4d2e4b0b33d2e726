/** Discovery documents of other servers: aggregated lists (KEP-3352), and the older list of one group version. */

import { eachInSlices, type Slices, sortInSlices } from '../common/slices.ts'
import type { PublishedResource, ResourceRow } from '../meta/resource-rows.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'

/** Maximum resources, subresources and their verbs, short names and categories of a group version; the core group has some 400. */
const maxEntries = 50_000

const objectsOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const memberOf = (object: JsonObject, name: string): JsonObject => {
  const member = object[name]
  return isObject(member) ? member : {}
}

const byName = (a: PublishedResource, b: PublishedResource) => (a.rows[0].name < b.rows[0].name ? -1 : 1)

/** Reads resources, whose entries it counts. */
class Reader {
  #entries = 0

  #count(entries: number): void {
    this.#entries += entries
    if (this.#entries > maxEntries) throw new Error(`the group version has more than ${maxEntries} resources, verbs and other names`)
  }

  #textsOf(value: Json | undefined): readonly string[] {
    if (!Array.isArray(value)) return []
    this.#count(value.length)
    return value.filter((each): each is string => typeof each === 'string')
  }

  namesOf({ shortNames, categories }: JsonObject): Pick<PublishedResource, 'short' | 'categories'> {
    const [short, all] = [this.#textsOf(shortNames), this.#textsOf(categories)]
    return { ...(short.length > 0 && { short }), ...(all.length > 0 && { categories: all }) }
  }

  /** Kind and verbs, with the kind's group and version if they are given. */
  rowOf(name: string, subresource: string, kind: JsonObject, verbs: Json | undefined): ResourceRow {
    this.#count(1)
    const [group, version] = [textOf(kind['group']), textOf(kind['version'])]
    return {
      name,
      subresource,
      ...(group !== '' && { group }),
      ...(version !== '' && { version }),
      kind: textOf(kind['kind']),
      verbs: this.#textsOf(verbs),
    }
  }
}

/** The group version in an APIGroupDiscoveryList: the last one that has its name. */
function versionIn(document: JsonObject, group: string, version: string): JsonObject {
  for (const item of objectsOf(document['items']).toReversed()) {
    if (textOf(memberOf(item, 'metadata')['name']) !== group) continue
    const found = objectsOf(item['versions']).findLast((each) => textOf(each['version']) === version)
    if (found !== undefined) return found
  }
  return {}
}

/** Reads the resources of a group version. Rejects with an Error: the document has too many. */
type ResourcesOf = (document: JsonObject, group: string, version: string, slices: Slices) => Promise<readonly PublishedResource[]>

/** Resources of a group version in an APIGroupDiscoveryList of any version; none if it is not in the list. */
export const resourcesOfAggregated: ResourcesOf = async (document, group, version, slices) => {
  const reader = new Reader()
  const found: PublishedResource[] = []
  await eachInSlices(objectsOf(versionIn(document, group, version)['resources']), slices, (each) => {
    const name = textOf(each['resource'])
    const subresources = objectsOf(each['subresources']).map((sub) => {
      const subresource = textOf(sub['subresource'])
      return reader.rowOf(`${name}/${subresource}`, subresource, memberOf(sub, 'responseKind'), sub['verbs'])
    })
    found.push({
      rows: [reader.rowOf(name, '', memberOf(each, 'responseKind'), each['verbs']), ...subresources],
      singular: textOf(each['singularResource']),
      namespaced: each['scope'] === 'Namespaced',
      ...reader.namesOf(each),
    })
  })
  return sortInSlices(found, byName, slices)
}

interface Listed {
  readonly row: JsonObject
  readonly rows: [ResourceRow, ...ResourceRow[]]
}

/**
 * Resources of an APIResourceList. Subresources of resources that are not in the list are left out; of several resources with one name the last has
 * them.
 */
export const resourcesOfList: ResourcesOf = async (document, group, version, slices) => {
  const reader = new Reader()
  const listed: Listed[] = []
  const byResource = new Map<string, Listed>()
  const all = objectsOf(document['resources'])
  const rowOf = (row: JsonObject, subresource: string) =>
    reader.rowOf(textOf(row['name']), subresource, { group, version, ...row }, row['verbs'])
  await eachInSlices(all, slices, (row) => {
    const name = textOf(row['name'])
    if (name.includes('/')) return
    const own: Listed = { row, rows: [rowOf(row, '')] }
    listed.push(own)
    byResource.set(name, own)
  })
  await eachInSlices(all, slices, (row) => {
    const name = textOf(row['name'])
    const slash = name.indexOf('/')
    if (slash >= 0) byResource.get(name.slice(0, slash))?.rows.push(rowOf(row, name.slice(slash + 1)))
  })
  const found: PublishedResource[] = []
  await eachInSlices(listed, slices, ({ row, rows }) => {
    found.push({ rows, singular: textOf(row['singularName']), namespaced: row['namespaced'] === true, ...reader.namesOf(row) })
  })
  return sortInSlices(found, byName, slices)
}
