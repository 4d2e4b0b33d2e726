/** A test server and its forks: the same options, of which everything is made once, and states of their own. */
import type { MaybePromise } from '../../core/common/maybe-promise.ts'
import type { Connection, Outbound, Ports, Telemetry } from '../../core/ports.ts'
import { createServerFamily, type FamilyServer, type OwnCredentials, type ResourcePlace, type ServerOptions } from '../../core/server.ts'
import { type ForkableStore, type ForkableStoreOptions, forkableStore, type StoreSnapshot } from '../stores/forkable.ts'
import { consoleLogger, webClock } from '../web/ports.ts'
import { TestClock } from './clock.ts'
import { createFirstStates, type LeftState } from './first-state.ts'
import { createIdentities, type Identities } from './identity.ts'
import { localResponse } from './local-response.ts'
import { outboundWhenCalled } from './outbound.ts'
import { type Secrets, secretOptions } from './secrets.ts'
import type { Snapshot } from './server.ts'
import { Sleep, type WorkLeft } from './sleep.ts'
import { Answers } from './webhook-answers.ts'
import { webhookFiles } from './webhook-options.ts'

/** A server that runs. */
export interface Running {
  fetch(request: Request, connection: Connection): Promise<Response>
  /** As `fetch`; the response is a Reply. */
  answer(request: Request, connection: Connection): MaybePromise<Response>
  /** What is served of a kind, as far as is known without asking for more. */
  placeOf(apiVersion: string, kind: string): MaybePromise<ResourcePlace | undefined>
  readonly clock: TestClock
  snapshot(): StoreSnapshot
  stop(): Promise<void>
}

/** What surrounds a server, where that is not this process alone. */
export interface Surroundings {
  /** The state that it starts from is one that a server with the same options has left, maybe with work for controllers. */
  readonly continues?: boolean
  /** That server had no work left for controllers: see `Family.isSettled`. */
  readonly settled?: boolean
  /** The state that it starts from, where that is none that stays as it is. */
  readonly present?: () => StoreSnapshot
  /** Opens the store, when the server starts; default: one in memory. */
  readonly openStore?: (options: ForkableStoreOptions) => ForkableStore
  /** Calls of other servers. */
  readonly outbound?: Required<Outbound>
}

export interface Family {
  readonly identities: Identities
  /** Whether a server of the family has left no work for controllers in this state. */
  isSettled(state: StoreSnapshot): boolean
  /** The state of a new server, after the first work of its controllers if that took but a moment. */
  newState(secrets: Secrets): Promise<StoreSnapshot>
  /** Starts a server with these keys from a state; undefined: an empty cluster. `answers`: the functions that it calls as webhooks. */
  run(secrets: Secrets, from: Snapshot | undefined, answers: Answers, surroundings?: Surroundings): Promise<Running>
}

interface Started {
  readonly api: FamilyServer
  readonly store: ForkableStore
}

/** Turns of the event loop after which a server whose queues are empty has settled well enough to be copied, and their maximum. */
const [quietTurns, settlingTurns] = [5, 200]

