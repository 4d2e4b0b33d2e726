/**
 * Order on demand: runs a controller again and again under schedules of faults that a seed chooses, and compares what it leaves with the result
 * of an undisturbed run. A schedule that changes the result is reduced to the faults that it takes.
 */
import { callable, integer, list, object, record, text, within } from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import { changesOf, textOf } from './changes.ts'
import { type Fault, Faults } from './faults.ts'
import { randomNumbers } from './random.ts'
import { isWrite, type RequestFacts } from './selection.ts'
import { type Snapshot, startTestServer, type TestObject, type TestServer } from './server.ts'
import { trafficOf } from './traffic.ts'

/** What is done again and again. */
export interface Exploration {
  /** State of the server before; default: an empty cluster. */
  readonly from?: Snapshot
  /** Name of the controller's user: faults hit its requests alone. */
  readonly user: string
  /**
   * Runs the controller, in this process or another (`server.listen()`), until `signal` aborts. A fault that stops it aborts the signal, too; it is
   * started again then, and when it ends by itself or with an error.
   */
  start(server: TestServer, signal: AbortSignal): Promise<unknown>
  /** What the test does meanwhile. `step` waits until the controller is idle, though events for it may be held back. */
  act(server: TestServer, step: () => Promise<void>): Promise<unknown>
  /** Kinds whose objects are compared: `{ v1: ['ConfigMap'] }`, in the namespace `default`. */
  readonly kinds: { readonly [apiVersion: string]: readonly string[] }
  /** Seeds: a number for 1 to this number (default 100), or a list. */
  readonly seeds?: number | readonly number[]
  /** A schedule to run instead of those of seeds. */
  readonly faults?: readonly Fault[]
  /** Milliseconds without a request after which the controller is idle; default 20. */
  readonly idle?: number
  /** Requests of the controller that are too many; default: ten times those of the undisturbed run, and 100 more. */
  readonly maxRequests?: number
}

/** What a schedule has shown. */
export interface Finding {
  /** Undefined: the schedule was given. */
  readonly seed: number | undefined
  /** The shortest schedule with which it happens. */
  readonly faults: readonly Fault[]
  /** What differs from the undisturbed run (undisturbed → disturbed), or that there are too many requests. */
  readonly what: string
  /** The schedule as a test. */
  readonly test: string
}

const rows = {
  from: object,
  user: text,
  start: callable,
  act: callable,
  kinds: record(list(text)),
  seeds: ((value, platform) =>
    (Array.isArray(value) ? list(integer) : within({ min: 1, max: 1_000_000 }))(value as never, platform)) as typeof object,
  faults: list(object),
  idle: within({ min: 1, max: 60_000 }),
  maxRequests: within({ min: 1, max: 1_000_000 }),
}

/** Faults of a schedule, and milliseconds of delays, at most. */
const [maxFaults, maxDelay] = [6, 80]
/** Milliseconds by which requests are delayed that are too many. */
const stormDelay = 20
/** Milliseconds that events are held back, at least. */
const minHold = 80
/** Events of watches that faults hit. */
const maxEvents = 8
/** Milliseconds from the end of a controller to its next start. */
const restartDelay = 2
/** Times that a result which differs is looked at again: the controller may be slow. */
const looks = 5

interface Outcome {
  readonly state: { readonly [object: string]: object }
  readonly requests: readonly RequestFacts[]
  readonly isStorm: boolean
}

/** An object without what differs between runs: identifiers, times, revisions, and the random ends of names. */
function normal(object: TestObject): object {
  const { metadata = {}, ...others } = object
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    managedFields: _fields,
    generation: _generation,
    selfLink: _link,
    ...kept
  } = metadata
  const { generateName, ownerReferences } = metadata as { generateName?: string; ownerReferences?: readonly object[] }
  const owners = ownerReferences?.map((owner) => ({ ...owner, uid: '' }))
  return { ...others, metadata: { ...kept, ...(generateName && { name: `${generateName}*` }), ...(owners && { ownerReferences: owners }) } }
}

