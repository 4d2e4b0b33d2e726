/** What users make and name, such as servers and branches. */
import { alreadyExists, forbidden, notFound } from '../../core/answers/status.ts'

type GroupResource = Parameters<typeof notFound>[0]

/** Each name once, also while what it names is made or removed; bounded in number. */
export class Named<T> {
  readonly #resource: GroupResource
  readonly #max: number
  readonly #all = new Map<string, T>()
  readonly #taken = new Set<string>()

  /** `resource`: what errors name, in the plural. */
  constructor(resource: GroupResource, max: number) {
    this.#resource = resource
    this.#max = max
  }

  get size(): number {
    return this.#all.size
  }

  values(): IterableIterator<T> {
    return this.#all.values()
  }

  /** By name. */
  list(): T[] {
    return [...this.#all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)
  }

  find(name: string): T | undefined {
    return this.#all.get(name)
  }

  /** @throws ApiError NotFound. */
  get(name: string): T {
    const found = this.#all.get(name)
    if (found === undefined) throw notFound(this.#resource, name)
    return found
  }

  /** Adds what was there before. */
  set(name: string, value: T): void {
    this.#all.set(name, value)
  }

  delete(name: string): void {
    this.#all.delete(name)
  }

  /** Adds what `make` makes. Rejects with an ApiError when the name is taken or the limit is reached, and as `make` does. */
  async make(name: string, make: () => Promise<T>): Promise<T> {
    if (this.#all.has(name) || this.#taken.has(name)) throw alreadyExists(this.#resource, name)
    if (this.#all.size + this.#taken.size >= this.#max)
      throw forbidden(this.#resource, name, `the limit is ${this.#max} ${this.#resource.resource}`)
    return this.whileTaken(name, async () => {
      const made = await make()
      this.#all.set(name, made)
      return made
    })
  }

  /** Nobody else gets the name until the work is over. */
  async whileTaken<R>(name: string, work: () => Promise<R>): Promise<R> {
    this.#taken.add(name)
    try {
      return await work()
    } finally {
      this.#taken.delete(name)
    }
  }
}
