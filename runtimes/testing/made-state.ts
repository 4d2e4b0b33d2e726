/** The first state of servers with the usual options, made when the package is built: the first server of a process copies it. */
import { decodeUtf8, encodeUtf8 } from '../../core/schema/formats/utf8.ts'
import type { ServerOptions } from '../../core/server.ts'
import { replayedSnapshot } from '../stores/forkable.ts'
import type { Change } from '../stores/history.ts'
import { createFamily } from './family.ts'
import { eventsOf, type LeftState } from './first-state.ts'
import { createSecrets } from './secrets.ts'
import type { WorkLeft } from './sleep.ts'

/** What `makeState` has made, in JSON; library.mjs defines it. The sources have none: their first server starts from nothing. */
declare const madeFirstState: string

/** `value`: text; absent: the key was deleted. */
interface MadeChange extends Omit<Change, 'value' | 'lease'> {
  readonly value?: string
}

interface MadeState {
  readonly left: WorkLeft
  readonly changes: readonly MadeChange[]
}

/** Of `startTestServer()`. */
const usualOptions: ServerOptions = { platform: 'kubernetes' }
const usualText = JSON.stringify(usualOptions)

/** The state for these options, which are given in JSON. */
export function stateMadeFor(options: string): LeftState | undefined {
  if (typeof madeFirstState === 'undefined' || options !== usualText) return undefined
  const made = JSON.parse(madeFirstState) as MadeState
  const changes = made.changes.map(({ value, ...change }) => ({
    ...change,
    lease: 0n,
    ...(value !== undefined && { value: encodeUtf8(value) }),
  }))
  return { state: replayedSnapshot(changes), left: made.left }
}

/** Makes the state for the usual options. */
export async function makeState(): Promise<string> {
  const family = createFamily(usualOptions)
  const state = await family.newState(await createSecrets())
  const changes = eventsOf(state)?.map((event): MadeChange => {
    if (event.type === 'delete') return { key: event.key, revision: event.revision, createRevision: 0 }
    const { key, value, createRevision, modRevision } = event.kv
    return { key, revision: modRevision, createRevision, value: decodeUtf8(value) as string }
  })
  if (!changes) throw new Error('the first state lacks its history')
  return JSON.stringify({ left: family.isSettled(state) ? 'none' : 'maybe', changes } satisfies MadeState)
}