async function stateOf(server: TestServer, kinds: Exploration['kinds']): Promise<Outcome['state']> {
  const state: { [object: string]: object } = {}
  for (const [apiVersion, names] of Object.entries(kinds))
    for (const kind of names)
      for (const each of await server.objects(apiVersion, kind).list()) {
        const object = normal(each) as { metadata: { name: string } }
        // Several objects with the same generated name are numbered.
        let key = `${kind} ${object.metadata.name}`
        for (let at = 2; key in state; at++) key = `${kind} ${object.metadata.name} (${at})`
        state[key] = object
      }
  return state
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Keeps a controller running until `stop`. Its errors are those of a process that dies. */
function keepRunning({ start, user }: Exploration, server: TestServer): { stop(): Promise<void> } {
  let isOver = false
  let life = new AbortController()
  Faults.onStop(server.faults, (stopped) => {
    if (stopped === user) life.abort()
  })
  const running = (async () => {
    while (!isOver) {
      life = new AbortController()
      Faults.revive(server.faults, user)
      await start(server, life.signal).catch(() => undefined)
      if (!isOver) await pause(restartDelay)
    }
  })()
  return {
    stop() {
      isOver = true
      life.abort()
      return running
    },
  }
}

/** Resolves when the controller has not asked for anything for a while, and, at the `end`, nothing is held back; to true when it asks too much. */
async function untilIdle(server: TestServer, { user, idle = 20 }: Exploration, maxRequests: number, end: boolean): Promise<boolean> {
  const traffic = trafficOf(server)
  for (let last = -1, quiet = 0; quiet <= idle / 5; await pause(5)) {
    const count = server.requests.find({ user }).length
    if (count > maxRequests) return true
    quiet = count === last && traffic.pending === 0 && !(end && traffic.holding > 0) ? quiet + 1 : 0
    last = count
  }
  return false
}

async function run(
  exploration: Exploration,
  from: Snapshot,
  faults: readonly Fault[],
  maxRequests: number,
  wanted?: Outcome,
): Promise<Outcome> {
  const server = await startTestServer({ from })
  const { user, kinds, act } = exploration
  server.requests.clear()
  for (const fault of faults) server.faults.add(fault)
  // A storm in this process would leave no time to notice it.
  const bounded = () => server.faults.add({ user, after: maxRequests, then: { latency: stormDelay } })
  bounded()
  const controller = keepRunning(exploration, server)
  let isStorm = false
  const step = async (end = false) => {
    isStorm ||= await untilIdle(server, exploration, maxRequests, end)
  }
  try {
    await act(server, step)
    await step(true)
    server.faults.clear()
    bounded()
    await step(true)
    let state = await stateOf(server, kinds)
    for (let look = 1; look < looks && wanted && !isStorm && changesOf(wanted.state, state).length > 0; look++) {
      await step(true)
      state = await stateOf(server, kinds)
    }
    return { state, requests: server.requests.find({ user }), isStorm }
  } finally {
    await controller.stop()
    await server.close()
  }
}

type Harm = Pick<Fault, 'then' | 'times'>

/** What may happen to a request. */
function harmsOf({ verb, path }: RequestFacts, delay: number): readonly Harm[] {
  const slow: Harm[] = [{ then: { latency: delay } }, { then: { late: delay } }]
  // Longer than a step: the controller works without what is held back.
  const hold = { hold: minHold + delay }
  if (verb === 'watch') return [{ then: hold }, { then: hold, times: 3 }, { then: 'drop' }]
  const refused: Harm[] = [...slow, { then: 'lose' }, { then: 500 }]
  // Only such a read may be answered from a cache that lags.
  if (verb === 'get' || verb === 'list') return path.includes('resourceVersion=0') ? [...refused, { then: 'stale' }] : refused
  return [...refused, { then: 'break' }, { then: 'stop' }, { then: 'stop' }, { then: 409 }]
}

/** A schedule for what a controller asks: faults of single requests, and of events. */
function scheduleOf(seed: number, user: string, requests: readonly RequestFacts[]): Fault[] {
  const random = randomNumbers(seed)
  return Array.from({ length: 1 + random.integer(maxFaults) }, (): Fault => {
    const picked = random.pick(requests)
    const { verb, resource } = picked
    const alike = requests.filter((each) => each.verb === verb && each.resource === resource).length
    const after = random.integer(verb === 'watch' ? maxEvents : alike)
    const harm = random.pick(harmsOf(picked, 1 + random.integer(maxDelay)))
    return { user, verb: verb as 'watch', resource, after, times: 1, ...harm }
  })
}

/** What a run shows beside the undisturbed one; undefined: nothing. */
function verdictOf(wanted: Outcome, seen: Outcome): string | undefined {
  if (seen.isStorm)
    return `${seen.requests.length} requests, of which ${seen.requests.filter((each) => isWrite(each)).length} are writes; undisturbed: ${wanted.requests.length}`
  const changes = changesOf(wanted.state, seen.state)
  return changes.length === 0 ? undefined : textOf(changes)
}

/** A value as it is written in a program. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${name}: ${literal(each)}`)
      .join(', ')} }`
  return typeof value === 'string' && !/['\\]/.test(value) ? `'${value}'` : JSON.stringify(value)
}

const testOf = (seed: number | undefined, faults: readonly Fault[], what: string) =>
  [
    `test(${JSON.stringify(seed === undefined ? 'the schedule' : `seed ${seed}`)}, async () => {`,
    `  // ${what.replaceAll('\n', '\n  // ')}`,
    '  await explore({',
    '    ...exploration,',
    '    faults: [',
    ...faults.map((fault) => `      ${literal(fault)},`),
    '    ],',
    '  })',
    '})',
  ].join('\n')

/** A controller under a schedule of faults leaves something else than undisturbed. */
export class ExplorationError extends Error {
  override readonly name = 'ExplorationError'
  readonly finding: Finding
  constructor(finding: Finding) {
    super(
      `${finding.seed === undefined ? 'the schedule' : `seed ${finding.seed}`} (undisturbed → disturbed):\n${finding.what}\n\n${finding.test}`,
    )
    this.finding = finding
  }
}

/**
 * Runs a controller undisturbed, and then once for each seed under its schedule. Resolves to the number of schedules when all of them leave the same
 * objects. Rejects with an ExplorationError at the first that does not, with the shortest part of its schedule that does the same, as a test.
 */
export async function explore(exploration: Exploration): Promise<number> {
  validateOptions('explore', rows, exploration, { required: ['user', 'start', 'act', 'kinds'] })
  const from = exploration.from ?? (await emptyState())
  const wanted = await run(exploration, from, [], exploration.maxRequests ?? 10_000)
  if (wanted.isStorm) throw new Error(`explore: ${wanted.requests.length} requests without a fault: the controller never becomes idle`)
  if (wanted.requests.length === 0) throw new Error(`explore: no request of ${exploration.user}`)
  const maxRequests = exploration.maxRequests ?? wanted.requests.length * 10 + 100
  const attempt = async (faults: readonly Fault[]) => verdictOf(wanted, await run(exploration, from, faults, maxRequests, wanted))
  const { seeds = 100 } = exploration
  const numbers = typeof seeds === 'number' ? Array.from({ length: seeds }, (_, at) => at + 1) : seeds
  const schedules = exploration.faults
    ? [{ seed: undefined, faults: exploration.faults }]
    : numbers.map((seed) => ({ seed, faults: scheduleOf(seed, exploration.user, wanted.requests) }))
  for (const { seed, faults } of schedules) {
    const what = await attempt(faults)
    if (what !== undefined) throw new ExplorationError(await shrunk(seed, faults, what, attempt))
  }
  return schedules.length
}

async function emptyState(): Promise<Snapshot> {
  const server = await startTestServer()
  const state = server.snapshot()
  await server.close()
  return state
}

/** Leaves out one fault after the other, as long as anything still differs. */
async function shrunk(
  seed: number | undefined,
  faults: readonly Fault[],
  first: string,
  attempt: (faults: readonly Fault[]) => Promise<string | undefined>,
): Promise<Finding> {
  let [shortest, what] = [faults, first]
  for (let at = 0; at < shortest.length && shortest.length > 1; ) {
    const fewer = shortest.filter((_, index) => index !== at)
    // Twice: what depends on time may need a second look.
    const still = (await attempt(fewer)) ?? (await attempt(fewer))
    if (still === undefined) at++
    else [shortest, what] = [fewer, still]
  }
  return { seed, faults: shortest, what, test: testOf(seed, shortest, what) }
}
