/** `a` and `a/b` of `a/b/c`. */
const prefixesOf = (storageKey: string) =>
  storageKey
    .split('/')
    .slice(0, -1)
    .map((_, index, all) => all.slice(0, index + 1).join('/'))

/** Which set of resources has a storage key: no two sets may have equal or nested ones. */
export class StorageKeyOwners {
  readonly #owners = new Map<string, string>()
  /** Sets by what is above their storage keys. */
  readonly #below = new Map<string, Set<string>>()

  /** Whether another set than `name` has this storage key, one above or one below it. */
  overlaps(name: string, storageKey: string): boolean {
    const isForeign = (owner: string | undefined) => owner !== undefined && owner !== name
    const above = [storageKey, ...prefixesOf(storageKey)].some((each) => isForeign(this.#owners.get(each)))
    return above || [...(this.#below.get(storageKey) ?? [])].some(isForeign)
  }

  add(name: string, storageKeys: Iterable<string>): void {
    for (const key of storageKeys) {
      this.#owners.set(key, name)
      for (const prefix of prefixesOf(key)) this.#below.set(prefix, (this.#below.get(prefix) ?? new Set()).add(name))
    }
  }

  remove(name: string, storageKeys: Iterable<string>): void {
    for (const key of storageKeys) {
      this.#owners.delete(key)
      for (const prefix of prefixesOf(key)) this.#below.get(prefix)?.delete(name)
    }
  }
}
