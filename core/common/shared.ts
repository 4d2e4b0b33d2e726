/** Values that depend on the same options alone. Each is made when it is first asked for. */
export class Shared<Options> {
  readonly #options: Options
  readonly #values = new Map<(options: Options) => unknown, unknown>()

  constructor(options: Options) {
    this.#options = options
  }

  /** What this function returns for the options: the same value each time. It must not hold state of a server. */
  of<Value>(make: (options: Options) => Value): Value {
    if (!this.#values.has(make)) this.#values.set(make, make(this.#options))
    return this.#values.get(make) as Value
  }
}
