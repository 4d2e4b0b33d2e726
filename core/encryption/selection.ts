/** Selects the transformer of a stored key by its resource or by a wildcard. */
import { type GroupResource, qualified } from '../answers/status.ts'
import type { Transformer } from './transformer.ts'

const nameOf = ({ group, resource }: GroupResource) => `${resource}.${group}`

/** `names` as in configuration files: `secrets`, `deployments.apps`, `*.apps`, `*.` (core group), `*.*`. */
export interface Selection {
  readonly names: readonly string[]
  readonly transformer: Transformer
}

/** The transformer of a resource: by its name, or else by the wildcard of its group, or else by `*.*`. */
export function selectTransformer(selections: readonly Selection[]): (groupResource: GroupResource) => Transformer | undefined {
  const byName = new Map(
    selections.flatMap(({ names, transformer }) => names.map((name) => [name.includes('.') ? name : `${name}.`, transformer] as const)),
  )
  return (groupResource) => byName.get(nameOf(groupResource)) ?? byName.get(`*.${groupResource.group}`) ?? byName.get('*.*')
}

/** The same selection, with the resource as metrics label; each resource gets the same transformer object every time. */
export function namedTransformers(
  select: (groupResource: GroupResource) => Transformer | undefined,
): (groupResource: GroupResource) => Transformer | undefined {
  const known = new Map<string, Transformer | undefined>()

  function named(label: string, transformer: Transformer): Transformer {
    return {
      fromStored: (stored, path) => transformer.fromStored(stored, path, label),
      toStored: (plain, path) => transformer.toStored(plain, path, label),
    }
  }

  return (groupResource) => {
    const label = qualified(groupResource)
    if (!known.has(label)) {
      const transformer = select(groupResource)
      known.set(label, transformer && named(label, transformer))
    }
    return known.get(label)
  }
}

/**
 * The resource of a key. `prefix` is common to all keys; `storageKeys` maps the following part to resources whose key can't be derived from
 * their name. Other keys are those of custom resources, `/GROUP/RESOURCE/`. Undefined: the key belongs to no resource.
 */
export function resourceOfKey(prefix: string, storageKeys: ReadonlyMap<string, GroupResource>): (key: string) => GroupResource | undefined {
  const start = `${prefix}/`
  return (key) => {
    if (!key.startsWith(start)) return undefined
    const slash = key.indexOf('/', start.length)
    if (slash === -1) return undefined
    const second = key.indexOf('/', slash + 1)
    const first = key.slice(start.length, slash)
    const found = storageKeys.get(first)
    if (found !== undefined || second === -1) return found
    const custom = first.includes('.') ? { group: first, resource: key.slice(slash + 1, second) } : undefined
    return storageKeys.get(key.slice(start.length, second)) ?? custom
  }
}