/** `made`: the state of a new server, where it is known before any has started. */
export function createFamily(options: ServerOptions, telemetry: Telemetry = { logger: consoleLogger }, made?: LeftState): Family {
  const identities = createIdentities()
  const outbound = outboundWhenCalled()
  const servers = createServerFamily({ ...options, authenticators: [identities.authenticator, ...(options.authenticators ?? [])] })
  const credentials = new WeakMap<Secrets, Promise<OwnCredentials>>()
  const states = new WeakMap<StoreSnapshot, WorkLeft>()
  // An identity lease names the keys of its server.
  const firstStates = options.hostname ? undefined : createFirstStates(settled, made)

  async function make(secrets: Secrets): Promise<OwnCredentials> {
    const own = await secretOptions(secrets)
    return { ...own, ...options, staticTokens: [...own.staticTokens, ...(options.staticTokens ?? [])] }
  }

  function credentialsOf(secrets: Secrets): Promise<OwnCredentials> {
    const made = credentials.get(secrets) ?? make(secrets)
    credentials.set(secrets, made)
    return made
  }

  const startOver = (ports: Pick<Ports, 'store' | 'clock' | 'outbound'>, continues: boolean, own: OwnCredentials) =>
    servers.start({ ...ports, files: webhookFiles, telemetry }, continues, own)

  /** The state in which controllers leave a server that starts from this one, when they need but a moment. */
  async function settled(state: StoreSnapshot, own: OwnCredentials): Promise<LeftState> {
    let changes = 0
    const store = forkableStore({ clock: webClock, from: state, changed: () => void changes++ })
    const api = await startOver({ store, clock: webClock, outbound }, true, own)
    try {
      await api.wake()
      let [before, quiet] = [0, 0]
      for (let turn = 0; turn < settlingTurns && quiet < quietTurns; turn++) {
        await webClock.pause?.()
        quiet = api.isIdle() && changes === before ? quiet + 1 : 0
        before = changes
      }
      return { state: store.snapshot(), left: quiet < quietTurns ? 'maybe' : 'none' }
    } finally {
      await api.close()
      await store.close()
    }
  }

  /** Undefined: no server of the family has started from nothing yet, or its state can't be copied. */
  async function copy(): Promise<StoreSnapshot | undefined> {
    const copied = await firstStates?.next()
    if (copied) states.set(copied.state, copied.left)
    return copied?.state
  }

  const family: Family = {
    identities,
    isSettled: (state) => states.get(state) === 'none',
    async newState(secrets) {
      const known = await copy()
      if (known) return known
      const first = await family.run(secrets, undefined, new Answers([]))
      const state = first.snapshot()
      await first.stop()
      return (await copy()) ?? state
    },
    async run(secrets, given, answers, { continues, settled, present, openStore = forkableStore, outbound: calls = outbound } = {}) {
      const own = await credentialsOf(secrets)
      const copied = given === undefined ? await copy() : undefined
      const from = given ?? (copied && { store: copied, ahead: 0, secrets })
      const left = from && (settled ? 'none' : (states.get(from.store) ?? (continues ? 'maybe' : undefined)))
      const sleep = new Sleep(left)
      let started: Promise<Started> | undefined
      let running: Started | undefined
      const clock = new TestClock(webClock, { ahead: from?.ahead, advanced: () => sleep.end() })

      async function start(): Promise<Started> {
        const store = openStore({ clock, changed: (changes) => sleep.note(changes), ...(from && { from: from.store }) })
        const api = await startOver({ store, clock, outbound: answers.over(calls, clock) }, left !== undefined, own)
        running = { api, store }
        if (from === undefined) firstStates?.note(store.snapshot(), own)
        sleep.attach(api)
        return running
      }
      const whenStarted = () => (started ??= start())

      // A server that continues a state starts at its first request: those that are never asked cost nothing.
      if (left === undefined) await whenStarted()
      return {
        async fetch(request, connection) {
          const { api } = running ?? (await whenStarted())
          const response = await api.answer(request, connection)
          // A listener sends replies as they are.
          return connection.whenSent ? response : localResponse(response)
        },
        answer: (request, connection) =>
          running ? running.api.answer(request, connection) : whenStarted().then(({ api }) => api.answer(request, connection)),
        placeOf: (apiVersion, kind) =>
          running ? running.api.placeOf(apiVersion, kind) : whenStarted().then(({ api }) => api.placeOf(apiVersion, kind)),
        clock,
        snapshot() {
          const taken = running?.store.snapshot() ?? present?.() ?? (from as Snapshot).store
          states.set(taken, sleep.isSettled() ? 'none' : 'maybe')
          return taken
        },
        async stop() {
          // A failed start leaves nothing behind.
          const ending = await started?.catch(() => undefined)
          await ending?.api.close()
          await sleep.close()
          await ending?.store.close()
        },
      }
    },
  }
  return family
}
