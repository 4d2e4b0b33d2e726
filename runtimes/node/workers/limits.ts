/**
 * Limits that threads have together, in memory that they share: seats of priority levels, requests in flight. Each thread writes what it holds and
 * what its requests wait for; nothing is sent but a wake-up, to threads that wait.
 */
import type { Demand, Rate, SharedLimit, SharedLimits } from '../../../core/ports.ts'

export interface LimitMemory {
  /** Hashes of the names of limits; 0: free. A name keeps its place until the process ends. */
  readonly names: SharedArrayBuffer
  readonly cells: SharedArrayBuffer
  /** Number of threads. */
  readonly sides: number
}

/** Maximum names, by far more than clusters have priority levels. */
const maxNames = 1024

/** Cells of a limit, and of each thread's side of it. `blocked`: number of the thread, from 1, that waits for more units than are free. */
const [limitCell, takenCell, blockedCell, ownCells] = [0, 1, 2, 3]
const [holds, wants, highest, average, deviation, sideCells] = [0, 1, 2, 3, 4, 5]
/** Averages are kept as integers, in thousandths. */
const precision = 1000

/** A cell for the wake-ups of each side comes before the limits. */
const sizeOf = (sides: number) => ownCells + sides * sideCells

export function limitMemory(sides: number): LimitMemory {
  const cells = new SharedArrayBuffer(4 * (sides + maxNames * sizeOf(sides)))
  return { names: new SharedArrayBuffer(8 * maxNames), cells, sides }
}

/** FNV-1a of 64 bits. */
function hashOf(name: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return BigInt.asIntN(64, hash || 1n)
}

/** Not in the types of this project's version of the language. */
interface Waiting {
  waitAsync(cells: Int32Array, index: number, value: number): { readonly value: Promise<unknown> | string }
}

/** Rate limits: the main thread has them, and workers ask it. */
export type RateLimits = Pick<SharedLimits, 'admit' | 'pass'>

/** The side of one thread. */
export class ThreadLimits implements SharedLimits {
  readonly cells: Int32Array
  readonly sides: number
  /** From 0. */
  readonly side: number
  /** Limits that requests of this thread wait for. */
  readonly waiting = new Set<ThreadLimit>()
  readonly #names: BigInt64Array
  readonly #rates: RateLimits
  #isWaiting = false

  constructor({ names, cells, sides }: LimitMemory, side: number, rates: RateLimits) {
    this.#rates = rates
    this.#names = new BigInt64Array(names)
    this.cells = new Int32Array(cells)
    this.sides = sides
    this.side = side
  }

  open(name: string): ThreadLimit {
    const hash = hashOf(name)
    for (let at = 0; at < maxNames; at++) {
      const found = Atomics.compareExchange(this.#names, at, 0n, hash)
      if (found === 0n || found === hash) return new ThreadLimit(this, this.sides + at * sizeOf(this.sides))
    }
    // Names beyond share the last place.
    return new ThreadLimit(this, this.sides + (maxNames - 1) * sizeOf(this.sides))
  }

  admit(name: string, rate: Rate, key: string): Promise<boolean> {
    return this.#rates.admit(name, rate, key)
  }

  pass(name: string, rate: Rate): Promise<void> {
    return this.#rates.pass(name, rate)
  }

  /** Wakes a thread that waits for units of any limit. */
  wake(side: number): void {
    Atomics.add(this.cells, side, 1)
    Atomics.notify(this.cells, side)
  }

  /** Waits for wake-ups while requests of this thread wait. */
  follow(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    void this.#followAll()
  }

  async #followAll(): Promise<void> {
    while (this.waiting.size > 0) {
      const seen = Atomics.load(this.cells, this.side)
      for (const limit of this.waiting) limit.freed()
      if (this.waiting.size > 0) await (Atomics as unknown as Waiting).waitAsync(this.cells, this.side, seen).value
    }
    this.#isWaiting = false
  }

