/** Many alarms over one timer of the clock: for watches, of which each has several, an alarm costs a place in an array. */
import type { Clock } from '../ports.ts'

/** Something that is to happen at a time. Its owner holds both fields, which belong to `Alarms` while it is set. */
export interface Alarm {
  /** Whole milliseconds of the monotonic clock. */
  due: number
  /** Index in the heap; -1: not set. */
  place: number
  ring(): void
}

/** A binary heap of alarms, the earliest first. */
export class Alarms {
  readonly #clock: Clock
  readonly #heap: Alarm[] = []
  #cancel = () => {}
  /** When the clock's timer fires. */
  #armed = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whole milliseconds of the monotonic clock: small integers, which need no memory of their own. */
  time(): number {
    return Math.floor(this.#clock.monotonic())
  }

  /** Sets an alarm, or changes the time of one that is set. */
  set(alarm: Alarm, due: number): void {
    alarm.due = due
    if (alarm.place < 0) alarm.place = this.#heap.push(alarm) - 1
    this.#rise(alarm)
    this.#sink(alarm)
    this.#arm()
  }

  clear(alarm: Alarm): void {
    const { place } = alarm
    if (place < 0) return
    alarm.place = -1
    const last = this.#heap.pop() as Alarm
    if (last !== alarm) {
      this.#put(last, place)
      this.#rise(last)
      this.#sink(last)
    } else if (this.#heap.length === 0) this.#disarm()
  }

  /** Without alarms there is no timer, which could keep a process alive. */
  #disarm(): void {
    this.#cancel()
    this.#armed = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    const due = this.#heap[0]?.due ?? Number.POSITIVE_INFINITY
    if (due >= this.#armed) return
    this.#cancel()
    this.#armed = due
    this.#cancel = this.#clock.after(Math.max(0, due - this.#clock.monotonic()), () => this.#fire())
  }

  #fire(): void {
    this.#armed = Number.POSITIVE_INFINITY
    const now = this.#clock.monotonic()
    for (let first = this.#heap[0]; first !== undefined && first.due <= now; first = this.#heap[0]) {
      this.clear(first)
      first.ring()
    }
    this.#arm()
  }

  #put(alarm: Alarm, place: number): void {
    this.#heap[place] = alarm
    alarm.place = place
  }

  #rise(alarm: Alarm): void {
    let { place } = alarm
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#heap[above] as Alarm
      if (parent.due <= alarm.due) break
      this.#put(parent, place)
      place = above
    }
    this.#put(alarm, place)
  }

  #sink(alarm: Alarm): void {
    const heap = this.#heap
    let { place } = alarm
    for (;;) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && (heap[below + 1] as Alarm).due < (heap[below] as Alarm).due) below++
      const child = heap[below] as Alarm
      if (child.due >= alarm.due) break
      this.#put(child, place)
      place = below
    }
    this.#put(alarm, place)
  }
}
