import type { MaybePromise } from './maybe-promise.ts'

/** Values that depend on the same options alone. Each is made when it is first asked for. */
export class Shared<Options> {
  readonly #options: Options
  readonly #values = new Map<(options: Options) => unknown, unknown>()
  readonly #byPart = new Map<unknown, WeakMap<object, unknown>>()

  constructor(options: Options) {
    this.#options = options
  }

  /** What this function returns for the options: the same value each time. It must not hold state of a server. */
  of<Value>(make: (options: Options) => Value): Value {
    if (!this.#values.has(make)) this.#values.set(make, make(this.#options))
    return this.#values.get(make) as Value
  }

  /** What this function returns for an object that some of the servers have in common, such as a definition: the same value for the same object. */
  from<Part extends object, Value>(part: Part, make: (part: Part) => Value): Value {
    const known = this.#byPart.get(make) ?? new WeakMap<object, unknown>()
    this.#byPart.set(make, known)
    if (!known.has(part)) known.set(part, make(part))
    return known.get(part) as Value
  }

  /** As `from`, for a function that takes a while: a plain value as soon as it is there. */
  later<Part extends object, Value>(part: Part, make: (part: Part) => Promise<Value>): MaybePromise<Value> {
    const made = this.from<Part, MaybePromise<Value>>(part, make)
    const keep = (value: Value) => void this.#byPart.get(make)?.set(part, value)
    if (made instanceof Promise) made.then(keep, () => {})
    return made
  }
}
