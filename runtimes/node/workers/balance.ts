/**
 * Moves connections of HTTP/2, which stay for days, away from a worker that has many more than another one: the kernel spreads new ones only, and
 * all go to those that are left when a worker ends.
 */
import type { Clock, Connection } from '../../../core/ports.ts'

type Answer = (request: Request, connection: Connection) => Response | Promise<Response>

/** Milliseconds between looks at the numbers. */
const period = 1_000
/** Connections more than twice as many as another worker has that are no reason to move any. */
const tolerated = 8
/** One of so many that are too many moves in each period. */
const portion = 10

/** The number of connections of each worker; -1: it does not serve. */
export class ConnectionCounts {
  readonly #cells: Int32Array

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory)
  }

  static memory(workers: number): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(4 * workers)
    new Int32Array(memory).fill(-1)
    return memory
  }

  /** `worker`: from 1. */
  set(worker: number, connections: number): void {
    Atomics.store(this.#cells, worker - 1, connections)
  }

  /** How many connections a worker has too many. */
  surplus(worker: number): number {
    const own = Atomics.load(this.#cells, worker - 1)
    let least = own
    for (let at = 0; at < this.#cells.length; at++) {
      const connections = Atomics.load(this.#cells, at)
      if (connections >= 0 && connections < least) least = connections
    }
    return Math.max(0, own - 2 * least - tolerated)
  }
}

export interface BalanceOptions {
  readonly counts: ConnectionCounts
  readonly worker: number
  /** Open connections of this worker. */
  readonly connections: () => number
  readonly clock: Pick<Clock, 'after'>
}

/** Answers as `answer` does, and tells some clients of HTTP/2 to connect again. The returned `stop` ends the looks at the numbers. */
export function balanced(answer: Answer, { counts, worker, connections, clock }: BalanceOptions): { answer: Answer; stop(): void } {
  let due = 0
  let cancel = () => {}
  const look = () => {
    counts.set(worker, connections())
    due = Math.ceil(counts.surplus(worker) / portion)
    cancel = clock.after(period, look)
  }
  look()
  // Runtimes send this header as GOAWAY over HTTP/2.
  const last = (response: Response): Response => {
    response.headers.set('connection', 'close')
    return response
  }
  return {
    answer(request, connection) {
      const answered = answer(request, connection)
      if (due === 0 || connection.protocol !== 'h2') return answered
      due--
      return answered instanceof Promise ? answered.then(last) : last(answered)
    },
    stop() {
      cancel()
      counts.set(worker, -1)
    },
  }
}