  /** Gives back what a thread held that has ended. */
  forget(side: number): void {
    for (let at = 0; at < maxNames && Atomics.load(this.#names, at) !== 0n; at++)
      new ThreadLimit(this, this.sides + at * sizeOf(this.sides)).forget(side)
  }
}

class ThreadLimit implements SharedLimit {
  readonly #limits: ThreadLimits
  readonly #cells: Int32Array
  /** Of the limit, and of this thread's side. */
  readonly #at: number
  readonly #own: number
  #freed = () => {}

  constructor(limits: ThreadLimits, at: number) {
    this.#limits = limits
    this.#cells = limits.cells
    this.#at = at
    this.#own = this.#sideAt(limits.side)
  }

  #sideAt(side: number): number {
    return this.#at + ownCells + side * sideCells
  }

  get limit(): number {
    return Atomics.load(this.#cells, this.#at + limitCell)
  }

  set limit(value: number) {
    const before = Atomics.exchange(this.#cells, this.#at + limitCell, value)
    if (value > before) this.#wakeOthers()
  }

  get taken(): number {
    return Atomics.load(this.#cells, this.#at + takenCell)
  }

  take(units: number): boolean {
    const cells = this.#cells
    const [taken, blocked] = [this.#at + takenCell, this.#at + blockedCell]
    const me = this.#limits.side + 1
    for (;;) {
      const first = Atomics.load(cells, blocked)
      if (first !== 0 && first !== me) return false
      const before = Atomics.load(cells, taken)
      const limit = Math.max(1, this.limit)
      if (before + units > limit) {
        // As in the queues of one thread, the request that is next lets no other pass because it needs more.
        if (before < limit && Atomics.load(cells, this.#own + wants) > 0) Atomics.compareExchange(cells, blocked, 0, me)
        return false
      }
      if (before + units + this.#owedToOthers(units, limit) > limit) return false
      if (Atomics.compareExchange(cells, taken, before, before + units) !== before) continue
      Atomics.add(cells, this.#own + holds, units)
      if (first === me) this.#unblock()
      return true
    }
  }

  /** Units that others wait for and have a right to, when this thread has its part of the limit. */
  #owedToOthers(units: number, limit: number): number {
    const cells = this.#cells
    let [active, waiting] = [1, 0]
    for (let side = 0; side < this.#limits.sides; side++) {
      const at = this.#sideAt(side)
      if (at === this.#own) continue
      const wanted = Atomics.load(cells, at + wants)
      waiting += wanted
      if (wanted + Atomics.load(cells, at + holds) > 0) active++
    }
    if (waiting === 0) return 0
    const own = Atomics.load(cells, this.#own + holds)
    const part = Math.max(1, Math.floor(limit / active))
    if (own === 0 || own + units <= part) return 0
    let owed = 0
    for (let side = 0; side < this.#limits.sides; side++) {
      const at = this.#sideAt(side)
      if (at !== this.#own) owed += Math.max(0, Math.min(Atomics.load(cells, at + wants), part - Atomics.load(cells, at + holds)))
    }
    return owed
  }

  give(units: number): void {
    if (units > 0) {
      Atomics.sub(this.#cells, this.#own + holds, units)
      Atomics.sub(this.#cells, this.#at + takenCell, units)
    }
    this.#wakeOthers()
  }

  want(units: number): void {
    Atomics.store(this.#cells, this.#own + wants, units)
    if (units === 0) {
      this.#limits.waiting.delete(this)
      this.#unblock()
    } else if (!this.#limits.waiting.has(this)) {
      this.#limits.waiting.add(this)
      this.#limits.follow()
    }
  }

  onFree(callback: () => void): void {
    this.#freed = callback
  }

  freed(): void {
    this.#freed()
  }

  exchange(demand: Demand): Demand {
    const cells = this.#cells
    Atomics.store(cells, this.#own + highest, demand.highest)
    Atomics.store(cells, this.#own + average, Math.round(demand.average * precision))
    Atomics.store(cells, this.#own + deviation, Math.round(demand.deviation * precision))
    const sum = { highest: 0, average: 0, variance: 0 }
    for (let side = 0; side < this.#limits.sides; side++) {
      const at = this.#sideAt(side)
      sum.highest += Atomics.load(cells, at + highest)
      sum.average += Atomics.load(cells, at + average) / precision
      sum.variance += (Atomics.load(cells, at + deviation) / precision) ** 2
    }
    return { highest: sum.highest, average: sum.average, deviation: Math.sqrt(sum.variance) }
  }

  forget(side: number): void {
    const cells = this.#cells
    const at = this.#sideAt(side)
    Atomics.sub(cells, this.#at + takenCell, Atomics.load(cells, at + holds))
    for (let cell = 0; cell < sideCells; cell++) Atomics.store(cells, at + cell, 0)
    Atomics.compareExchange(cells, this.#at + blockedCell, side + 1, 0)
    this.#wakeOthers()
  }

  #unblock(): void {
    const { side } = this.#limits
    const before = Atomics.compareExchange(this.#cells, this.#at + blockedCell, side + 1, 0)
    if (before === side + 1) this.#wakeOthers()
  }

  #wakeOthers(): void {
    for (let side = 0; side < this.#limits.sides; side++) {
      const at = this.#sideAt(side)
      if (at !== this.#own && Atomics.load(this.#cells, at + wants) > 0) this.#limits.wake(side)
    }
  }
}
