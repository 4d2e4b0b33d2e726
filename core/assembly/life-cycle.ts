/** Runs the parts of a server: each starts after what it needs, and stops before it. */

import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Wakes } from '../controllers/wakes.ts'
import type { HealthCheck } from '../meta/health.ts'

/** One part of a server. `All` maps the names of all parts to their values, `Context` is what every part may use. */
export interface ServerPart<All, Name extends keyof All, Context> {
  /** Parts that start before this one and stop after it. */
  readonly needs: readonly (keyof All)[]
  /** Parts that this one does not use, but that start before it unless they sleep. */
  readonly after?: readonly (keyof All)[]
  /** False: the part is left out, and its value is undefined. */
  readonly when?: (context: Context) => boolean
  /** Names of health checks that fail until the part has started. */
  readonly hooks?: readonly string[]
  /** In a server that continues a prepared state the part starts when it is demanded, or at `wake`. */
  readonly sleeps?: boolean
  /** Changes that give a sleeping part work; default: none. */
  readonly wakesAt?: Wakes
  /** The part is done when it has started: a server that continues a prepared state leaves it out. */
  readonly prepares?: boolean
  start(needed: All, context: Context): MaybePromise<All[Name]>
  /** Called once, when the server begins to shut down and still answers: the part deregisters the server, such as from the endpoints of its service. */
  leave?(value: All[Name]): MaybePromise<void>
  /** Called once, if the part has started. */
  stop?(value: All[Name]): MaybePromise<void>
}

export type PartTable<All, Context> = { readonly [Name in keyof All]: ServerPart<All, Name, Context> }

/** A row of a table whose `start` sees only what it needs. */
export function partOf<All, Context>() {
  return <const Needed extends keyof All, Value>(
    needs: readonly Needed[],
    start: (needed: Pick<All, Needed>, context: Context) => MaybePromise<Value>,
    rest: {
      readonly after?: readonly (keyof All)[]
      readonly when?: (context: Context) => boolean
      readonly hooks?: readonly string[]
      readonly sleeps?: boolean
      readonly wakesAt?: Wakes
      readonly prepares?: boolean
      readonly leave?: (value: Value) => MaybePromise<void>
      readonly stop?: (value: Value) => MaybePromise<void>
    } = {},
  ) => ({ needs, start, ...rest })
}

export interface LifeCycleOptions<Context> {
  readonly context: Context
  /** The stores have the state of a server with the same options. Default false. */
  readonly continues?: boolean
  /**
   * Asked when a part fails to start, with the number of failures so far: milliseconds until the next try, or undefined when the whole start
   * fails.
   */
  retryAfter?(error: unknown, part: string, failures: number): number | undefined
  /** Calls back after this time in milliseconds. */
  after(milliseconds: number, callback: () => void): () => void
}

const nothing: readonly never[] = []
const closedMeanwhile = () => new Error('the server was closed during its start')

export class LifeCycle<All extends object, Context> {
  readonly #table: PartTable<All, Context>
  readonly #options: LifeCycleOptions<Context>
  readonly #values: Partial<All> = {}
  /** In the order in which they started. */
  readonly #started = new Set<keyof All>()
  /** Those, and parts that are left out. */
  readonly #settled = new Set<keyof All>()
  readonly #starting = new Map<keyof All, Promise<void>>()
  #stopped = false
  #waking: Promise<void> | undefined
  #left: Promise<void> | undefined
  /** Ends of pauses. */
  readonly #pauses = new Set<() => void>()

  constructor(table: PartTable<All, Context>, options: LifeCycleOptions<Context>) {
    this.#table = table
    this.#options = options
  }

  /** Health checks of the start, in the order of the table. */
  get hooks(): readonly HealthCheck[] {
    const checks: HealthCheck[] = []
    for (const name of this.#names()) {
      const { hooks = [], when, sleeps } = this.#table[name]
      const { context, continues } = this.#options
      if (when?.(context) === false) continue
      const check = () => {
        // What sleeps, or is being woken, does not make a server that continues a state unready.
        if (!this.#settled.has(name) && !(continues && sleeps)) throw new Error('not finished')
      }
      for (const hook of hooks) checks.push({ name: hook, check })
    }
    return checks
  }

  /** Starts these parts, unless they have started: then it returns undefined. */
  demand(names: readonly (keyof All)[]): Promise<unknown> | undefined {
    const starting = names.flatMap((name) => this.#startPart(name) ?? [])
    return starting.length === 0 ? undefined : Promise.all(starting)
  }

  /** Whether the part has started, or is left out. */
  isSettled(name: keyof All): boolean {
    return this.#settled.has(name)
  }

  /** The value of a part; undefined until it has started. */
  value<Name extends keyof All>(name: Name): All[Name] | undefined {
    return this.#values[name]
  }

  /** Starts all parts, one after the other. Rejects with the error of the first one that can't start; then `stop` ends the others. */
  async start(): Promise<All> {
    const starting = this.#startEach(this.#names(), this.#isAwake)
    if (starting) await starting
    return this.#values as All
  }

  /** Starts the parts that sleep, once; later calls share the result. Rejects with the error of the first one that can't start. */
  wake(): Promise<void> {
    this.#waking ??= this.#startAll()
    return this.#waking
  }

  /** Starts those of them that are meant. Rejects with the error of the first one that can't start. */
  async wakeThose(isMeant: (wakes: Wakes) => boolean): Promise<void> {
    await this.#startEach(this.#names(), (name) => {
      const { wakesAt } = this.#table[name]
      return wakesAt !== undefined && this.#sleeps(name) && isMeant(wakesAt)
    })
  }

