/** Which transformer a stored key gets: by the resource that it belongs to, or by a wildcard. */
import { type GroupResource, qualified } from '../../respond/status.ts'
import type { Transformer } from './transformer.ts'

const nameOf = ({ group, resource }: GroupResource) => `${resource}.${group}`

/** `names` as configuration files write them: `secrets`, `deployments.apps`, `*.apps`, `*.` (core group), `*.*`. */
export interface Selection {
  readonly names: readonly string[]
  readonly transformer: Transformer
}

/** The transformer of a resource: the one that names it, else that of its group's wildcard, else that of `*.*`. */
export function selectTransformer(selections: readonly Selection[]): (groupResource: GroupResource) => Transformer | undefined {
  const byName = new Map(
    selections.flatMap(({ names, transformer }) => names.map((name) => [name.includes('.') ? name : `${name}.`, transformer] as const)),
  )
  return (on) => byName.get(nameOf(on)) ?? byName.get(`*.${on.group}`) ?? byName.get('*.*')
}

/** The same choice, of transformers that say whose values they are given: one for each resource, the same each time. */
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

  return (on) => {
    const label = qualified(on)
    if (!known.has(label)) {
      const transformer = select(on)
      known.set(label, transformer && named(label, transformer))
    }
    return known.get(label)
  }
}

/**
 * The resource that a key belongs to. `prefix` is that of all keys; `storageKeys` are the parts behind it of the resources whose place
 * does not follow from their name. Others are those of custom resources, `/GROUP/RESOURCE/`. Undefined: the key is of no resource.
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
