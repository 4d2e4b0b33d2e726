/** Controllers of a server that sleep until it is clear that they have work. */
import { append } from '../../core/common/lists.ts'
import type { FamilyServer } from '../../core/server.ts'
import type { Change } from '../stores/history.ts'
import { webClock } from '../web/ports.ts'

/** Whether controllers have work left in a state that a server of the family had. `maybe`: it was new. */
export type WorkLeft = 'none' | 'maybe'

/** Milliseconds from the latest change of a server to the start of the controllers that it gives work, and from the first one at most. */
const [changeTime, maxChangeTime] = [5, 50]
/** Milliseconds from the first change of a server to the start of everything else, or from its first request when there may be work left. */
const wakingTime = 1_000
/** Milliseconds without a change after which a server whose queues are empty has no work left. */
const settlingTime = 1_000

export class Sleep {
  readonly #left: WorkLeft | undefined
  /** When controllers last got work; undefined: they had none. */
  #changed: number | undefined
  #isOver: boolean
  /** Changes that the server has not been told, and when the first one was. */
  #changes: Change[] = []
  #firstChange = 0
  #telling: ReturnType<typeof setTimeout> | undefined
  #cancelEnd: (() => void) | undefined
  #server: FamilyServer | undefined
  /** Starts of controllers that are not over. */
  readonly #starts = new Set<Promise<void>>()

  /** `left`: the work in the state that the server starts from; undefined: it starts from nothing, and nobody sleeps. */
  constructor(left: WorkLeft | undefined) {
    this.#left = left
    this.#isOver = left === undefined
    this.#changed = this.#isOver ? webClock.monotonic() : undefined
  }

  /** The server has started. */
  attach(server: FamilyServer): void {
    this.#server = server
    if (this.#left === undefined) return
    if (this.#isOver) this.#keep(server.wake())
    else if (this.#left === 'maybe') this.#endLater()
  }

  note(changes: readonly Change[]): void {
    this.#changed = webClock.monotonic()
    if (this.#isOver) return
    if (this.#changes.length === 0) this.#firstChange = this.#changed
    append(this.#changes, changes)
    clearTimeout(this.#telling)
    // Later, so that a test that only writes and reads needs no controllers. Unlike the clock's, this timer keeps the process alive: a request may
    // wait for what controllers do.
    const wait = Math.min(changeTime, this.#firstChange + maxChangeTime - this.#changed)
    this.#telling = setTimeout(() => this.#tell(), Math.max(0, wait))
    this.#endLater()
  }

  /** Wakes everybody. */
  end(): void {
    this.#isOver = true
    this.#changed = webClock.monotonic()
    this.#cancel()
    if (this.#server) this.#keep(this.#server.wake())
  }

  /** Whether controllers have done their work. */
  isSettled(): boolean {
    if (this.#changed === undefined) return this.#left === 'none'
    return webClock.monotonic() - this.#changed > settlingTime && this.#server?.isIdle() === true
  }

  /** Nobody is woken any more. Resolves when those who were have what they need of the store. */
  async close(): Promise<void> {
    this.#cancel()
    await Promise.all(this.#starts)
  }

  #tell(): void {
    if (this.#server === undefined) return
    const changes = this.#changes
    this.#changes = []
    this.#keep(this.#server.wakeAt(changes))
  }

  #endLater(): void {
    this.#cancelEnd ??= webClock.after(wakingTime, () => this.end())
  }

  #cancel(): void {
    this.#cancelEnd?.()
    clearTimeout(this.#telling)
    this.#changes = []
  }

  #keep(start: Promise<void>): void {
    this.#starts.add(start)
    void start.then(() => this.#starts.delete(start))
  }
}
