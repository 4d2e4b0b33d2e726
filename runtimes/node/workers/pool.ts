/** The main thread's side of the workers: it starts them, again when one ends, and asks all of them what concerns the whole server. */
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { settled } from '../../../core/common/abort.ts'
import type { Drained, DrainOptions } from '../../../core/filters/request-gate.ts'
import type { MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import type { Clock, KeyValueStore, Logger } from '../../../core/ports.ts'
import type { ApiServer } from '../../../core/server.ts'
import { type StoreService, serveStore } from '../../stores/message/service.ts'
import type { AuditLog } from '../observe/audit-log.ts'
import type { Pki } from '../pki/pki.ts'
import { ConnectionCounts } from './balance.ts'
import { type Calls, callsOver } from './calls.ts'
import type { Port } from './descriptor.ts'
import { type LimitMemory, type RateLimits, ThreadLimits } from './limits.ts'
import { linkOf } from './link.ts'
import { type MainAnswers, type Orders, type WorkerAnswers, workerDataOf } from './orders.ts'
import type { Threads } from './threads.ts'

/** Milliseconds until a worker is started again: the first time, at most (it doubles each time), and after which it counts as stable. */
const [firstPause, maxPause, stable] = [100, 5_000, 60_000]

/** Milliseconds to wait for a worker that is asked for its numbers, that leaves, or, beside the time that it is given, that drains or ends. */
const [answerTimeout, leaveTimeout, endTimeout] = [2_000, 25_000, 5_000]
/** Milliseconds in which requests in flight may end by default; see `DrainOptions`. */
const usualLimit = 10_000

export interface PoolOptions {
  readonly count: number
  readonly commandLine: Pick<Orders, 'argv' | 'program'>
  readonly pki: Pki
  readonly port: Port
  readonly store: KeyValueStore
  readonly limits: LimitMemory
  readonly rates: RateLimits
  /** The main thread. */
  readonly own: Threads
  readonly auditLog: AuditLog | undefined
  readonly metrics: MetricsRegistry
  readonly clock: Clock
  readonly logger: Logger
  setVerbosity(level: number): void
}

interface Member {
  readonly calls: Calls<WorkerAnswers>
  readonly thread: Worker
  /** It has told that it accepts connections. */
  serves: boolean
}

export class Pool {
  readonly #options: PoolOptions
  readonly #service: StoreService
  readonly #members = new Map<number, Member>()
  readonly #restarts = new Set<() => void>()
  readonly #connections: SharedArrayBuffer
  #closing = false

  private constructor(options: PoolOptions) {
    this.#options = options
    this.#connections = ConnectionCounts.memory(options.count)
    this.#service = serveStore(options.store, { atTurnsEnd: setImmediate })
  }

  /** Resolves when all workers serve; rejects when one can't start. */
  static async open(options: PoolOptions): Promise<Pool> {
    const pool = new Pool(options)
    try {
      await Promise.all(Array.from({ length: options.count }, (_, index) => pool.#start(index + 1, firstPause)))
    } catch (error) {
      await pool.end()
      throw error
    }
    return pool
  }

  /** A server whose life cycle is that of the own server, which serves nobody, and of all workers. */
  around(own: ApiServer): ApiServer {
    return {
      ...own,
      leave: async () => {
        await Promise.all([this.#startNoMore(), own.leave(), this.#ask((worker) => worker.leave(), leaveTimeout)])
      },
      drain: async (options: DrainOptions = {}) => {
        const { limit = usualLimit, watchGrace = 0 } = options
        const asked = this.#ask((worker) => worker.drain(options), limit + watchGrace + endTimeout)
        const drained: Drained[] = [await own.drain(options), ...(await asked)]
        return drained.reduce((one, other) => ({ aborted: one.aborted + other.aborted, watches: one.watches + other.watches }))
      },
    }
  }

  /** Stops accepting connections; resolves when the workers have none. See `Listener.close`. */
  async close(grace: number): Promise<void> {
    // Its descriptor would keep the socket listening when the workers have closed theirs.
    this.#options.port.close()
    await this.#ask((worker) => worker.stopListening(grace), grace + endTimeout)
  }

  async end(): Promise<void> {
    await this.#startNoMore()
    await this.#ask((worker) => worker.end(), usualLimit + endTimeout)
    await Promise.all([...this.#members.values()].map(({ thread }) => thread.terminate()))
    this.#service.close()
  }

  /** Ends the workers that do not serve yet. Those that serve are not replaced any more. */
  async #startNoMore(): Promise<void> {
    this.#closing = true
    for (const cancel of this.#restarts) cancel()
    const starting = [...this.#members.values()].filter(({ serves }) => !serves)
    await Promise.all(starting.map(({ thread }) => thread.terminate()))
  }

  /** Asks all workers that serve, and returns the answers of those that answer within these milliseconds: one that ends has nothing left to do. */
  async #ask<T>(question: (worker: Calls<WorkerAnswers>['other']) => Promise<T>, timeout: number, except?: number): Promise<T[]> {
    const asked = [...this.#members].filter(([number, { serves }]) => serves && number !== except)
    const answers = await Promise.all(asked.map(([, { calls }]) => within(question(calls.other), this.#options.clock, timeout)))
    return answers.flatMap((answer) => (answer === undefined ? [] : [answer.result]))
  }

  /** Resolves when the worker serves; rejects when it can't, if it never did. */
  #start(number: number, pause: number): Promise<void> {
    const { commandLine, pki, port, limits, rates, auditLog, logger, clock } = this.#options
    const { port1, port2 } = new MessageChannel()
    const client = this.#service.connect(linkOf(port1))
    const orders: Orders = {
      ...commandLine,
      ...{ number, pki, limits, connections: this.#connections },
      port: { address: port.address, port: port.port, descriptor: port.descriptor },
      store: { port: port2, cells: client.cells },
      writesAudit: auditLog !== undefined,
    }
    const thread = new Worker(program(), {
      workerData: workerDataOf(orders),
      transferList: [port2],
      name: `worker ${number}`,
    })
    const began = clock.monotonic()
    return new Promise((resolve, reject) => {
      let reason: unknown
      const calls = callsOver<WorkerAnswers>(thread as never, {
        serving() {
          member.serves = true
          resolve()
        },
        failed(message: string) {
          reason = new Error(message)
          void thread.terminate()
        },
        audit: async (lines: Uint8Array) => auditLog?.write(lines),
        otherSeries: () => this.#seriesBeside(number),
        setVerbosity: (level: number) => this.#setVerbosity(level),
        ...rates,
        askOthers: (topic: string, about: unknown, milliseconds: number) => this.#answersBeside(number, topic, about, milliseconds),
      } satisfies MainAnswers)
      const member: Member = { calls, thread, serves: false }
      this.#members.set(number, member)
      thread.once('error', (error) => {
        reason = error
      })
      thread.once('exit', (code) => {
        calls.end('the worker has ended')
        client.close()
        port1.close()
        new ThreadLimits(limits, 0, rates).forget(number)
        new ConnectionCounts(this.#connections).set(number, -1)
        if (this.#members.get(number) === member) this.#members.delete(number)
        if (this.#closing) return resolve()
        if (!member.serves && pause === firstPause) return reject(reason ?? new Error(`worker ${number} ended with ${code}`))
        const next = clock.monotonic() - began > stable ? firstPause : pause
        logger.error(
          { worker: number, error: describe(reason, code), restart: next },
          'a worker ended; its connections are closed, and it is started again',
        )
        this.#restart(number, next)
        resolve()
      })
    })
  }

  #restart(number: number, pause: number): void {
    const cancel = this.#options.clock.after(pause, () => {
      this.#restarts.delete(cancel)
      if (!this.#closing) void this.#start(number, Math.min(maxPause, pause * 2))
    })
    this.#restarts.add(cancel)
  }

  /** The series of all threads but this worker's. */
  async #seriesBeside(number: number) {
    const others = await this.#ask((worker) => worker.series(), answerTimeout, number)
    return [...this.#options.metrics.series(), ...others.flat()]
  }

  /** The answers of all threads but this worker. */
  async #answersBeside(number: number, topic: string, about: unknown, milliseconds: number) {
    const own = (async () => [await this.#options.own.answerTo(topic, about)])()
    // What takes a while, such as a profile, may take longer on a busy machine.
    const timeout = milliseconds > 0 ? milliseconds + 2 * endTimeout : answerTimeout
    const others = this.#ask((worker) => worker.answer(topic, about), timeout, number)
    return [...(await own.catch(() => [])), ...(await others)]
  }

  #setVerbosity(level: number): void {
    this.#options.setVerbosity(level)
    void this.#ask((worker) => worker.setVerbosity(level), answerTimeout)
  }
}

/** The program of a thread: this one. An executable has it inside, under a constant name. */
function program(): string {
  const { bun, deno } = process.versions
  return bun || deno ? (process.argv[1] ?? '') : join(__dirname, 'bin.js')
}

const describe = (reason: unknown, code: number) => (reason instanceof Error ? reason.message : `status ${code}`)

/** The result; undefined when it takes longer, or rejects. */
async function within<T>(result: Promise<T>, clock: Clock, milliseconds: number): Promise<{ readonly result: T } | undefined> {
  let found: { readonly result: T } | undefined
  const noted = result.then((value) => {
    found = { result: value }
  })
  await settled(noted, clock, milliseconds)
  return found
}