  /** Calls `leave` of the parts that have started, once; later calls share the result. */
  leave(): Promise<void> {
    this.#left ??= this.#leaveAll()
    return this.#left
  }

  /** Stops the parts that have started, the last one first, after they have left. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const end of this.#pauses) end()
    await this.leave()
    for (const name of [...this.#started].reverse()) {
      this.#started.delete(name)
      const stopping = this.#table[name].stop?.(this.#values[name] as All[typeof name])
      if (stopping) await stopping
    }
  }

  async #leaveAll(): Promise<void> {
    const announced = [...this.#started].filter((name) => this.#table[name].leave !== undefined)
    await Promise.all(announced.map(async (name) => this.#table[name].leave?.(this.#values[name] as All[typeof name])))
  }

  async #startAll(): Promise<void> {
    await this.#startEach(this.#names())
  }

  /** Whether the part waits for `wake`. */
  #sleeps(name: keyof All): boolean {
    return this.#options.continues === true && this.#waking === undefined && this.#table[name].sleeps === true
  }

  readonly #isAwake = (name: keyof All) => !this.#sleeps(name)

  #names(): (keyof All)[] {
    return Object.keys(this.#table) as (keyof All)[]
  }

  // Most parts start in one turn, and a fork starts most of them again: a promise for each would take as long as their start.

  /** Starts those of the parts that are meant, one after the other. Undefined: they have started. */
  #startEach(names: readonly (keyof All)[], isMeant?: (name: keyof All) => boolean): Promise<void> | undefined {
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as keyof All
      const starting = this.#settled.has(name) || isMeant?.(name) === false ? undefined : this.#startPart(name)
      if (starting) return starting.then(() => this.#startEach(names.slice(index + 1), isMeant))
    }
    return undefined
  }

  /** Starts a part after what it needs. Callers meanwhile share the attempt. Undefined: it has started. */
  #startPart(name: keyof All): Promise<void> | undefined {
    if (this.#settled.has(name)) return undefined
    const known = this.#starting.get(name)
    if (known !== undefined) return known
    const starting = this.#begin(name)?.finally(() => this.#starting.delete(name))
    if (starting) this.#starting.set(name, starting)
    return starting
  }

  #begin(name: keyof All): Promise<void> | undefined {
    const { needs, after = nothing, when, prepares } = this.#table[name]
    const { context, continues = false } = this.#options
    if (when?.(context) === false || (prepares && continues)) return void this.#settled.add(name)
    const earlier = this.#startEach(needs) ?? this.#startEach(after, this.#isAwake)
    return earlier ? earlier.then(() => this.#begin(name)) : this.#run(name)
  }

  #run(name: keyof All): Promise<void> | undefined {
    if (this.#stopped) return Promise.reject(closedMeanwhile())
    const value = this.#attempt(name)
    if (value instanceof Promise) return this.#finish(name, value)
    this.#note(name, value)
    return undefined
  }

  async #finish(name: keyof All, first: Promise<All[keyof All]>): Promise<void> {
    let attempt: MaybePromise<All[keyof All]> = first
    for (let failures = 1; ; failures++) {
      try {
        this.#note(name, await attempt)
        break
      } catch (error) {
        const wait = this.#stopped ? undefined : this.#options.retryAfter?.(error, String(name), failures)
        if (wait === undefined) throw error
        await this.#pause(wait)
        if (this.#stopped) throw closedMeanwhile()
        attempt = this.#attempt(name)
      }
    }
    // The server was closed meanwhile, when this part did not count as started.
    if (this.#stopped) await this.stop()
  }

  /** A start that throws is one that rejects. */
  #attempt(name: keyof All): MaybePromise<All[keyof All]> {
    try {
      return this.#table[name].start(this.#values as All, this.#options.context)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #note(name: keyof All, value: All[keyof All]): void {
    this.#values[name] = value
    this.#started.add(name)
    this.#settled.add(name)
  }

  /** Ends early when the life cycle is stopped. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pauses.delete(end)
        cancel()
        resolve()
      }
      const cancel = this.#options.after(milliseconds, end)
      this.#pauses.add(end)
    })
  }
}
