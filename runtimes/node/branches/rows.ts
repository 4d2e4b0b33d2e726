/** What the interface does, as rows. */
import { badRequest } from '../../../core/answers/status.ts'
import type { User } from '../../../core/request/exchange.ts'
import type { Branch } from './branch.ts'
import type { Branches } from './branches.ts'
import { type Ask, differencesOf } from './differences.ts'

/** What a body may say. */
export interface Choices {
  readonly ttlSeconds?: unknown
  readonly seconds?: unknown
}

export interface Asked {
  readonly branches: Branches
  readonly name: string
  readonly user: User
  readonly body: Choices
  /** The live server. */
  readonly live: Ask
}

export interface Row {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Empty, or what follows the name and a colon. */
  readonly action: string
  /** The path names a branch. */
  readonly ofOne: boolean
  /** What the user must be allowed to do with the path of the branch, unless it is the user's own. Absent: each branch of the answer is checked. */
  readonly verb?: 'create' | 'get' | 'update' | 'delete'
  /** Default 200. */
  readonly status?: number
  run(asked: Asked): unknown
}

/** A branch as clients see it. */
export function describe({ settings: { name, owner, created, expires }, revision, inFlight }: Branch) {
  const time = (milliseconds: number) => new Date(milliseconds).toISOString()
  return {
    name,
    owner: owner.name,
    revision: String(revision),
    created: time(created),
    expires: time(expires),
    requestsInFlight: inFlight,
  }
}

/** A hundred years. */
const maxSeconds = 36_525 * 86_400

function secondsIn(body: Choices, name: keyof Choices, min: number): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= min && value <= maxSeconds) return value
  throw badRequest(`${name}: must be a number from ${min} to ${maxSeconds}`)
}

export const rows: readonly Row[] = [
  { method: 'GET', action: '', ofOne: false, run: ({ branches }) => ({ branches: branches.list().map(describe) }) },
  {
    method: 'POST',
    action: '',
    ofOne: true,
    verb: 'create',
    status: 201,
    async run({ branches, name, user, body }) {
      const seconds = secondsIn(body, 'ttlSeconds', 1)
      return describe(await branches.create(name, user, seconds && seconds * 1_000))
    },
  },
  { method: 'GET', action: '', ofOne: true, verb: 'get', run: ({ branches, name }) => describe(branches.get(name)) },
  {
    method: 'DELETE',
    action: '',
    ofOne: true,
    verb: 'delete',
    async run({ branches, name }) {
      await branches.delete(name)
      return {}
    },
  },
  {
    method: 'GET',
    action: 'diff',
    ofOne: true,
    verb: 'get',
    run: ({ branches, name, user, live }) => differencesOf({ branch: branches.get(name), managers: branches.managers, user, live }),
  },
  {
    method: 'POST',
    action: 'advance',
    ofOne: true,
    verb: 'update',
    async run({ branches, name, body }) {
      await branches.get(name).advance((secondsIn(body, 'seconds', 0) ?? 0) * 1_000)
      return describe(branches.get(name))
    },
  },
]
