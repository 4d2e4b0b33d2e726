/** The part of reflect-metadata that @peculiar/x509 (through tsyringe) needs. Import it before that library. */
type Metadata = Map<unknown, unknown>
const store = new WeakMap<object, Metadata>()

Object.assign(Reflect, {
  defineMetadata: (key: unknown, value: unknown, target: object) => {
    const metadata = store.get(target) ?? new Map()
    metadata.set(key, value)
    store.set(target, metadata)
  },
  getOwnMetadata: (key: unknown, target: object) => store.get(target)?.get(key),
  hasOwnMetadata: (key: unknown, target: object) => store.get(target)?.has(key) ?? false,
  getMetadata: (key: unknown, target: object) => {
    for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
      if (store.get(at)?.has(key)) return store.get(at)?.get(key)
    }
    return undefined
  },
  metadata: () => () => undefined,
})
