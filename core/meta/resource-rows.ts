import type { ResourceDefinition } from '../resources/definition.ts'

/** An entry of discovery: a resource, or a subresource such as `pods/status`. */
export interface ResourceRow {
  readonly name: string
  readonly subresource: string
  /** Set if the body has another group or version than the resource. */
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly string[]
}

/** A resource in discovery. */
export interface PublishedResource {
  /** The resource, then its subresources. */
  readonly rows: readonly [ResourceRow, ...ResourceRow[]]
  readonly singular: string
  readonly namespaced: boolean
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  /** Group version and kind of its stored objects, such as `apps/v1/Deployment` or `/v1/Pod`; absent if it is not stored. */
  readonly stored?: string
  /**
   * Group and version that aggregated discovery names for bodies without their own, as the reference does for custom resources; absent: empty
   * texts, which stand for those of the list.
   */
  readonly own?: { readonly group: string; readonly version: string }
}

const statusVerbs = ['get', 'patch', 'update']

/** Verbs not offered for a resource under deletion. */
const makes: readonly string[] = ['create', 'patch', 'update']

/** The resource, then its subresources. */
export function resourceRows(definition: ResourceDefinition): readonly [ResourceRow, ...ResourceRow[]] {
  const {
    names,
    kind,
    closing,
    origin: { subresourceOrder },
  } = definition
  const verbs = closing === undefined ? definition.verbs : definition.verbs.filter((verb) => !makes.includes(verb))
  const plural = names.plural
  const subresources = new Map<string, ResourceRow>()
  const add = (subresource: string, row: Omit<ResourceRow, 'name' | 'subresource'>) =>
    subresources.set(subresource, { name: `${plural}/${subresource}`, subresource, ...row })
  if (definition.status) add('status', { kind, verbs: statusVerbs })
  if (definition.scale) add('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: statusVerbs })
  for (const { name, group, version, ...own } of definition.subresources) {
    const foreign = (group ?? definition.group) !== definition.group || (version ?? definition.version) !== definition.version
    add(name, {
      ...(foreign && { group: group ?? definition.group, version: version ?? definition.version }),
      kind: own.kind,
      verbs: own.verbs,
    })
  }
  return [
    { name: plural, subresource: '', kind, verbs },
    ...(subresourceOrder === 'name' ? [...subresources.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) : subresources.values()),
  ]
}

export function publishedResource(definition: ResourceDefinition): PublishedResource {
  const { group, version, kind, names, namespaced, storageKey, storageVersion = `${group}/${version}` } = definition
  return {
    rows: resourceRows(definition),
    singular: names.singular,
    namespaced,
    ...(names.short && { short: names.short }),
    ...(names.categories && { categories: names.categories }),
    ...(definition.origin.published && { own: { group, version } }),
    ...(storageKey !== '' && { stored: `${storageVersion.includes('/') ? '' : '/'}${storageVersion}/${kind}` }),
  }
}
