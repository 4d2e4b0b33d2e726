/** Keys of objects in the store: `PREFIX/STORAGEKEY/[NAMESPACE/]NAME`, as in the reference server. */
export interface Keys {
  /** Key prefix of the resource, or of one namespace; ends with a slash. */
  prefix(namespace: string): string
  of(namespace: string, name: string): string
  /** Namespace and name of a key; the namespace is empty for cluster-scoped resources. */
  parse(key: string): { namespace: string; name: string }
  /** A key without the prefix of all keys, as the reference has it in spans, and in errors of dry runs. */
  pathOf(key: string): string
}

export function createKeys(prefix: string, storageKey: string, namespaced: boolean): Keys {
  const root = `${prefix}/${storageKey}/`
  return {
    prefix: (namespace) => (namespaced && namespace !== '' ? `${root}${namespace}/` : root),
    of: (namespace, name) => (namespaced ? `${root}${namespace}/${name}` : root + name),
    parse(key) {
      const rest = key.slice(root.length)
      const slash = namespaced ? rest.indexOf('/') : -1
      return slash === -1 ? { namespace: '', name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) }
    },
    pathOf: (key) => key.slice(prefix.length),
  }
}
