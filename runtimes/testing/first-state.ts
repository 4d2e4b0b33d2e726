/**
 * What a new server writes before it is ready is the same for all servers with the same options, except for uids and times. So it is written once,
 * and copied for later servers with uids and times of their own.
 */
import { append } from '../../core/common/lists.ts'
import { once } from '../../core/common/once.ts'
import type { StoreEvent } from '../../core/ports.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/schema/formats/utf8.ts'
import type { OwnCredentials } from '../../core/server.ts'
import { replayedSnapshot, type StoreSnapshot } from '../stores/forkable.ts'
import type { Change } from '../stores/history.ts'
import { webClock } from '../web/ports.ts'
import type { WorkLeft } from './sleep.ts'

/** Makes the state of a new server. `now`: its time, in milliseconds since the epoch. */
type FirstState = (now: number) => StoreSnapshot

/** Uids of objects; times with and without microseconds, and dates. */
const varying =
  /(?<uid>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})|(?<=")(?<date>\d{4}-\d\d-\d\d)(?<time>T\d\d:\d\d:\d\d)?(?<micros>\.\d{6})?(?<zone>Z)?(?=")/g

/** A value as its bytes, and the places in it that a new state writes: what is new is as long as what was there. */
interface Pattern {
  readonly bytes: Uint8Array
  readonly uids: readonly { readonly at: number; readonly known: string }[]
  /** Bytes of date and time, and whether microseconds follow. */
  readonly times: readonly { readonly at: number; readonly length: number; readonly hasMicros: boolean }[]
}

/** What is new in a new state. */
interface News {
  uidOf(known: string): Uint8Array
  /** Such as `2026-11-26T12:00:00.123000`. */
  readonly now: Uint8Array
}

/** Where the microseconds begin. */
const secondsLength = '2026-11-26T12:00:00'.length

/** Undefined: the value is no JSON text, such as an encrypted one, in which a uid cannot be replaced. */
function patternOf(bytes: Uint8Array): Pattern | undefined {
  const text = decodeUtf8(bytes)
  if (!text?.startsWith('{')) return undefined
  const uids: Pattern['uids'][number][] = []
  const times: Pattern['times'][number][] = []
  let [at, from] = [0, 0]
  for (const { index, groups = {} } of text.matchAll(varying)) {
    at += encodeUtf8(text.slice(from, index)).length
    from = index
    const { uid, date = '', time = '', micros } = groups
    if (uid !== undefined) uids.push({ at, known: uid })
    else times.push({ at, length: date.length + time.length, hasMicros: micros !== undefined })
  }
  return { bytes, uids, times }
}

/** Fills a pattern. */
function filled({ bytes, uids, times }: Pattern, { uidOf, now }: News): Uint8Array {
  if (uids.length + times.length === 0) return bytes
  const value = bytes.slice()
  for (const { at, known } of uids) value.set(uidOf(known), at)
  for (const { at, length, hasMicros } of times) {
    value.set(now.subarray(0, length), at)
    if (hasMicros) value.set(now.subarray(secondsLength), at + length)
  }
  return value
}

/** A change of the first server. */
interface Written extends Omit<Change, 'value' | 'lease'> {
  /** Absent: the key was deleted. */
  readonly pattern?: Pattern
}

function writtenBy(event: StoreEvent): Written | undefined {
  if (event.type === 'delete') return { key: event.key, revision: event.revision, createRevision: 0 }
  const { key, value, createRevision, modRevision } = event.kv
  const pattern = patternOf(value)
  return pattern && { key, revision: modRevision, createRevision, pattern }
}

/** What was written in a state, if it has its whole history. */
export function eventsOf({ base: { versions } }: StoreSnapshot): readonly StoreEvent[] | undefined {
  if (versions.oldest > 1) return undefined
  const events: StoreEvent[] = []
  for (let revision = 1; revision < versions.revision; ) {
    const next = versions.since(revision, '')
    append(events, next.events)
    revision = next.revision
  }
  return events
}

/** Copies of the state of a server that was just started. Undefined: it has what cannot be copied. */
function firstStateOf(state: StoreSnapshot): FirstState | undefined {
  const written = state.leases.length > 0 ? undefined : eventsOf(state)?.map(writtenBy)
  if (!written?.every((each) => each !== undefined)) return undefined
  return (now) => {
    const uids = new Map<string, Uint8Array>()
    const uidOf = (known: string) => {
      const uid = uids.get(known) ?? encodeUtf8(crypto.randomUUID())
      uids.set(known, uid)
      return uid
    }
    const news = { uidOf, now: encodeUtf8(`${new Date(now).toISOString().slice(0, -1)}000`) }
    return replayedSnapshot(
      written.map(({ pattern, ...change }) => ({ ...change, lease: 0n, ...(pattern && { value: filled(pattern, news) }) })),
    )
  }
}

/** A state of a server, and the work that it leaves to controllers. */
export interface LeftState {
  readonly state: StoreSnapshot
  readonly left: WorkLeft
}

export interface FirstStates {
  /** A server with these credentials has started from nothing, and is ready. */
  note(state: StoreSnapshot, own: OwnCredentials): void
  /** The state of a new server. Undefined: it starts from nothing. */
  next(): Promise<LeftState | undefined>
}

interface Copies {
  readonly make: FirstState
  readonly left: WorkLeft
}

function copiesOf({ state, left }: LeftState): Copies | undefined {
  const make = firstStateOf(state)
  return make && { make, left }
}

/** `settled` lets controllers do their first work on a state. `made`: a state that is known before any server has started. */
export function createFirstStates(
  settled: (state: StoreSnapshot, own: OwnCredentials) => Promise<LeftState>,
  made?: LeftState,
): FirstStates {
  let copies: (() => Promise<Copies | undefined>) | undefined = made && once(async () => copiesOf(made))
  return {
    note(state, own) {
      // Without it, each server starts from nothing.
      copies ??= once(() =>
        settled(state, own)
          .then(copiesOf)
          .catch(() => undefined),
      )
    },
    async next() {
      const found = await copies?.()
      return found && { state: found.make(webClock.now()), left: found.left }
    },
  }
}
