/** A server: a gate for requests, and a life cycle of parts behind it. */

import { Reply } from '../answers/reply.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { once } from '../common/once.ts'
import { Shared } from '../common/shared.ts'
import { createLoopback } from '../controllers/bootstrap/loopback.ts'
import { IdleQueues } from '../controllers/idle-queues.ts'
import { queueMetrics } from '../controllers/queue-metrics.ts'
import { givesWork, type Wakes, type Written } from '../controllers/wakes.ts'
import { EncryptionError } from '../encryption/store.ts'
import { lastingPaths } from '../filters/path-handlers.ts'
import { RequestGate } from '../filters/request-gate.ts'
import { createHealthMetrics } from '../meta/metrics/health.ts'
import { storedMetrics } from '../objects/storage/metrics.ts'
import { isUnreadable } from '../objects/storage/unreadable.ts'
import type { CompleteOptions } from '../options/index.ts'
import { type Connection, type HostPorts, type OpenStores, StoreError } from '../ports.ts'
import { createIds } from '../request/ids.ts'
import { messageOf } from '../schema/message-of.ts'
import type { ApiServer } from './api-server.ts'
import type { AssemblyContext } from './context.ts'
import { answerDebug } from './debug.ts'
import type { Features } from './features/features.ts'
import { serverHealth } from './health.ts'
import { LifeCycle } from './life-cycle.ts'
import { measuredClient } from './own-client.ts'
import { type Parts, parts } from './parts.ts'

/** A server that does not run yet: it answers health checks, and everything else with 503. */
export interface UnstartedServer extends ApiServer {
  /** Resolves when the server is ready. When it can't start, what was started is stopped again. */
  start(): Promise<Parts>
  /** Whether the work queues of controllers are empty. */
  isIdle(): boolean
  /** Starts what `Relations.continues` left out: controllers, timers and other work beside requests. Failures are logged. */
  wake(): Promise<void>
  /** Starts the controllers among it to which one of these changes of the store gives work. */
  wakeAt(changes: readonly Written[]): Promise<void>
}

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }
const lateParts = ['plugins', 'customResources', 'aggregation'] as const
/** Milliseconds until a part that could not reach the store is started again: after the first failure (it doubles with each further one), and the maximum. */
const [minRetry, maxRetry] = [100, 5_000]

/** How a server differs from one that starts alone over stores in any state. */
export interface Relations {
  /** What it has in common with other servers with the same options. */
  readonly shared: Shared<CompleteOptions>
  /** Its stores have the state that a server with the same options left or has, ready for requests. What does not serve requests starts at `wake`. */
  readonly continues: boolean
}

/** `open` opens the stores when the server starts. */
export function prepareServer(
  features: Partial<Features>,
  ports: HostPorts,
  open: () => MaybePromise<OpenStores>,
  options: CompleteOptions,
  { shared, continues }: Relations = { shared: new Shared(options), continues: false },
): UnstartedServer {
  const { clock, telemetry } = ports
  const { apis, admission, controllers, serving, storage } = options
  const { metrics } = options.general
  if (apis.gates.enabled('NativeHistograms')) metrics.useNativeHistograms()
  const loopback = createLoopback()
  const began = clock.monotonic()
  const started = clock.now()
  const healthMetrics = once(() => createHealthMetrics(started, options.general.platform, metrics.selection))
  const gate: RequestGate = new RequestGate({
    clock,
    own: loopback.connection,
    health: (request) => health().respond(request),
    nextId: shared.of(createIds),
    lasts: lastingPaths(apis.pathHandlers),
  })
  const queues = new IdleQueues(queueMetrics(metrics))
  const stored = storedMetrics(metrics)
  const debug = once(() => features.debug?.({ options, ports, gate, stored }) ?? [])
  // Other threads may ask before a client does.
  if (ports.threads) debug()
  const context: AssemblyContext = {
    features,
    options,
    shared,
    continues,
    ports,
    open,
    settings: {
      allowPrivileged: admission.allowPrivileged,
      garbageCollection: controllers.garbageCollection,
      enabled: apis.gates.enabled,
    },
    late: {
      demand: (names) => life.demand(names),
      isComplete: () => lateParts.every((name) => life.isSettled(name)),
      value: (name) => life.value(name) as Parts[typeof name],
    },
    gate,
    loopback,
    healthMetrics,
    debug,
    fetchOwn: measuredClient(metrics, clock, serving.serverAddress, async (request) => gate.answer(request, loopback.connection)),
    queues: queues.queues,
    stored,
    healthOf: (found) =>
      serverHealth({ options, ports, hooks: life.hooks, began, metrics: healthMetrics(), shuttingDown: () => gate.leaving }, found),
  }
  const life = new LifeCycle<Parts, AssemblyContext>(parts, {
    context,
    continues,
    after: (milliseconds, callback) => clock.after(milliseconds, callback),
    retryAfter(error, part, failures) {
      const storeIsAway = error instanceof StoreError && (error.code === 'unavailable' || error.code === 'timeout')
      // A plugin that is down, or not there yet. Its own check says which one, and waits without a limit.
      const pluginIsAway = (isUnreadable(error) || error instanceof EncryptionError) && (life.value('encryption')?.checks.length ?? 0) > 0
      const left = began + storage.storageInitializationTimeout - clock.monotonic()
      if (!pluginIsAway && !(storeIsAway && left > 0)) return undefined
      const until = pluginIsAway ? {} : { left: Math.round(left) }
      telemetry.logger.warn({ part, error: messageOf(error), ...until }, 'start: a part could not read or write its objects; trying again')
      return Math.min(maxRetry, minRetry * 2 ** (failures - 1))
    },
  })
  const health = once(() => context.healthOf())
  const notStarted = (error: unknown) => {
    if (!gate.leaving) telemetry.logger.error({ error: messageOf(error) }, 'background work could not be started')
  }
  const answer = (request: Request, connection: Connection) => gate.answer(request, connection)

  return {
    answer,
    async fetch(request, connection = inProcess) {
      const reply = await answer(request, connection)
      const response = Reply.native(reply)
      // The listener reports on the response that it got.
      if (response !== reply) connection.whenSent?.(response, () => Reply.ended(reply))
      return response
    },
    debug: (request) => answerDebug(debug(), request),
    async start() {
      try {
        return await life.start()
      } catch (error) {
        gate.close()
        await life.stop()
        throw error
      }
    },
    isIdle: () => queues.areIdle(),
    wake: () => life.wake().catch(notStarted),
    wakeAt(written) {
      const changes = written.map(({ key, value = null }) => ({ path: key.slice(storage.prefix.length + 1), value }))
      const isMeant = (wakes: Wakes) => changes.some((change) => givesWork(wakes, change, options.general.platform))
      return life.wakeThose(isMeant).catch(notStarted)
    },
    leave() {
      gate.leave()
      return life.leave()
    },
    drain: (drainOptions) => gate.drain(drainOptions),
    async close() {
      gate.leave()
      await life.leave()
      await gate.drain()
      await gate.drainSent()
      await life.stop()
    },
  }
}
