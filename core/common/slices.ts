/** Cooperative scheduling: long work (evaluations, long lists, selectors over many objects, stages of a large write) yields the thread between time slices. */
import type { Clock } from '../ports.ts'

/** Milliseconds that a request may run before it yields: at least, and at most when the thread is busy. */
const [length, maxSlice] = [5, 50]
/** Of the time that other work usually takes between two slices, the share that a slice may be longer for. */
const share = 0.25
/** Pauses over which that time is averaged: while the thread catches up after a stall of 100 ms, slices stay as short as before. */
const averaged = 16

/** Bytes of input from which on work pauses between its stages; a stage takes some milliseconds then. */
const largeInput = 64 * 1024

/** Resumes paused requests first in, first out, one at a time. */
export class Pauses {
  readonly #clock: Clock
  #last: Promise<void> = Promise.resolve()
  /** Milliseconds of other work before a resumption, on average. */
  #others = 0
  #never: AbortSignal | undefined
  readonly #neverAborted = () => {
    this.#never ??= new AbortController().signal
    return this.#never
  }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts the first time slice of a request. After `signal` aborts, `next` rejects. */
  slices(signal: () => AbortSignal): Slices {
    return new Slices(this.#clock, () => this.#next(), signal)
  }

  /**
   * As `slices`, for work on everything that is stored: where other work fills the thread for long, slices are longer. With 5 ms in each turn of
   * some hundred, a long list would not end before its deadline. Without a signal nothing ends it.
   */
  fairSlices(signal = this.#neverAborted): Slices {
    return new Slices(
      this.#clock,
      () => this.#next(),
      signal,
      () => Math.min(maxSlice, this.#others * share),
    )
  }

  /** As `slices`, for work that several requests wait for, or none: nothing ends it. */
  sharedSlices(): Slices {
    return this.slices(this.#neverAborted)
  }

  /** Resolves in the order of calls; the event loop runs its other pending tasks before each. */
  #next(): Promise<void> {
    const pause = async () => {
      const began = this.#clock.monotonic()
      await this.#clock.pause?.()
      this.#others += (this.#clock.monotonic() - began - this.#others) / averaged
    }
    this.#last = this.#last.then(pause)
    return this.#last
  }
}

/** The time slices of one request. */
export class Slices {
  readonly #clock: Clock
  readonly #turn: () => Promise<void>
  readonly #signal: () => AbortSignal
  /** Length of the next slice, if it is to be longer than usual. */
  readonly #longer: () => number
  #began: number
  #until: number
  /** Milliseconds of the slice that were left at `rest`. */
  #left = length
  /** Bytes of the largest input. */
  #input = 0

  constructor(clock: Clock, turn: () => Promise<void>, signal: () => AbortSignal, longer = () => 0) {
    this.#clock = clock
    this.#turn = turn
    this.#signal = signal
    this.#longer = longer
    this.#began = clock.monotonic()
    this.#until = this.#began + length
  }

  /** Whether the slice is used up, so that `next` must be awaited. */
  get over(): boolean {
    return this.#clock.pause !== undefined && this.#clock.monotonic() >= this.#until
  }

  /** Stops the slice's time: the work waits for something else. */
  rest(): void {
    this.#left = Math.max(0, this.#until - this.#clock.monotonic())
  }

  /** The slice goes on after `rest`. */
  proceed(): void {
    this.#began = this.#clock.monotonic()
    this.#until = this.#began + this.#left
  }

  /**
   * Call when an interrupted evaluation has been repeated up to the point where it stopped. The slice then continues for at least as long as
   * the repetition took, so that interruptions at most double the time of an evaluation.
   */
  resumed(): void {
    const now = this.#clock.monotonic()
    this.#until = now + Math.max(length, now - this.#began)
  }

  /** Whether the request has ended before its work. */
  get ended(): boolean {
    return this.#signal().aborted
  }

  /** The work has an input of so many bytes, such as a body or a stored object. */
  reads(bytes: number): void {
    this.#input = Math.max(this.#input, bytes)
  }

  /**
   * Between two stages of work on one object: the next slice, if the object is large and this slice is used up, so that it holds the thread for one
   * stage at a time. Undefined: the work goes on at once. Time in which the work waits for something else counts, which is why small objects
   * never pause.
   */
  pause(): Promise<void> | undefined {
    return this.#input >= largeInput && this.over ? this.next() : undefined
  }

  /** Resolves when the next slice begins. Rejects when the request has ended. */
  async next(): Promise<void> {
    await this.#turn()
    this.#signal().throwIfAborted()
    this.#began = this.#clock.monotonic()
    this.#until = this.#began + Math.max(length, this.#longer())
  }
}

/** Calls `work` for each item and yields between slices. */
export async function eachInSlices<T>(items: readonly T[], slices: Slices, work: (item: T, index: number) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (slices.over) await slices.next()
    work(item, index)
  }
}

/** As `Array.filter`, yielding between slices; at most `most` items. */
export async function filterInSlices<T>(
  items: readonly T[],
  slices: Slices,
  matches: (item: T) => boolean,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly T[]> {
  const chosen: T[] = []
  for (const item of items) {
    if (chosen.length === max) break
    if (slices.over) await slices.next()
    if (matches(item)) chosen.push(item)
  }
  return chosen
}

/** Items that are sorted without a pause. */
const sortedAtOnce = 1_000

/** As `Array.toSorted`, yielding between slices. */
export async function sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number, slices: Slices): Promise<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    if (slices.over) await slices.next()
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare))
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await mergeInSlices(runs[at] ?? [], runs[at + 1] ?? [], compare, slices))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeInSlices<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number, slices: Slices): Promise<readonly T[]> {
  const merged: T[] = []
  let [left, right] = [0, 0]
  while (left < a.length && right < b.length) {
    if (merged.length % sortedAtOnce === 0 && slices.over) await slices.next()
    merged.push(compare(a[left] as T, b[right] as T) <= 0 ? (a[left++] as T) : (b[right++] as T))
  }
  while (left < a.length) merged.push(a[left++] as T)
  while (right < b.length) merged.push(b[right++] as T)
  return merged
}
