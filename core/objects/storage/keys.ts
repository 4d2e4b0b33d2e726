/** Which object of a resource. */
export interface ObjectName {
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

/** An object in lists, events and callbacks. */
export interface ObjectRef extends ObjectName {
  /** Identifies the object among all that are stored: for maps, not to be taken apart. */
  readonly key: string
}

/** Keys of objects in the store: `PREFIX/STORAGEKEY/[NAMESPACE/]NAME`, as in the reference server. */
export interface Keys {
  /** Key prefix of the resource, or of one namespace; ends with a slash. */
  prefix(namespace: string): string
  of(namespace: string, name: string): string
  /** The object of a key. */
  parse(key: string): ObjectName
  /** The smallest key of a list. `from`: what `next` has returned for the end of the page before. */
  start(list: { readonly namespace: string; readonly from?: string }): string | undefined
  /** What is directly behind a key in lists of the namespace. */
  next(key: string, namespace: string): string
  /** A key without the prefix of all keys, as the reference has it in spans, and in errors of dry runs. */
  pathOf(key: string): string
}

/** The smallest key after this one. */
export const keyAfter = (key: string) => `${key}\0`

export function createKeys(prefix: string, storageKey: string, namespaced: boolean): Keys {
  const root = `${prefix}/${storageKey}/`
  const below = (namespace: string) => (namespaced && namespace !== '' ? `${root}${namespace}/` : root)
  return {
    prefix: below,
    of: (namespace, name) => (namespaced ? `${root}${namespace}/${name}` : root + name),
    parse(key) {
      const rest = key.slice(root.length)
      const slash = namespaced ? rest.indexOf('/') : -1
      return slash === -1 ? { namespace: '', name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) }
    },
    start: ({ namespace, from }) => (from === undefined ? undefined : below(namespace) + from),
    next: (key, namespace) => keyAfter(key).slice(below(namespace).length),
    pathOf: (key) => key.slice(prefix.length),
  }
}
